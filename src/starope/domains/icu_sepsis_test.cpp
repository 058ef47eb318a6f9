#include "starope/domains/icu_sepsis.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "starope/data.hpp"
#include "starope/domains/csv_rows.hpp"
#include "starope/domains/exact_value.hpp"
#include "starope/domains/made_up_sepsis.hpp"
#include "starope/domains/numpy_draws.hpp"
#include "starope/io/npz.hpp"
#include "starope/io/testing_files.hpp"
#include "support/test_data.hpp"

namespace starope::domains {
namespace {

static_assert(ArrayArchive<io::NpzReader>);

using starope::testing::MadeUpSepsis;
using starope::testing::shared_file;

const MadeUpSepsis made_up;

// The published tables, where they are at hand. What they show, the made-up ones have shown before.
std::vector<std::string> published() {
  std::vector<std::string> files;
  for (const char* name : {"data/icu_sepsis/v0/sepsis_dynamics.npz", "data/icu_sepsis/v2/dynamics.npz"})
    if (const auto file = shared_file(name)) files.push_back(*file);
  return files;
}

// Reading takes a moment: once for all tests.
const IcuSepsis& sepsis(const std::string& file) {
  static std::map<std::string, IcuSepsis> read;
  const auto found = read.find(file);
  if (found != read.end()) return found->second;
  return read.emplace(file, IcuSepsis(read_icu_sepsis(io::NpzReader(file)))).first->second;
}

// The number behind the last of these keys, each looked for behind the one before it.
double recorded(const std::string& file, const std::vector<std::string>& keys) {
  std::ifstream stream(std::filesystem::path(file).parent_path() / "meta.json");
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  std::size_t at = 0;
  for (const std::string& key : keys) {
    at = text.find("\"" + key + "\":", at);
    if (at == std::string::npos) throw std::runtime_error("no " + key + " in meta.json");
    at += key.size() + 3;
  }
  return std::stod(text.substr(at));
}

struct Named {
  const char* name;
  TabularPolicy policy;
};
std::vector<Named> policies(const IcuSepsis& s) {
  return {{"pi_e_expert", s.expert()}, {"pi_b_tau2", s.behavior()}, {"uniform", s.uniform()}};
}

double expert(std::int32_t s, std::int32_t a) {
  return made_up.expert(s, a);
}
double behavior(std::int32_t s, std::int32_t a) {
  return made_up.behavior(s, a);
}

TEST(IcuSepsis, ReadsTablesFromAFile) {
  const starope::testing::TemporaryFolder folder;
  made_up.write(folder.path("made_up.npz"));
  const IcuSepsis read(read_icu_sepsis(io::NpzReader(folder.path("made_up.npz")))), direct(made_up.tables());
  EXPECT_EQ(read.mdp().states(), 23);
  EXPECT_EQ(read.mdp().symbols(), 20);
  EXPECT_EQ(read.features().names.size(), 47u);
  EXPECT_EQ(read.features().values, direct.features().values);
  for (std::int32_t s = 0; s < made_up.live(); ++s) {
    for (std::int32_t a = 0; a < IcuSepsis::actions; ++a) {
      EXPECT_NEAR(read.expert().probability(s, a), made_up.expert(s, a), 1e-15);
      const auto row = read.mdp().row(s, a);
      ASSERT_EQ(row.next.size(), made_up.row(s, a).size());
      for (const auto& [to, p] : made_up.row(s, a)) {
        const auto at = std::find(row.next.begin(), row.next.end(), to);
        ASSERT_NE(at, row.next.end());
        const auto k = at - row.next.begin();
        EXPECT_EQ(row.reward[k], to == made_up.survival() ? 1.0 : 0.0);
      }
    }
  }
  EXPECT_EQ(exact_value(read, read.expert()), exact_value(direct, direct.expert()));
}

TEST(IcuSepsis, ReadsBothPublishedVersionsIntoDistinctRows) {
  // States 5 and the terminal ones have one row each, and no two rows of other states and actions are alike.
  std::set<std::vector<std::pair<std::int32_t, double>>> distinct;
  std::size_t made_up_entries = 0;
  for (std::int32_t s = 0; s < made_up.states; ++s)
    for (std::int32_t a = 0; a < IcuSepsis::actions; ++a) distinct.insert(made_up.row(s, a));
  for (const auto& row : distinct) made_up_entries += row.size();
  const auto check = [](const IcuSepsisTables& tables, std::size_t rows, std::size_t entries) {
    std::size_t count = 0;
    for (const auto& row : tables.transitions.rows()) count += row.size();
    EXPECT_EQ(tables.transitions.rows().size(), rows);
    EXPECT_EQ(count, entries);
  };
  check(made_up.tables(), distinct.size(), made_up_entries);
  for (const std::string& file : published()) {
    const bool old = file.find("v0") != std::string::npos;
    check(read_icu_sepsis(io::NpzReader(file)), old ? 5300 : 2918, old ? 181'227 : 160'319);
    EXPECT_EQ(sepsis(file).mdp().states(), old ? 747 : 716);
    EXPECT_EQ(sepsis(file).mdp().symbols(), old ? 744 : 713);
    EXPECT_EQ(sepsis(file).features().names.size(), 47u);
  }
}

TEST(IcuSepsis, ExactValuesAreThoseOfPlainLoops) {
  const IcuSepsis s(made_up.tables());
  for (const int horizon : {1, 2, 5, 10, 25, 150}) {
    const auto value = [&](const TabularPolicy& p) { return exact_value(s, p, Discount{1.0}, Horizon{horizon}); };
    EXPECT_NEAR(value(s.expert()), made_up.expected(expert, horizon).value, 1e-13);
    EXPECT_NEAR(value(s.behavior()), made_up.expected(behavior, horizon).value, 1e-13);
    EXPECT_NEAR(value(s.uniform()), made_up.expected([](auto, auto) { return 1.0 / 25; }, horizon).value, 1e-13);
  }
  // Without horizon: what is caught in the endless state earns nothing.
  EXPECT_NEAR(exact_value(s.mdp(), s.expert()), made_up.expected(expert, 3000).value, 1e-12);
}

TEST(IcuSepsis, ExactValuesAreTheRecordedOnes) {
  for (const std::string& file : published()) {
    const IcuSepsis& s = sepsis(file);
    for (const Named& p : policies(s)) {
      for (const int horizon : {1, 5, 10, 25, 50, 100, 120, 150, 500}) {
        EXPECT_NEAR(exact_value(s, p.policy, Discount{1.0}, Horizon{horizon}),
                    recorded(file, {"exact_values", p.name, "J_by_horizon", std::to_string(horizon)}), 1e-10);
      }
      // Without horizon: what is caught in the endless states of the old version earns nothing.
      EXPECT_NEAR(exact_value(s.mdp(), p.policy), recorded(file, {"exact_values", p.name, "J_infinite"}), 1e-10);
    }
  }
}

TEST(IcuSepsis, EpisodeLengthsAreTheRecordedOnes) {
  const auto steps = [](const IcuSepsis& s, const TabularPolicy& policy, int horizon) {  // expected number
    const auto visits = exact_visits(s.mdp(), policy, Discount{1.0}, Horizon{horizon});
    return std::accumulate(visits.begin(), visits.end(), 0.0);
  };
  const IcuSepsis s(made_up.tables());
  for (const int horizon : {1, 20, 21, 150}) {
    EXPECT_NEAR(steps(s, s.expert(), horizon), made_up.expected(expert, horizon).steps, 1e-11);
    EXPECT_NEAR(steps(s, s.behavior(), horizon), made_up.expected(behavior, horizon).steps, 1e-11);
  }
  for (const std::string& file : published()) {
    for (const Named& p : policies(sepsis(file))) {
      EXPECT_NEAR(steps(sepsis(file), p.policy, 150), recorded(file, {"exact_values", p.name, "E_len_capped_150"}),
                  1e-9);
      // P(length > 20) is the chance that a 21st step is taken.
      EXPECT_NEAR(steps(sepsis(file), p.policy, 21) - steps(sepsis(file), p.policy, 20),
                  recorded(file, {"exact_values", p.name, "P_len_gt", "20"}), 1e-10);
    }
  }
}

void expect_endless(const IcuSepsis& s, const std::vector<std::int32_t>& endless) {
  EXPECT_EQ(always_terminates(s.mdp(), s.expert()), endless.empty());
  for (const std::int32_t state : endless) {
    const auto row = s.mdp().row(state, 7);
    EXPECT_EQ(std::vector<std::int32_t>(row.next.begin(), row.next.end()), (std::vector<std::int32_t>{state}));
  }
}

TEST(IcuSepsis, ThreeStatesOfTheOldVersionNeverEnd) {
  expect_endless(IcuSepsis(made_up.tables()), {MadeUpSepsis::endless});
  for (const std::string& file : published())
    expect_endless(sepsis(file),
                   file.find("v0") != std::string::npos ? std::vector{43, 536, 584} : std::vector<std::int32_t>{});
}

TEST(IcuSepsis, TheFrozenSimulatorHasAnotherValue) {
  const IcuSepsisOptions frozen{.frozen_row = true};
  const auto value = [&](const IcuSepsis& s, const TabularPolicy& p) {
    return exact_value(s, p, Discount{1.0}, Horizon{150}, frozen);
  };
  const IcuSepsis s(made_up.tables());
  const double expected = made_up.expected(expert, 150, true).value;
  EXPECT_NEAR(value(s, s.expert()), expected, 1e-13);
  EXPECT_NEAR(value(s, s.behavior()), made_up.expected(behavior, 150, true).value, 1e-13);
  EXPECT_GT(std::abs(expected - made_up.expected(expert, 150).value), 1e-3);
  if (const auto file = shared_file("data/icu_sepsis/v0/sepsis_dynamics.npz")) {
    EXPECT_NEAR(value(sepsis(*file), sepsis(*file).expert()), 0.7514662267, 1e-10);
    EXPECT_NEAR(value(sepsis(*file), sepsis(*file).behavior()), 0.7476204197, 1e-10);
  }
}

// The largest ratio of expert to behavior; both must allow the same actions.
double largest_ratio(const IcuSepsis& s) {
  const TabularPolicy behaves = s.behavior();
  double most = 0.0;
  for (std::int32_t z = 0; z < s.mdp().symbols(); ++z) {
    for (std::int32_t a = 0; a < IcuSepsis::actions; ++a) {
      const double pe = s.expert().probability(z, a), pb = behaves.probability(z, a);
      EXPECT_EQ(pe == 0.0, pb == 0.0);
      if (pb > 0.0) most = std::max(most, pe / pb);
    }
  }
  return most;
}

TEST(IcuSepsis, RatiosAreBoundedAsDocumented) {
  double most = 0.0;
  for (std::int32_t s = 0; s < made_up.live(); ++s)
    for (std::int32_t a = 0; a < IcuSepsis::actions; ++a)
      if (expert(s, a) > 0.0) most = std::max(most, expert(s, a) / behavior(s, a));
  EXPECT_NEAR(largest_ratio(IcuSepsis(made_up.tables())), most, 1e-12);
  if (const auto file = shared_file("data/icu_sepsis/v0/sepsis_dynamics.npz")) {
    EXPECT_NEAR(largest_ratio(sepsis(*file)), recorded(*file, {"max_ratio_pie_over_pib"}), 1e-12);
  }
}

// Inverse distribution functions by plain loops: the first index whose cumulative sum exceeds u.
TEST(IcuSepsis, DrawsAreInverseDistributionFunctions) {
  const IcuSepsis s(made_up.tables());
  starope::testing::NumpyDraws draws(12345);
  const auto first_above = [](double u, std::int32_t size, const auto& probability) {
    double sum = 0.0;
    for (std::int32_t i = 0; i < size; ++i) {
      sum += probability(i);
      if (sum > u) return i;
    }
    return size;
  };
  for (int draw = 0; draw < 2000; ++draw) {
    const std::int32_t state = draw % made_up.live();
    double u = draws.uniform();
    EXPECT_EQ(s.mdp().start_at(u), first_above(u, made_up.states, [](auto i) { return made_up.start(i); }));
    u = draws.uniform();
    const std::int32_t action = sample_action(s.expert().row(state), u);
    EXPECT_EQ(action, first_above(u, 25, [&](auto a) { return expert(state, a); }));
    u = draws.uniform();
    const Outcome outcome = s.mdp().outcome_at(state, action, u);
    const std::int32_t next = first_above(u, made_up.states, [&](auto to) {
      for (const auto& [there, p] : made_up.row(state, action))
        if (there == to) return p;
      return 0.0;
    });
    EXPECT_EQ(outcome.next, next);
    EXPECT_EQ(outcome.reward, next == made_up.survival() ? 1.0 : 0.0);
  }
}

TEST(IcuSepsis, FollowsRecordedEpisodesWithTheGeneratorThatMadeThem) {
  const auto path = shared_file("data/traces/sepsis_v0_traces.csv");
  const auto tables = shared_file("data/icu_sepsis/v0/sepsis_dynamics.npz");
  if (!path || !tables) return;  // the rule is the one of DrawsAreInverseDistributionFunctions
  const IcuSepsis& s = sepsis(*tables);
  const TabularPolicy behaves = s.behavior();
  const auto rows = starope::testing::read_csv_rows(*path);
  ASSERT_EQ(rows.size(), 871u);
  std::string variant;
  std::optional<starope::testing::NumpyDraws> draws;
  std::int32_t seen = 0, start = 0;
  int mismatches = 0;
  for (const auto& row : rows) {
    if (row.text("variant") != variant) {
      variant = row.text("variant");
      draws.emplace(static_cast<std::uint32_t>(row.integer("seed")));
    }
    if (row.text("t") == "0") seen = start = s.mdp().start_at(draws->uniform());
    const TabularPolicy& policy = row.text("policy") == "pi_e" ? s.expert() : behaves;
    const std::int32_t from = variant == "star_repo" ? start : seen;
    mismatches += seen != row.integer("s_obs") || from != row.integer("s_row") ? 1 : 0;
    const std::int32_t action = sample_action(policy.row(seen), draws->uniform());
    mismatches += action != row.integer("a") ? 1 : 0;
    mismatches += std::abs(s.expert().probability(seen, action) - row.number("pi_e")) > 1e-15 ? 1 : 0;
    mismatches += std::abs(behaves.probability(seen, action) - row.number("pi_b")) > 1e-15 ? 1 : 0;
    const Outcome outcome = s.mdp().outcome_at(from, action, draws->uniform());
    mismatches += outcome.next != row.integer("sp") || outcome.reward != row.number("reward") ? 1 : 0;
    mismatches += s.mdp().is_terminal(outcome.next) != (row.text("done") == "1") ? 1 : 0;
    seen = outcome.next;
  }
  EXPECT_EQ(mismatches, 0);
}

TEST(IcuSepsis, MonteCarloApproachesTheExactValues) {
  for (const bool frozen : {false, true}) {
    const IcuSepsisOptions variant{.frozen_row = frozen};
    const MonteCarloOptions options{.episodes = 60'000, .seed = Seed{5}};
    const IcuSepsis s(made_up.tables());
    const auto result = monte_carlo_value(s, s.expert(), options, variant);
    const auto expected = made_up.expected(expert, 150, frozen);
    EXPECT_NEAR(result.value, expected.value, 4 * result.standard_error);
    EXPECT_NEAR(result.mean_length, expected.steps, 0.03 * expected.steps);
    if (const auto file = shared_file("data/icu_sepsis/v0/sepsis_dynamics.npz")) {
      const IcuSepsis& v0 = sepsis(*file);
      const auto there = monte_carlo_value(v0, v0.expert(), options, variant);
      EXPECT_NEAR(there.value, exact_value(v0, v0.expert(), Discount{1.0}, Horizon{150}, variant),
                  4 * there.standard_error);
      EXPECT_NEAR(there.mean_length, frozen ? 11.13 : 9.642, 0.3);
    }
  }
}

void expect_states_or_features(const IcuSepsis& s, double value) {
  const SimulateOptions options{.episodes = 200};
  const Dataset ids = simulate(s, s.behavior(), s.expert(), options);
  const Dataset features = simulate(s, s.behavior(), s.expert(), options, {.features = true});
  const auto& discrete = std::get<DiscreteStates>(ids.states());
  const auto& dense = std::get<DenseStates>(features.states());
  EXPECT_LT(discrete.ids.back(), s.mdp().symbols());
  ASSERT_EQ(dense.dimension, 47);
  ASSERT_EQ(features.state_rows(), ids.state_rows());
  for (std::size_t i = 0; i < std::span(discrete.code).size(); ++i) {
    const auto id = static_cast<std::size_t>(discrete.ids[discrete.code[i]]);
    ASSERT_EQ(dense.values[47 * i + 31], s.features().values[47 * id + 31]);
  }
  double survived = 0.0;
  for (const double r : ids.rewards()) survived += r;
  EXPECT_NEAR(survived / 200, value, 0.13);
}

TEST(SimulateIcuSepsis, LogsStatesOrFeatures) {
  expect_states_or_features(IcuSepsis(made_up.tables()), made_up.expected(behavior, 150).value);
  if (const auto file = shared_file("data/icu_sepsis/v0/sepsis_dynamics.npz"))
    expect_states_or_features(sepsis(*file), 0.759);
}

TEST(IcuSepsis, RefusesTablesThatDoNotFitTogether) {
  const auto tables = [] {
    IcuSepsisTables t{.transitions = TransitionRows(4, IcuSepsis::actions)};
    const std::vector<double> to_survival{0, 0, 1, 0}, reward{0, 0, 1, 0};
    for (int i = 0; i < 4 * IcuSepsis::actions; ++i) t.transitions.add(to_survival, reward);
    t.start = {1, 0, 0, 0};
    t.expert_policy.assign(std::size_t{4} * IcuSepsis::actions, 1.0 / IcuSepsis::actions);
    t.features.assign(std::size_t{4} * 47, 0.5);
    return t;
  };
  const IcuSepsis tiny(tables());
  EXPECT_DOUBLE_EQ(exact_value(tiny, tiny.expert()), 1.0);
  auto wrong = tables();
  wrong.start.pop_back();
  EXPECT_THROW(IcuSepsis{wrong}, DataError);
  wrong = tables();
  wrong.expert_policy.pop_back();
  EXPECT_THROW(IcuSepsis{wrong}, DataError);
  wrong = tables();
  wrong.features.clear();
  EXPECT_THROW(IcuSepsis{wrong}, DataError);
  EXPECT_THROW(IcuSepsis({.transitions = TransitionRows(4, IcuSepsis::actions)}), InvalidArgument);
}

}  // namespace
}  // namespace starope::domains
