#include "starope/domains/random_mdp.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "starope/domains/exact_value.hpp"
#include "starope/error.hpp"

namespace starope::domains {
namespace {

TEST(RandomMdp, HasTheShapeThatWasAskedFor) {
  const TabularMdp mdp = random_mdp({.states = 40, .actions = 5, .successors = 6, .exit_probability = 0.2});
  EXPECT_EQ(mdp.states(), 41);
  EXPECT_EQ(mdp.symbols(), 40);
  EXPECT_TRUE(mdp.is_terminal(40));
  double exit_sum = 0.0;
  for (std::int32_t s = 0; s < 40; ++s) {
    for (std::int32_t a = 0; a < 5; ++a) {
      const auto row = mdp.row(s, a);
      ASSERT_EQ(row.next.size(), 7u);
      EXPECT_EQ(std::set<std::int32_t>(row.next.begin(), row.next.end()).size(), 7u);
      EXPECT_EQ(row.next.back(), 40);
      EXPECT_GE(row.probability.back(), 0.1);
      EXPECT_LE(row.probability.back(), 0.3);
      exit_sum += row.probability.back();
    }
  }
  EXPECT_NEAR(exit_sum / 200, 0.2, 4 * 0.2 / std::sqrt(12.0 * 200));
}

TEST(RandomMdp, IsAFunctionOfTheSeed) {
  const auto first_reward = [](std::uint64_t seed) { return random_mdp({.seed = Seed{seed}}).row(0, 0).reward[0]; };
  EXPECT_EQ(first_reward(3), first_reward(3));
  EXPECT_NE(first_reward(3), first_reward(4));
}

TEST(RandomMdp, AliasingUsesEverySymbol) {
  const TabularMdp mdp = random_mdp({.states = 20, .symbols = 6});
  EXPECT_EQ(mdp.symbols(), 6);
  std::set<std::int32_t> seen;
  for (std::int32_t s = 0; s < 20; ++s) seen.insert(mdp.symbol(s));
  EXPECT_EQ(seen.size(), 6u);
}

TEST(RandomMdp, RewardScaleScalesTheValue) {
  const TabularMdp one = random_mdp({.seed = Seed{8}});
  const TabularMdp three = random_mdp({.reward_scale = 3.0, .seed = Seed{8}});
  const auto policy = random_policy(one.symbols(), one.actions(), {.seed = Seed{8}});
  EXPECT_NEAR(exact_value(three, policy), 3.0 * exact_value(one, policy), 1e-12);
}

TEST(RandomMdp, RefusesWhatCannotBe) {
  EXPECT_THROW(random_mdp({.states = 3, .successors = 4}), InvalidArgument);
  EXPECT_THROW(random_mdp({.states = 0}), InvalidArgument);
  EXPECT_THROW(random_mdp({.exit_probability = 0.9}), InvalidArgument);
  EXPECT_THROW(random_mdp({.states = 10, .symbols = 11}), InvalidArgument);
}

TEST(RandomPolicy, IndependentIndicesAndUniformLimit) {
  const auto a = random_policy(4, 3, {.seed = Seed{1}, .index = 0});
  const auto b = random_policy(4, 3, {.seed = Seed{1}, .index = 1});
  EXPECT_NE(a.probability(0, 0), b.probability(0, 0));
  EXPECT_NEAR(random_policy(4, 3, {.sharpness = 0.0}).probability(2, 1), 1.0 / 3, 1e-15);
  EXPECT_GT(random_policy(50, 3, {.sharpness = 20.0}).probability(0, 0) +
                random_policy(50, 3, {.sharpness = 20.0}).probability(0, 1) +
                random_policy(50, 3, {.sharpness = 20.0}).probability(0, 2),
            1.0 - 1e-12);
}

}  // namespace
}  // namespace starope::domains
