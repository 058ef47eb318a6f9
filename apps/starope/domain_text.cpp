#include "domain_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "starope/base/numbers.hpp"
#include "starope/base/text.hpp"
#include "starope/domains/icu_sepsis_domain.hpp"
#include "starope/layout/layout.hpp"

namespace starope::cli {
namespace {

constexpr std::size_t label_width = 14;

std::string value_text(const domains::TrueValue& value) {
  if (value.standard_error == 0.0) return format_number(value.value, 8);
  const int decimals = decimals_of(value.standard_error);
  return format_fixed(value.value, decimals) + " +- " + format_fixed(value.standard_error, decimals);
}

std::string simulated_text(std::int64_t episodes, Seed seed) {
  return fmt::format("{}, seed {}", counted(episodes, "simulated episode"), seed.value);
}

std::string actions_text(const std::vector<std::string>& actions) {
  if (actions.size() <= 6) return fmt::format("{}", fmt::join(actions, ", "));
  return fmt::format("{}: {}, {}, ..., {}", actions.size(), actions[0], actions[1], actions.back());
}

std::string known_values_text(const domains::NamedDomain& domain) {
  std::vector<std::string> values;
  std::string how = "exact";
  for (const domains::KnownValue& known : domain.known_values) {
    values.push_back(known.policy + " " + value_text({.value = known.value, .standard_error = known.standard_error}));
    if (known.episodes > 0) how = simulated_text(known.episodes, known.seed);
  }
  return fmt::format("{} ({})", fmt::join(values, ", "), how);
}

std::string policy_text(const domains::NamedPolicy& policy) {
  std::string text = policy.meaning;
  if (policy.parameter) {
    text += fmt::format("; {} from {} to {}, default {}", policy.parameter->name, policy.parameter->low,
                        policy.parameter->high, policy.parameter->value);
  }
  return text;
}

}  // namespace

std::string list_text(const std::vector<domains::NamedDomain>& domains, const Terminal& terminal) {
  std::string text;
  const auto line = [&](const std::string& label, const std::string& what) {
    text +=
        wrap_indented(what, terminal.width, "  " + pad_right(label, label_width), std::string(label_width + 2, ' '));
  };
  for (const domains::NamedDomain& domain : domains) {
    if (!text.empty()) text += '\n';
    text += wrap_indented(fmt::format("{}: {}", paint(terminal, Emphasis::strong, domain.name), domain.summary),
                          terminal.width, "", "  ");
    if (domain.name.rfind("icu-sepsis", 0) == 0) {
      const bool is_public = domain.name == "icu-sepsis-v2";
      line("needs", "--dynamics FILE: " + domains::published_at(is_public ? domains::IcuSepsisVersion::v2
                                                                          : domains::IcuSepsisVersion::v0));
    }
    line("observation", domain.observation);
    line("actions", actions_text(domain.actions));
    line("length", fmt::format("horizon {}, discount {}", with_thousands(domain.horizon.steps()),
                               format_number(domain.discount.gamma())));
    for (const domains::NamedPolicy& policy : domain.policies) {
      line(policy.parameter ? fmt::format("{}({})", policy.name, policy.parameter->name) : policy.name,
           policy_text(policy));
    }
    line("defaults", fmt::format("behavior {}, target {}", domain.behavior, domain.target));
    if (!domain.known_values.empty()) line("true values", known_values_text(domain));
  }
  return text;
}

Truth find_truth(const domains::NamedDomain& domain, const std::string& policy, Horizon horizon, Threads threads) {
  if (horizon.steps() == domain.horizon.steps()) {
    const auto known = domains::find_known_value(domain, policy);
    if (known && known->episodes > 0) {
      return {.value = {.value = known->value, .standard_error = known->standard_error, .episodes = known->episodes},
              .seed = known->seed};
    }
  }
  // Always the same seed: what is true does not depend on the log.
  return {.value = domain.value(policy, {.horizon = horizon, .seed = Seed{0}, .threads = threads}), .seed = Seed{0}};
}

std::string truth_text(const std::string& who, const std::string& policy, const Truth& truth, Discount discount) {
  return fmt::format("{} {}: true value {} ({}; discount {})", who, policy, value_text(truth.value),
                     truth.value.episodes > 0 ? simulated_text(truth.value.episodes, truth.seed) : "exact",
                     format_number(discount.gamma()));
}

}  // namespace starope::cli
