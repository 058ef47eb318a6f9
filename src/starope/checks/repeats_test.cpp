#include "starope/checks/repeats.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "starope/checks/testing.hpp"
#include "starope/data/log_vectors.hpp"

namespace starope {
namespace {

using testing::small_world;
using testing::SmallWorld;

// Some rows twice, one behind the other.
SmallWorld doubled(const SmallWorld& world, double share) {
  SmallWorld result;
  result.length = world.length;
  Random random(Seed{3}, Stream::test_data, 1);
  for (std::int64_t i = 0; i < world.steps(); ++i) {
    for (int copy = random.uniform() < share ? 0 : 1; copy < 2; ++copy) {
      result.x.push_back(world.x[i]);
      result.v.push_back(world.v[i]);
      result.action.push_back(world.action[i]);
      result.reward.push_back(world.reward[i]);
      result.behavior.push_back(world.behavior[i]);
      result.target.push_back(world.target[i]);
    }
  }
  // Episodes of the same length again: where they end plays no role here.
  const auto whole = static_cast<std::size_t>(result.steps() / result.length * result.length);
  for (auto* column : {&result.x, &result.v, &result.reward, &result.behavior, &result.target}) column->resize(whole);
  result.action.resize(whole);
  return result;
}

TEST(Repeats, RowsThatComeTwice) {
  const SmallWorld world = small_world(300, Seed{1});
  EXPECT_EQ(repeats_in(world.dataset()).rows, 0);  // no state comes again
  EXPECT_FALSE(repeated_rows(world.dataset()));
  const auto found = repeated_rows(doubled(world, 1.0).dataset());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->code, "repeated_rows");
  EXPECT_EQ(testing::number(*found, "repeats"), testing::number(*found, "rows"));
  EXPECT_TRUE(repeated_rows(doubled(world, 0.1).dataset()));
  EXPECT_FALSE(repeated_rows(doubled(world, 0.005).dataset()));  // too few to change an answer
}

// A world that stays where it is for a while, with rewards that are always the same: rows are alike by chance, and as
// often as the probabilities of their actions say.
Dataset standing_still(std::int64_t episodes, double stays, double likely, Seed seed, double logged = 0.0) {
  testing::LogVectors logs;
  logs.action_count = 2;
  Random random(seed, Stream::test_data, 0);
  std::vector<double> states;
  for (std::int64_t e = 0; e < episodes; ++e) {
    double x = random.normal();
    for (int t = 0; t < 20; ++t) {
      const int action = random.uniform() < likely ? 1 : 0;
      const double p = logged > 0.0 ? logged : likely;
      states.push_back(x);
      logs.actions.push_back(action);
      logs.rewards.push_back(0.0);
      logs.behavior.push_back(action == 1 ? p : 1.0 - p);
      logs.target.push_back(0.5);
      if (random.uniform() >= stays) x = random.normal();
    }
    logs.end_episode();
  }
  logs.states = DenseStates{.dimension = 1, .values = std::move(states)};
  return std::move(logs).dataset();
}

TEST(Repeats, RowsThatAreAlikeByChance) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    EXPECT_FALSE(repeated_rows(standing_still(60, 0.8, 0.5, Seed{seed}))) << seed;
    EXPECT_FALSE(repeated_rows(standing_still(60, 1.0, 0.9, Seed{seed}))) << seed;
  }
  const Repeats seen = repeats_in(standing_still(2000, 0.8, 0.7, Seed{1}));
  EXPECT_NEAR(static_cast<double>(seen.rows), 2000 * 19 * 0.8, 400);
  // The mean of p is 0.7 * 0.7 + 0.3 * 0.3, and so often the action comes again.
  EXPECT_NEAR(seen.expected / static_cast<double>(seen.rows), 0.58, 0.01);
  EXPECT_NEAR(static_cast<double>(seen.repeats) / static_cast<double>(seen.rows), 0.58, 0.01);
}

// An action that is certain comes again: that is no mistake. One that is only said to be a coin toss is.
TEST(Repeats, WhatIsCertainComesAgain) {
  EXPECT_FALSE(repeated_rows(standing_still(100, 1.0, 1.0, Seed{1})));
  const Dataset data = standing_still(100, 1.0, 0.9, Seed{1}, 0.5);  // comes more often than is logged
  EXPECT_TRUE(repeated_rows(data));
}

}  // namespace
}  // namespace starope
