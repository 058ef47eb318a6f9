#include "starope/domains/asterix.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/data.hpp"
#include "starope/domains/csv_rows.hpp"
#include "starope/domains/numpy_draws.hpp"
#include "starope/error.hpp"
#include "support/test_data.hpp"

namespace starope::domains {
namespace {

using starope::testing::CsvRow;
using starope::testing::NumpyDraws;
using starope::testing::read_csv_rows;

static_assert(FeatureDomain<Asterix>);

Asterix::State recorded_state(const CsvRow& row) {
  Asterix::State s;
  s.x = row.integer("player_x");
  s.y = row.integer("player_y");
  for (std::size_t k = 0; k < s.entities.size(); ++k) {
    const std::string& cell = row.text("row" + std::to_string(k + 1));
    if (cell == "-") continue;
    const auto parts = starope::testing::split_cells(cell, ':');
    s.entities[k] = {
        .x = std::stoi(parts.at(0)), .present = true, .moves_right = parts.at(1) == "1", .is_gold = parts.at(2) == "1"};
  }
  s.spawn_period = row.integer("spawn_speed");
  s.spawn_timer = row.integer("spawn_timer");
  s.move_period = row.integer("move_speed");
  s.move_timer = row.integer("move_timer");
  s.ramp_timer = row.integer("ramp_timer");
  s.ramp_index = row.integer("ramp_index");
  s.time_left = row.integer("time_left");
  s.terminal = row.text("terminal") == "1";
  return s;
}

std::string ones(const Asterix& world, const Asterix::State& state) {
  std::vector<double> seen(Asterix::features);
  world.observe(state, seen);
  std::string text;
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (seen[i] == 1.0) text += (text.empty() ? "" : ";") + std::to_string(i);
  return text;
}

// Replays every recorded episode of a file; draw(row, state) says what spawns where a spawn is due.
template <class Draw>
void replay(const std::string& file, std::size_t size, const Draw& draw) {
  const auto rows = read_csv_rows(file);
  ASSERT_EQ(rows.size(), size);
  Asterix world;
  Asterix::State state;
  int mismatches = 0, spawns = 0;
  for (const CsvRow& row : rows) {
    if (row.text("t") == "-1") {
      world = Asterix(row.integer("time_limit"));
      state = world.reset();
    } else {
      mismatches += Asterix::spawn_due(state) != (row.text("spawn_due") == "1") ? 1 : 0;
      if (Asterix::spawn_due(state)) {
        ++spawns;
        mismatches += Asterix::free_rows(state) != row.integer("n_free") ? 1 : 0;
        Asterix::spawn(state, draw(row, state));
      }
      const Transition transition = Asterix::act(state, row.integer("action"));
      mismatches += transition.reward != row.number("reward") ? 1 : 0;
      mismatches += transition.terminated != (row.text("terminal") == "1") ? 1 : 0;
    }
    mismatches += state != recorded_state(row) ? 1 : 0;
    mismatches += ones(world, state) != row.text("obs_on") ? 1 : 0;
  }
  EXPECT_EQ(mismatches, 0);
  EXPECT_GT(spawns, 300);
}

template <class Draw>
void replay(const Draw& draw) {
  replay(starope::testing::committed_file("traces/asterix_traces.csv"), 1778, draw);
  if (const auto more = starope::testing::shared_file("data/traces/asterix_traces.csv")) replay(*more, 4950, draw);
}

TEST(Asterix, FollowsRecordedGamesWithTheRecordedDraws) {
  replay([](const CsvRow& row, const Asterix::State&) {
    return Asterix::Spawn{.moves_right = row.number("u_lr") < 0.5,
                          .is_gold = row.number("u_gold") < 1.0 / 3.0,
                          .row = row.empty("slot_draw") ? 0 : row.integer("slot_draw")};
  });
}

TEST(Asterix, FollowsRecordedGamesWithTheGeneratorThatMadeThem) {
  std::string episode;
  NumpyDraws draws(0);
  replay([&](const CsvRow& row, const Asterix::State& state) {
    if (row.text("ep") != episode) {
      episode = row.text("ep");
      draws = NumpyDraws(static_cast<std::uint32_t>(row.integer("seed")));
    }
    Asterix::Spawn what;
    what.moves_right = draws.uniform() < 0.5;
    what.is_gold = draws.uniform() < 1.0 / 3.0;
    if (Asterix::free_rows(state) > 0) what.row = draws.below(Asterix::free_rows(state));
    return what;
  });
}

TEST(Asterix, ThePlayerStaysOnItsRows) {
  Asterix::State state = Asterix().reset();
  for (int i = 0; i < 9; ++i) Asterix::act(state, Asterix::up);
  EXPECT_EQ(state.y, 1);
  for (int i = 0; i < 9; ++i) Asterix::act(state, Asterix::left);
  EXPECT_EQ(state.x, 0);
  for (int i = 0; i < 9; ++i) Asterix::act(state, Asterix::down);
  EXPECT_EQ(state.y, 8);
}

TEST(Asterix, GoldIsTakenAndEnemiesEndTheGame) {
  Asterix::State state = Asterix().reset();
  state.entities[4] = {.x = 4, .present = true, .moves_right = true, .is_gold = true};
  Asterix::State other = state;
  other.entities[4].is_gold = false;
  const Transition rich = Asterix::act(state, Asterix::left);
  EXPECT_DOUBLE_EQ(rich.reward, 10.1);
  EXPECT_FALSE(rich.terminated);
  EXPECT_FALSE(state.entities[4].present);
  const Transition dead = Asterix::act(other, Asterix::left);
  EXPECT_DOUBLE_EQ(dead.reward, 0.1);
  EXPECT_TRUE(dead.terminated);
  EXPECT_TRUE(other.entities[4].present);
  // Nothing changes after the end.
  const Asterix::State before = other;
  EXPECT_TRUE(Asterix::act(other, Asterix::up).terminated);
  EXPECT_EQ(other, before);
}

TEST(Asterix, EntitiesTakeTheChosenFreeRow) {
  Asterix::State state = Asterix().reset();
  state.entities[0].present = true;
  state.entities[2].present = true;
  Asterix::spawn(state, {.moves_right = false, .is_gold = true, .row = 1});  // free: 1, 3, 4, ...
  EXPECT_TRUE(state.entities[3].present);
  EXPECT_EQ(state.entities[3].x, 9);
  EXPECT_EQ(Asterix::free_rows(state), 5);
  for (auto& e : state.entities) e.present = true;
  state.spawn_timer = 0;
  Asterix::spawn(state, {});
  EXPECT_EQ(state.spawn_timer, 10);
}

TEST(Asterix, FeatureNamesMatchTheBits) {
  const auto names = Asterix().feature_names();
  ASSERT_EQ(names.size(), 400u);
  EXPECT_EQ(names[220], "player_5_5");
  EXPECT_EQ(names[3], "gold_0_0");
  EXPECT_EQ(names[399], "gold_9_9");
}

TEST(Asterix, RefusesAGameWithoutTime) {
  EXPECT_THROW(Asterix(0), InvalidArgument);
}

TEST(Asterix, MonteCarloValuesAgreeWithLongReferenceRuns) {
  const auto expect = [](const AsterixPolicy& policy, double value, double error, double length) {
    const auto result = monte_carlo_value(Asterix{}, policy, {.episodes = 100'000, .seed = Seed{7}});
    EXPECT_NEAR(result.value, value, 4 * std::hypot(result.standard_error, error));
    EXPECT_NEAR(result.mean_length, length, 0.5);
  };
  expect(AsterixPolicy::uniform(), 8.790, 0.005, 55.2);
  expect(AsterixPolicy::sideways(), 8.631, 0.004, 57.75);
}

TEST(SimulateAsterix, LogsTheDocumentedRatiosAndBits) {
  const Dataset data = simulate(Asterix{}, AsterixPolicy::uniform(), AsterixPolicy::sideways(), {.episodes = 20});
  EXPECT_LE(data.longest(), 75);
  const auto& states = std::get<DenseStates>(data.states());
  EXPECT_EQ(states.dimension, 400);
  EXPECT_EQ(states.values[220], 1.0);  // the player starts in the middle
  const auto& actions = std::get<DiscreteActions>(data.actions());
  const std::array<double, 6> ratios{0.06, 2.4, 0.3, 3.0, 0.12, 0.12};
  for (std::size_t i = 0; i < data.rewards().size(); ++i) {
    const double ratio = data.target()->values[i] / data.behavior()->values[i];
    ASSERT_NEAR(ratio, ratios[actions.id[i]], 1e-12);
    ASSERT_TRUE(data.rewards()[i] == 0.1 || data.rewards()[i] == 10.1);
  }
}

TEST(SimulateAsterix, BitsAreTheSameStatesInASmallFractionOfTheMemory) {
  SimulateOptions options{.episodes = 300};
  const auto logs = [&] { return simulate(Asterix{}, AsterixPolicy::uniform(), AsterixPolicy::sideways(), options); };
  const Dataset dense = logs();
  options.features_as_bits = true;
  const Dataset packed = logs();
  const auto& bits = std::get<BinaryStates>(packed.states());
  EXPECT_GT(packed.truncated_episodes(), 0);  // so that final states are among them
  EXPECT_EQ(bits.words.size(), packed.state_rows() * 7);
  EXPECT_EQ(to_dense(bits), std::get<DenseStates>(dense.states()));
}

}  // namespace
}  // namespace starope::domains
