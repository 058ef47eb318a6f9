#include "starope/domains/icu_sepsis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <optional>

#include "starope/domains/csv_rows.hpp"
#include "starope/domains/exact_value.hpp"
#include "starope/domains/numpy_draws.hpp"
#include "starope/io/npz.hpp"

namespace starope::envs {
namespace {

static_assert(ArrayArchive<io::NpzReader>);

const std::string folder = STAROPE_SHARED_DIR "/data/icu_sepsis/";
const std::string v0_file = folder + "v0/sepsis_dynamics.npz";
const std::string v2_file = folder + "v2/dynamics.npz";

#define SKIP_WITHOUT(file) \
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no tables at " << file

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

TEST(IcuSepsis, ReadsBothVersionsIntoDistinctRows) {
  SKIP_WITHOUT(v0_file);
  for (const auto& [file, states, rows, entries] :
       {std::tuple{v0_file, 747, 5300, 181'227}, std::tuple{v2_file, 716, 2918, 160'319}}) {
    const IcuSepsisTables tables = read_icu_sepsis(io::NpzReader(file));
    EXPECT_EQ(static_cast<int>(tables.transitions.rows().size()), rows);
    std::size_t count = 0;
    for (const auto& row : tables.transitions.rows()) count += row.size();
    EXPECT_EQ(static_cast<int>(count), entries);
    const IcuSepsis& s = sepsis(file);
    EXPECT_EQ(s.mdp().states(), states);
    EXPECT_EQ(s.mdp().symbols(), states - 3);
    EXPECT_EQ(s.features().names.size(), 47u);
  }
}

TEST(IcuSepsis, ExactValuesAreTheRecordedOnes) {
  SKIP_WITHOUT(v0_file);
  for (const std::string& file : {v0_file, v2_file}) {
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
  SKIP_WITHOUT(v0_file);
  for (const std::string& file : {v0_file, v2_file}) {
    const IcuSepsis& s = sepsis(file);
    for (const Named& p : policies(s)) {
      const auto steps = [&](int horizon) {  // expected number, up to the horizon
        const auto visits = exact_visits(s.mdp(), p.policy, Discount{1.0}, Horizon{horizon});
        return std::accumulate(visits.begin(), visits.end(), 0.0);
      };
      EXPECT_NEAR(steps(150), recorded(file, {"exact_values", p.name, "E_len_capped_150"}), 1e-9);
      // P(length > 20) is the chance that a 21st step is taken.
      EXPECT_NEAR(steps(21) - steps(20), recorded(file, {"exact_values", p.name, "P_len_gt", "20"}), 1e-10);
    }
  }
}

TEST(IcuSepsis, ThreeStatesOfTheOldVersionNeverEnd) {
  SKIP_WITHOUT(v0_file);
  EXPECT_FALSE(always_terminates(sepsis(v0_file).mdp(), sepsis(v0_file).expert()));
  EXPECT_TRUE(always_terminates(sepsis(v2_file).mdp(), sepsis(v2_file).expert()));
  for (const std::int32_t s : {43, 536, 584}) {
    const auto row = sepsis(v0_file).mdp().row(s, 7);
    EXPECT_EQ(std::vector<std::int32_t>(row.next.begin(), row.next.end()), (std::vector<std::int32_t>{s}));
  }
}

TEST(IcuSepsis, TheFrozenSimulatorHasAnotherValue) {
  SKIP_WITHOUT(v0_file);
  const IcuSepsis& s = sepsis(v0_file);
  const IcuSepsisOptions frozen{.frozen_row = true};
  const auto value = [&](const TabularPolicy& p) { return exact_value(s, p, Discount{1.0}, Horizon{150}, frozen); };
  EXPECT_NEAR(value(s.expert()), 0.7514662267, 1e-10);
  EXPECT_NEAR(value(s.behavior()), 0.7476204197, 1e-10);
}

TEST(IcuSepsis, RatiosAreBoundedAsDocumented) {
  SKIP_WITHOUT(v0_file);
  const IcuSepsis& s = sepsis(v0_file);
  const TabularPolicy behavior = s.behavior();
  double most = 0.0;
  for (std::int32_t z = 0; z < s.mdp().symbols(); ++z) {
    for (std::int32_t a = 0; a < IcuSepsis::actions; ++a) {
      const double pe = s.expert().probability(z, a), pb = behavior.probability(z, a);
      ASSERT_EQ(pe == 0.0, pb == 0.0);
      if (pb > 0.0) most = std::max(most, pe / pb);
    }
  }
  EXPECT_NEAR(most, recorded(v0_file, {"max_ratio_pie_over_pib"}), 1e-12);
}

TEST(IcuSepsis, FollowsRecordedEpisodesWithTheGeneratorThatMadeThem) {
  const std::string path = STAROPE_SHARED_DIR "/data/traces/sepsis_v0_traces.csv";
  SKIP_WITHOUT(path);
  SKIP_WITHOUT(v0_file);
  const IcuSepsis& s = sepsis(v0_file);
  const TabularPolicy behavior = s.behavior();
  const auto rows = starope::testing::read_csv_rows(path);
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
    const TabularPolicy& policy = row.text("policy") == "pi_e" ? s.expert() : behavior;
    const std::int32_t from = variant == "star_repo" ? start : seen;
    mismatches += seen != row.integer("s_obs") || from != row.integer("s_row") ? 1 : 0;
    const std::int32_t action = sample_action(policy.row(seen), draws->uniform());
    mismatches += action != row.integer("a") ? 1 : 0;
    mismatches += std::abs(s.expert().probability(seen, action) - row.number("pi_e")) > 1e-15 ? 1 : 0;
    mismatches += std::abs(behavior.probability(seen, action) - row.number("pi_b")) > 1e-15 ? 1 : 0;
    const Outcome outcome = s.mdp().outcome_at(from, action, draws->uniform());
    mismatches += outcome.next != row.integer("sp") || outcome.reward != row.number("reward") ? 1 : 0;
    mismatches += s.mdp().is_terminal(outcome.next) != (row.text("done") == "1") ? 1 : 0;
    seen = outcome.next;
  }
  EXPECT_EQ(mismatches, 0);
}

TEST(IcuSepsis, MonteCarloApproachesTheExactValues) {
  SKIP_WITHOUT(v0_file);
  const IcuSepsis& s = sepsis(v0_file);
  for (const bool frozen : {false, true}) {
    const IcuSepsisOptions variant{.frozen_row = frozen};
    const auto result = monte_carlo_value(s, s.expert(), {.episodes = 60'000, .seed = Seed{5}}, variant);
    EXPECT_NEAR(result.value, exact_value(s, s.expert(), Discount{1.0}, Horizon{150}, variant),
                4 * result.standard_error);
    EXPECT_NEAR(result.mean_length, frozen ? 11.13 : 9.642, 0.3);
  }
}

TEST(SimulateIcuSepsis, LogsStatesOrFeatures) {
  SKIP_WITHOUT(v0_file);
  const IcuSepsis& s = sepsis(v0_file);
  const SimulateOptions options{.episodes = 200};
  const Dataset ids = simulate(s, s.behavior(), s.expert(), options);
  const Dataset features = simulate(s, s.behavior(), s.expert(), options, {.features = true});
  const auto& discrete = std::get<DiscreteStates>(ids.states());
  const auto& dense = std::get<DenseStates>(features.states());
  EXPECT_LT(discrete.ids.back(), 744);
  ASSERT_EQ(dense.dimension, 47);
  ASSERT_EQ(features.state_rows(), ids.state_rows());
  for (std::size_t i = 0; i < discrete.code.size(); ++i) {
    const auto id = static_cast<std::size_t>(discrete.ids[static_cast<std::size_t>(discrete.code[i])]);
    ASSERT_EQ(dense.values[47 * i + 31], s.features().values[47 * id + 31]);
  }
  double survived = 0.0;
  for (const double r : ids.rewards()) survived += r;
  EXPECT_NEAR(survived / 200, 0.759, 0.13);
}

TEST(IcuSepsis, RefusesTablesThatDoNotFitTogether) {
  const auto tables = [] {
    IcuSepsisTables t{.transitions = TransitionRows(4, IcuSepsis::actions)};
    const std::vector<double> to_survival{0, 0, 1, 0}, reward{0, 0, 1, 0};
    for (int i = 0; i < 4 * IcuSepsis::actions; ++i) t.transitions.add(to_survival, reward);
    t.start = {1, 0, 0, 0};
    t.expert_policy.assign(4 * IcuSepsis::actions, 1.0 / IcuSepsis::actions);
    t.features.assign(4 * 47, 0.5);
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
}  // namespace starope::envs
