#include "starope/domains/icu_sepsis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "starope/domains.hpp"
#include "starope/domains/exact_value.hpp"
#include "starope/domains/frozen_rows.hpp"
#include "starope/domains/tabular_mdp.hpp"
#include "starope/domains/tabular_policy.hpp"

namespace starope::domains {
namespace {

void check_size(const char* table, std::size_t size, std::size_t expected) {
  if (size == expected) return;
  DataError::Problem problem;
  problem.code = "bad_shape";
  problem.at.column = table;
  problem.rule = fmt::format("has {} values, expected {}", size, expected);
  problem.remedy = "Use all tables from one file of the ICU-Sepsis package";
  throw DataError(std::move(problem));
}

std::int32_t states_of(const IcuSepsisTables& tables) {
  if (!tables.transitions.complete()) throw InvalidArgument("ICU-Sepsis: the transition tables are not complete");
  return static_cast<std::int32_t>(tables.transitions.row_of().size() / IcuSepsis::actions);
}

TabularMdp make_mdp(const IcuSepsisTables& tables) {
  MdpDescription d;
  d.states = states_of(tables);
  d.actions = IcuSepsis::actions;
  const auto states = static_cast<std::size_t>(d.states);
  check_size("d_0", tables.start.size(), states);
  d.rows = tables.transitions.rows();
  d.row_of = tables.transitions.row_of();
  d.start = tables.start;
  d.terminal.assign(states, false);
  std::fill(d.terminal.end() - IcuSepsis::terminal_states, d.terminal.end(), true);
  return TabularMdp(d);
}

// Without the rows of the terminal states.
std::vector<double> live_rows(const char* table, const std::vector<double>& values, const IcuSepsisTables& tables,
                              std::size_t width) {
  const auto states = static_cast<std::size_t>(states_of(tables));
  check_size(table, values.size(), states * width);
  return {values.begin(), values.end() - static_cast<std::ptrdiff_t>(IcuSepsis::terminal_states * width)};
}

TabularPolicy make_expert(const IcuSepsisTables& tables) {
  std::vector<double> rows = live_rows("expert_policy", tables.expert_policy, tables, IcuSepsis::actions);
  return {states_of(tables) - IcuSepsis::terminal_states, IcuSepsis::actions, std::move(rows)};
}

// Calls run(world) with the world that the options ask for.
template <class Run>
auto with_dynamics(const IcuSepsis& sepsis, const IcuSepsisOptions& variant, const Run& run) {
  return variant.frozen_row ? run(FrozenRows(sepsis.mdp())) : run(sepsis.mdp());
}

}  // namespace

IcuSepsis::IcuSepsis(const IcuSepsisTables& tables)
    : mdp_(make_mdp(tables)),
      expert_(make_expert(tables)),
      features_{feature_names(), live_rows("state_cluster_centers", tables.features, tables, feature_names().size())} {}

const std::vector<std::string>& IcuSepsis::feature_names() {
  static const std::vector<std::string> names{"gender",
                                              "mechvent",
                                              "max_dose_vaso",
                                              "re_admission",
                                              "age",
                                              "Weight_kg",
                                              "GCS",
                                              "HR",
                                              "SysBP",
                                              "MeanBP",
                                              "DiaBP",
                                              "RR",
                                              "Temp_C",
                                              "FiO2_1",
                                              "Potassium",
                                              "Sodium",
                                              "Chloride",
                                              "Glucose",
                                              "Magnesium",
                                              "Calcium",
                                              "Hb",
                                              "WBC_count",
                                              "Platelets_count",
                                              "PTT",
                                              "PT",
                                              "Arterial_pH",
                                              "paO2",
                                              "paCO2",
                                              "Arterial_BE",
                                              "HCO3",
                                              "Arterial_lactate",
                                              "SOFA",
                                              "SIRS",
                                              "Shock_Index",
                                              "PaO2_FiO2",
                                              "cumulated_balance",
                                              "SpO2",
                                              "BUN",
                                              "Creatinine",
                                              "SGOT",
                                              "SGPT",
                                              "Total_bili",
                                              "INR",
                                              "input_total",
                                              "input_4hourly",
                                              "output_total",
                                              "output_4hourly"};
  return names;
}

Dataset simulate(const IcuSepsis& sepsis, const TabularPolicy& behavior, const TabularPolicy& target,
                 SimulateOptions options, const IcuSepsisOptions& variant) {
  check_policy_fits(sepsis.mdp(), behavior);
  check_policy_fits(sepsis.mdp(), target);
  if (!options.horizon) options.horizon = Horizon{IcuSepsis::default_horizon};
  return with_dynamics(sepsis, variant, [&](const auto& world) {
    const ReadsTable of_behavior(world, behavior), of_target(world, target);
    if (!variant.features) return simulate_episodes(world, of_behavior, of_target, options);
    return simulate_episodes(SeenByFeatures(world, sepsis.features()), of_behavior, of_target, options);
  });
}

MonteCarloValue monte_carlo_value(const IcuSepsis& sepsis, const TabularPolicy& policy, MonteCarloOptions options,
                                  const IcuSepsisOptions& variant) {
  check_policy_fits(sepsis.mdp(), policy);
  if (!options.horizon) options.horizon = Horizon{IcuSepsis::default_horizon};
  return with_dynamics(sepsis, variant,
                       [&](const auto& world) { return monte_carlo_value(world, ReadsTable(world, policy), options); });
}

double exact_value(const IcuSepsis& sepsis, const TabularPolicy& policy, Discount discount, Horizon horizon,
                   const IcuSepsisOptions& variant) {
  return with_dynamics(sepsis, variant,
                       [&](const auto& world) { return exact_value(world, policy, discount, horizon); });
}

}  // namespace starope::domains
