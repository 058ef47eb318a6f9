#include "starope/checks/reward_units.hpp"

#include <gtest/gtest.h>

#include <cstddef>

#include "starope/checks/testing.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

using testing::number;
using testing::small_world;
using testing::SmallWorld;

// A reward of 1 in every row, as in a pole that stays upright.
SmallWorld constant_world(std::int64_t episodes, Seed seed) {
  SmallWorld world = small_world(episodes, seed);
  world.reward.assign(world.reward.size(), 1.0);
  return world;
}

TEST(RewardUnits, ConstantRewardsWithHalfOfThemAThousandfold) {
  SmallWorld world = constant_world(100, Seed{1});
  EXPECT_FALSE(multiplied_rewards(world.dataset()));
  Random random(Seed{2}, Stream::test_data, 0);
  for (double& reward : world.reward) reward *= random.uniform() < 0.5 ? 1000.0 : 1.0;
  const auto found = multiplied_rewards(world.dataset());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->code, "reward_units");
  EXPECT_DOUBLE_EQ(number(*found, "factor"), 1000.0);
  EXPECT_NEAR(number(*found, "share"), 0.5, 0.05);
}

TEST(RewardUnits, AThirdOfTheEpisodesInAnotherUnit) {
  SmallWorld world = constant_world(100, Seed{3});
  for (std::size_t i = 0; i < world.reward.size(); ++i) {
    world.reward[i] = world.action[i] == 1 ? -0.5 : 2.0;
    if (i / static_cast<std::size_t>(world.length) % 3 == 0) world.reward[i] *= 100.0;
  }
  const auto found = multiplied_rewards(world.dataset());
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(number(*found, "factor"), 100.0);
}

TEST(RewardUnits, SizesThatPairInTwoWays) {
  SmallWorld world = constant_world(300, Seed{8});
  Random random(Seed{9}, Stream::test_data, 0);
  for (std::size_t i = 0; i < world.reward.size(); ++i) {
    const bool last = (i + 1) % static_cast<std::size_t>(world.length) == 0;
    world.reward[i] = (last ? 1.0 : -0.01) * (random.uniform() < 0.5 ? 1000.0 : 1.0);
  }
  const auto found = multiplied_rewards(world.dataset());  // 0.01 to 1 and 10 to 1,000 go with the last row
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(number(*found, "factor"), 1000.0);
}

TEST(RewardUnits, APrizeThatDependsOnTheWorldIsNoUnit) {
  const SmallWorld base = constant_world(100, Seed{4});
  SmallWorld at_the_end = base, by_action = base, by_state = base;
  for (std::size_t i = 0; i < base.reward.size(); ++i) {
    const bool last = (i + 1) % static_cast<std::size_t>(base.length) == 0;
    if (last) at_the_end.reward[i] = 100.0;
    if (base.action[i] == 1) by_action.reward[i] = -1000.0;
    if (base.x[i] > 0.5) by_state.reward[i] = 100.0;
  }
  EXPECT_FALSE(multiplied_rewards(at_the_end.dataset()));
  EXPECT_FALSE(multiplied_rewards(by_action.dataset()));
  EXPECT_FALSE(multiplied_rewards(by_state.dataset()));
}

TEST(RewardUnits, OtherFactorsAndUnpairedSizesSayNothing) {
  SmallWorld world = constant_world(100, Seed{5});
  Random random(Seed{6}, Stream::test_data, 0);
  SmallWorld unpaired = world;
  for (std::size_t i = 0; i < world.reward.size(); ++i) {
    const bool second = random.uniform() < 0.5;
    world.reward[i] = second ? 70.0 : 1.0;
    unpaired.reward[i] = second ? 100.0 : (random.uniform() < 0.5 ? 1.0 : 3.0);
  }
  EXPECT_FALSE(multiplied_rewards(world.dataset()));
  EXPECT_FALSE(multiplied_rewards(unpaired.dataset()));
  EXPECT_FALSE(multiplied_rewards(small_world(100, Seed{7}).dataset())) << "many sizes are not this check's";
}

}  // namespace
}  // namespace starope
