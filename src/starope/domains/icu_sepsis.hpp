#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "starope/base/data_location.hpp"
#include "starope/data.hpp"
#include "starope/domains.hpp"
#include "starope/domains/seen_by_features.hpp"
#include "starope/domains/tabular_mdp.hpp"
#include "starope/domains/tabular_policy.hpp"
#include "starope/domains/transition_rows.hpp"
#include "starope/error.hpp"
#include "starope/types.hpp"

namespace starope::domains {

// The published tables of ICU-Sepsis (Choudhary, Gupta & Thomas 2024) in plain form. The last three states are
// terminal: death, survival and the state after both.
struct IcuSepsisTables {
  TransitionRows transitions;
  std::vector<double> start{};          // one per state
  std::vector<double> expert_policy{};  // states x actions; the rows of terminal states are not looked at
  std::vector<double> features{};       // states x 47: normalized measurements of a typical patient in that state
};

// Treatment of sepsis in intensive care, as a finite MDP estimated from hospital records: 25 doses of fluid and
// vasopressor, reward 1 for survival. Both published versions (747 and 716 states) are read.
class IcuSepsis {
 public:
  static constexpr std::int32_t actions = 25;  // 5 * level of fluid + level of vasopressor
  static constexpr std::int32_t terminal_states = 3;
  static constexpr std::int64_t default_horizon = 150;

  explicit IcuSepsis(const IcuSepsisTables& tables);  // DataError where the tables do not fit together

  const TabularMdp& mdp() const noexcept { return mdp_; }
  const SymbolFeatures& features() const noexcept { return features_; }  // of the live states
  const TabularPolicy& expert() const noexcept { return expert_; }       // what physicians did: the paper's target
  TabularPolicy behavior(double temperature = 2.0) const { return with_temperature(expert_, temperature); }
  TabularPolicy uniform() const { return TabularPolicy::uniform(mdp_.symbols(), actions); }

  static const std::vector<std::string>& feature_names();

 private:
  TabularMdp mdp_;
  TabularPolicy expert_;
  SymbolFeatures features_;
};

struct IcuSepsisOptions {
  bool frozen_row = false;  // the published experiments' simulator instead of the MDP: see FrozenRows
  bool features = false;    // log the 47 features instead of the number of the state
};

// Without horizon in the options: IcuSepsis::default_horizon steps. (In the version of 747 states three never end.)
Dataset simulate(const IcuSepsis& sepsis, const TabularPolicy& behavior, const TabularPolicy& target,
                 SimulateOptions options, const IcuSepsisOptions& variant = {});
MonteCarloValue monte_carlo_value(const IcuSepsis& sepsis, const TabularPolicy& policy, MonteCarloOptions options,
                                  const IcuSepsisOptions& variant = {});
double exact_value(const IcuSepsis& sepsis, const TabularPolicy& policy, Discount discount = Discount{1.0},
                   Horizon horizon = Horizon{IcuSepsis::default_horizon}, const IcuSepsisOptions& variant = {});

// Named arrays of numbers, some too large to hold in memory: what a reader of the published .npz files offers.
template <class A>
concept ArrayArchive = requires(const A& archive, const std::string& name, std::span<double> out) {
  { archive.open(name).shape() } -> std::convertible_to<std::vector<std::int64_t>>;
  { archive.open(name).read(out) } -> std::convertible_to<std::size_t>;
  { archive.read_numbers(name) } -> std::convertible_to<std::vector<double>>;
};

// The tables from the arrays tx_mat, r_mat, d_0, expert_policy and state_cluster_centers.
template <ArrayArchive A>
IcuSepsisTables read_icu_sepsis(const A& archive) {
  auto transitions = archive.open("tx_mat");
  auto rewards = archive.open("r_mat");
  const std::vector<std::int64_t> shape = transitions.shape();
  const bool fits = shape.size() == 3 && shape[0] > IcuSepsis::terminal_states && shape[0] <= 100'000 &&
                    shape[1] == IcuSepsis::actions && shape[2] == shape[0] && rewards.shape() == shape;
  if (!fits) {
    throw DataError({.code = "bad_shape",
                     .at = in_column("tx_mat"),
                     .value = {},
                     .rule = "tx_mat and r_mat must both have the shape (states, 25, states)",
                     .remedy = "Use the file dynamics.npz of the ICU-Sepsis package"});
  }
  const auto states = static_cast<std::size_t>(shape[0]);
  IcuSepsisTables tables{.transitions = TransitionRows(static_cast<std::int32_t>(shape[0]), IcuSepsis::actions)};
  std::vector<double> probability(states), reward(states);
  while (!tables.transitions.complete()) {
    transitions.read(std::span<double>(probability));
    rewards.read(std::span<double>(reward));
    tables.transitions.add(probability, reward);
  }
  tables.start = archive.read_numbers("d_0");
  tables.expert_policy = archive.read_numbers("expert_policy");
  tables.features = archive.read_numbers("state_cluster_centers");
  return tables;
}

}  // namespace starope::domains
