#include "starope/domains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <memory>

#include "starope/base/text.hpp"
#include "starope/domains/exact_value.hpp"
#include "starope/domains/policy_table.hpp"
#include "starope/error.hpp"

namespace starope::domains {
namespace {

// "ICU_Sepsis" and "icu-sepsis" are one name.
std::string plain(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (c != '-' && c != '_' && c != ' ') result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result;
}

template <class Named>
const Named& find_named(const char* what, std::string_view name, std::span<const Named> known) {
  std::vector<std::string> names;
  for (const Named& each : known) {
    if (plain(each.name) == plain(name)) return each;
    names.push_back(each.name);
  }
  throw InvalidArgument(unknown_name(what, name, names));
}

double number_in(std::string_view text, std::string_view digits, const std::string& name, double low, double high) {
  double value = 0.0;
  const char* last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, value);
  if (error != std::errc{} || end != last || !(value >= low && value <= high)) {
    throw InvalidArgument(fmt::format("policy '{}': {} must be a number from {} to {}", text, name, low, high));
  }
  return value;
}

double parse_parameter(std::string_view text, std::string_view inside, const NamedPolicy& policy) {
  if (!policy.parameter) {
    throw InvalidArgument(fmt::format("policy '{}': {} takes no parameter", text, policy.name));
  }
  const PolicyParameter& parameter = *policy.parameter;
  const std::size_t equals = inside.find('=');
  if (equals != std::string_view::npos) {
    if (plain(inside.substr(0, equals)) != plain(parameter.name)) {
      throw InvalidArgument(
          fmt::format("policy '{}': the parameter of {} is called {}", text, policy.name, parameter.name));
    }
    inside.remove_prefix(equals + 1);
  }
  return number_in(text, inside, parameter.name, parameter.low, parameter.high);
}

bool names_a_file(std::string_view text) {
  const std::string_view ending = ".csv";
  return text.size() > ending.size() && text.substr(text.size() - ending.size()) == ending;
}

// "FILE.csv", "greedy(FILE.csv,eps)", "softmax(FILE.csv,tau)"; none if the text names no file.
std::optional<PolicyChoice> parse_table(std::string_view text, const ReadPolicyTable& read) {
  const std::size_t open = text.find('(');
  const bool wrapped = open != std::string_view::npos && text.back() == ')';
  const std::string_view inside = wrapped ? text.substr(open + 1, text.size() - open - 2) : text;
  const std::size_t comma = wrapped ? inside.rfind(',') : std::string_view::npos;
  const std::string_view file = inside.substr(0, comma);
  if (!names_a_file(file)) return std::nullopt;
  if (!read) throw InvalidArgument(fmt::format("policy '{}': this domain takes no policies from files", text));
  const std::string path(file);
  const std::string how = wrapped ? plain(text.substr(0, open)) : "table";
  const std::string_view number = comma == std::string_view::npos ? std::string_view() : inside.substr(comma + 1);
  if (how == "table" && comma == std::string_view::npos) {
    return PolicyChoice{.name = path, .table = as_probabilities(read(path))};
  }
  if (how == "greedy") {
    const double eps = number_in(text, number, "eps", 0.0, 1.0);
    return PolicyChoice{.name = path, .parameter = eps, .table = as_greedy(read(path), eps)};
  }
  if (how == "softmax") {
    const double tau = number.empty() ? 1.0 : number_in(text, number, "tau", 1e-6, 1e6);
    return PolicyChoice{.name = path, .parameter = tau, .table = as_softmax(read(path), tau)};
  }
  throw InvalidArgument(
      fmt::format("policy '{}': a table is used as FILE.csv, greedy(FILE.csv,eps) or softmax(FILE.csv,tau)", text));
}

std::int32_t terminal_states(const TabularMdp& mdp) {
  std::int32_t count = 0;
  for (std::int32_t s = 0; s < mdp.states(); ++s) count += mdp.is_terminal(s) ? 1 : 0;
  return count;
}

}  // namespace

PolicyChoice parse_policy(std::string_view text, std::span<const NamedPolicy> known, const ReadPolicyTable& read) {
  if (auto table = parse_table(text, read)) return *std::move(table);
  const std::size_t open = text.find('(');
  const NamedPolicy& policy = find_named("policy", text.substr(0, open), known);
  if (open == std::string_view::npos) return {policy.name, policy.parameter ? policy.parameter->value : 0.0};
  if (text.back() != ')') throw InvalidArgument(fmt::format("policy '{}': a closing parenthesis is missing", text));
  return {policy.name, parse_parameter(text, text.substr(open + 1, text.size() - open - 2), policy)};
}

const NamedDomain& find_domain(std::span<const NamedDomain> domains, std::string_view name) {
  return find_named("domain", name, domains);
}

std::optional<KnownValue> find_known_value(const NamedDomain& domain, const std::string& policy) {
  const PolicyChoice asked = parse_policy(policy, domain.policies, domain.read_table);
  for (const KnownValue& known : domain.known_values) {
    if (parse_policy(known.policy, domain.policies) == asked) return known;
  }
  return std::nullopt;
}

void add_exact_simulation(NamedDomain& domain, const TabularMdp& mdp,
                          std::function<TabularPolicy(const PolicyChoice&)> policy) {
  const auto world = std::make_shared<const TabularMdp>(mdp);
  const auto make = [world, policies = domain.policies, read = domain.read_table,
                     policy = std::move(policy)](const std::string& text) {
    const PolicyChoice choice = parse_policy(text, policies, read);
    if (!choice.table) return policy(choice);
    return table_policy(*choice.table, world->symbols(), world->actions(), terminal_states(*world));
  };
  domain.simulate = [world, make, horizon = domain.horizon](const std::string& behavior, const std::string& target,
                                                            SimulateOptions options) {
    if (!options.horizon) options.horizon = horizon;
    return simulate(*world, make(behavior), make(target), options);
  };
  domain.value = [world, make, horizon = domain.horizon, discount = domain.discount](const std::string& text,
                                                                                     const ValueOptions& options) {
    return TrueValue{.value = exact_value(*world, make(text), options.discount.value_or(discount),
                                          options.horizon.value_or(horizon))};
  };
}

}  // namespace starope::domains
