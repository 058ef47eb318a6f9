#include "starope/checks/reward_fit.hpp"

#include <gtest/gtest.h>

#include "starope/checks/testing.hpp"

namespace starope {
namespace {

using testing::number;
using testing::small_world;

TEST(RewardFit, RewardsInTheirRows) {
  for (std::uint64_t seed = 0; seed < 5; ++seed)
    EXPECT_FALSE(misplaced_rewards(small_world(150, Seed{seed}).dataset()).has_value()) << seed;
}

TEST(RewardFit, OneRowLateOrEarly) {
  testing::SmallWorld world = small_world(150, Seed{1});
  const std::vector<double> reward = world.reward;
  world.reward = testing::moved(world, reward, 1);
  const auto late = misplaced_rewards(world.dataset());
  ASSERT_TRUE(late.has_value());
  EXPECT_EQ(late->code, "rewards_late");
  EXPECT_NEAR(number(*late, "other"), 1.0, 1e-9);  // the regression has the form of the reward
  EXPECT_LT(number(*late, "own"), 0.9);
  world.reward = testing::moved(world, reward, -1);
  const auto early = misplaced_rewards(world.dataset());
  ASSERT_TRUE(early.has_value());
  EXPECT_EQ(early->code, "rewards_fit_next");
}

TEST(RewardFit, PaidOnArrivalIsNoMistake) {
  testing::SmallWorld world = small_world(150, Seed{1});
  for (std::int64_t i = 0; i + 1 < world.steps(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    world.reward[k] = -world.x[k + 1] * world.x[k + 1];
  }
  EXPECT_FALSE(misplaced_rewards(world.dataset()).has_value());
}

TEST(RewardFit, ConstantRewardsAndShortLogsSayNothing) {
  testing::SmallWorld world = small_world(150, Seed{1});
  world.reward = testing::moved(world, world.reward, 1);
  EXPECT_FALSE(misplaced_rewards(world.dataset().take(0, 20)).has_value());
  for (double& r : world.reward) r = 1.0;
  EXPECT_FALSE(misplaced_rewards(world.dataset()).has_value());
}

}  // namespace
}  // namespace starope
