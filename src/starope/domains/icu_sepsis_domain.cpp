#include "starope/domains/icu_sepsis_domain.hpp"

#include <fmt/format.h>

#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "starope/domains/policy_table.hpp"
#include "starope/error.hpp"

namespace starope::domains {
namespace {

const char* name_of(IcuSepsisVersion version) {
  return version == IcuSepsisVersion::v0 ? "v0" : "v2";
}

// Reads the tables at the first use and keeps them.
class LazyIcuSepsis {
 public:
  LazyIcuSepsis(ReadIcuSepsis read, IcuSepsisVersion version) : read_(std::move(read)), version_(version) {}

  const IcuSepsis& get() {
    const std::scoped_lock lock(mutex_);
    if (!sepsis_) load();
    return *sepsis_;
  }

 private:
  void load() {
    const auto states = static_cast<std::int32_t>(version_);
    if (!read_) {
      throw FileError(fmt::format(
          "ICU-Sepsis {}: its tables ({} states) are not part of starope. Get the file {}, and say where it "
          "is",
          name_of(version_), states, published_at(version_)));
    }
    IcuSepsis read(read_());
    if (read.mdp().states() != states) {
      throw DataError({.code = "bad_shape",
                       .at = {},
                       .value = {},
                       .rule = fmt::format("the ICU-Sepsis tables have {} states; version {} has {}",
                                           read.mdp().states(), name_of(version_), states),
                       .remedy = "Give the file of the other version"});
    }
    sepsis_.emplace(std::move(read));
  }

  ReadIcuSepsis read_;
  IcuSepsisVersion version_;
  std::mutex mutex_;
  std::optional<IcuSepsis> sepsis_;
};

TabularPolicy policy_of(const IcuSepsis& sepsis, const PolicyChoice& choice) {
  if (choice.table) {
    return table_policy(*choice.table, sepsis.mdp().symbols(), IcuSepsis::actions, IcuSepsis::terminal_states);
  }
  if (choice.name == "expert") return sepsis.expert();
  return choice.name == "softened" ? sepsis.behavior(choice.parameter) : sepsis.uniform();
}

std::vector<KnownValue> known_values(IcuSepsisVersion version, bool frozen_row) {
  if (version == IcuSepsisVersion::v0 && !frozen_row) {
    return {{"expert", 0.7733540321687504}, {"softened", 0.7592125931168173}, {"uniform", 0.7375725459916815}};
  }
  if (version == IcuSepsisVersion::v0) return {{"expert", 0.7514662267}, {"softened", 0.7476204197}};
  if (frozen_row) return {};
  return {{"expert", 0.7818447574}, {"softened", 0.7810006254}, {"uniform", 0.7800707028}};
}

void describe(NamedDomain& d, IcuSepsisVersion version, const IcuSepsisOptions& variant) {
  d.name = icu_sepsis_name(version, variant);
  d.summary = fmt::format(
      "treatment of sepsis in intensive care, from hospital records; reward 1 for survival; {} states, as in the {}",
      static_cast<std::int32_t>(version), version == IcuSepsisVersion::v0 ? "paper" : "public package");
  if (variant.frozen_row) {
    d.summary +=
        ", with the fault of the published simulator, which draws all transitions of an episode from its first "
        "state";
  }
  d.observation = variant.features ? "47 normalized measurements" : "the number of the state";
  for (int fluid = 0; fluid < 5; ++fluid)
    for (int vasopressor = 0; vasopressor < 5; ++vasopressor)
      d.actions.push_back(fmt::format("fluid {} vasopressor {}", fluid, vasopressor));
  d.horizon = Horizon{IcuSepsis::default_horizon};
  d.policies = {{"expert", "what physicians did (the paper's target)"},
                {"softened", "the expert's probabilities to the power 1/tau (the paper's behavior: tau = 2)",
                 PolicyParameter{.name = "tau", .value = 2.0, .low = 0.01, .high = 1000.0}},
                {"uniform", "takes all actions with the same probability"}};
  d.behavior = "softened";
  d.target = "expert";
  d.known_values = known_values(version, variant.frozen_row);
}

}  // namespace

std::string published_at(IcuSepsisVersion version) {
  return version == IcuSepsisVersion::v0 ? "ope/envs/sepsis_dynamics.npz of github.com/shreyasc-13/STAR"
                                         : "dynamics.npz of github.com/icu-sepsis/icu-sepsis (or run `pip download "
                                           "--no-deps icu-sepsis`, and the wheel in the current folder is found)";
}

std::string published_tables() {
  return fmt::format("{} (747 states, the paper's), or {} (716 states, the public package's)",
                     published_at(IcuSepsisVersion::v0), published_at(IcuSepsisVersion::v2));
}

std::string icu_sepsis_name(IcuSepsisVersion version, const IcuSepsisOptions& variant) {
  std::string name = "icu-sepsis";
  if (version == IcuSepsisVersion::v2) name += "-v2";
  if (variant.features) name += "-features";
  if (variant.frozen_row) name += "-frozen";
  return name;
}

NamedDomain icu_sepsis_domain(ReadIcuSepsis read, IcuSepsisVersion version, const IcuSepsisOptions& variant,
                              ReadPolicyTable read_table) {
  NamedDomain d;
  describe(d, version, variant);
  d.read_table = std::move(read_table);
  const auto lazy = std::make_shared<LazyIcuSepsis>(std::move(read), version);
  const auto parse = [policies = d.policies, read_policy = d.read_table](const std::string& text) {
    return parse_policy(text, policies, read_policy);
  };
  d.simulate = [lazy, variant, parse](const std::string& behavior, const std::string& target,
                                      const SimulateOptions& options) {
    const PolicyChoice acts = parse(behavior), asked = parse(target);
    const IcuSepsis& sepsis = lazy->get();
    return simulate(sepsis, policy_of(sepsis, acts), policy_of(sepsis, asked), options, variant);
  };
  d.value = [lazy, variant, parse, horizon = d.horizon](const std::string& policy, const ValueOptions& options) {
    const PolicyChoice choice = parse(policy);
    const IcuSepsis& sepsis = lazy->get();
    return TrueValue{.value = exact_value(sepsis, policy_of(sepsis, choice), options.discount.value_or(Discount{1.0}),
                                          options.horizon.value_or(horizon), variant)};
  };
  return d;
}

}  // namespace starope::domains
