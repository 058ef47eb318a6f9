#include "starope/envs/named_domain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <memory>

#include "starope/base/error.hpp"
#include "starope/base/text.hpp"
#include "starope/envs/exact_value.hpp"
#include "starope/envs/tabular_simulation.hpp"

namespace starope::envs {
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
  double value = 0.0;
  const auto [end, error] = std::from_chars(inside.data(), inside.data() + inside.size(), value);
  if (error != std::errc{} || end != inside.data() + inside.size() ||
      !(value >= parameter.low && value <= parameter.high)) {
    throw InvalidArgument(fmt::format("policy '{}': {} must be a number from {} to {}", text, parameter.name,
                                      parameter.low, parameter.high));
  }
  return value;
}

}  // namespace

PolicyChoice parse_policy(std::string_view text, std::span<const NamedPolicy> known) {
  const std::size_t open = text.find('(');
  const NamedPolicy& policy = find_named("policy", text.substr(0, open), known);
  if (open == std::string_view::npos) return {policy.name, policy.parameter ? policy.parameter->value : 0.0};
  if (text.back() != ')') throw InvalidArgument(fmt::format("policy '{}': a closing parenthesis is missing", text));
  return {policy.name, parse_parameter(text, text.substr(open + 1, text.size() - open - 2), policy)};
}

const NamedDomain& find_domain(std::span<const NamedDomain> domains, std::string_view name) {
  return find_named("domain", name, domains);
}

void add_exact_simulation(NamedDomain& domain, const TabularMdp& mdp,
                          std::function<TabularPolicy(const PolicyChoice&)> policy) {
  const auto world = std::make_shared<const TabularMdp>(mdp);
  const auto make = [policies = domain.policies, policy = std::move(policy)](const std::string& text) {
    return policy(parse_policy(text, policies));
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

}  // namespace starope::envs
