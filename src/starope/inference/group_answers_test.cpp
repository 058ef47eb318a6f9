#include "starope/inference/group_answers.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/rng/random.hpp"
#include "starope/stats/moments.hpp"
#include "starope/stats/quantile.hpp"

namespace starope {
namespace {

// Values of an on-policy mean: the influence of an episode is its return minus the mean.
Estimate mean_of(const std::vector<double>& returns) {
  const Moments all = moments(returns);
  Estimate estimate{.value = all.mean(), .std_error = all.standard_error(), .influence = returns};
  for (double& x : estimate.influence) x -= all.mean();
  return estimate;
}

std::vector<double> random_returns(std::size_t n, std::uint64_t seed) {
  Random random(Seed{seed}, Stream::test_data, 0);
  std::vector<double> returns(n);
  for (double& x : returns) x = random.normal();
  return returns;
}

// The group of a mean is the mean of the group, and its standard error that of the group alone.
TEST(GroupAnswers, AreTheMeansOfGroups) {
  std::vector<double> target = random_returns(60, 1), logged = random_returns(60, 2);
  std::vector<std::int32_t> group_of(60, 0);
  std::vector<double> of_second, difference;
  for (std::size_t i = 0; i < 60; ++i) {
    if (i % 3 != 0) continue;
    group_of[i] = 1;
    of_second.push_back(target[i]);
    difference.push_back(target[i] - logged[i]);
  }
  const auto groups =
      group_answers(mean_of(target), mean_of(logged), group_of, std::vector<std::string>{"a", "b"}, Level{0.95});
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[1].group, "b");
  EXPECT_EQ(groups[1].episodes, 20);
  EXPECT_NEAR(groups[1].value, moments(of_second).mean(), 1e-12);
  EXPECT_NEAR(groups[1].std_error.value(), moments(of_second).standard_error(), 1e-9);
  EXPECT_NEAR(groups[1].difference.value, moments(difference).mean(), 1e-12);
  EXPECT_NEAR(groups[1].difference.std_error.value(), moments(difference).standard_error(), 1e-9);
  // They add up to the whole.
  EXPECT_NEAR((40.0 * groups[0].value + 20.0 * groups[1].value) / 60.0, mean_of(target).value, 1e-12);
}

// Two groups at 95 %: each interval has the level sqrt(0.95).
TEST(GroupAnswers, IntervalsHoldForAllGroupsAtOnce) {
  std::vector<double> returns;
  std::vector<std::int32_t> group_of;
  for (int i = 0; i < 80; ++i) {
    returns.push_back(i % 2 == 0 ? 1.0 : -1.0);
    group_of.push_back(i < 40 ? 0 : 1);
  }
  const auto groups = group_answers(mean_of(returns), mean_of(std::vector<double>(80, 0.0)), group_of,
                                    std::vector<std::string>{"a", "b"}, Level{0.95});
  const double error = groups[0].std_error.value();  // 40 scores of one size: 39 degrees of freedom
  EXPECT_NEAR(groups[0].interval->upper, error * student_t_quantile(0.5 + 0.5 * std::sqrt(0.95), 39.0), 1e-9);
  EXPECT_EQ(groups[0].interval->level, 0.95);
  EXPECT_NEAR(groups[0].difference.interval->upper, groups[0].interval->upper, 1e-9);
}

TEST(GroupAnswers, TooFewIsSaid) {
  const std::vector<double> returns = random_returns(100, 3);
  std::vector<std::int32_t> group_of(100, 0);
  for (std::size_t i = 0; i < 19; ++i) group_of[i] = 1;
  const auto groups = group_answers(mean_of(returns), mean_of(random_returns(100, 4)), group_of,
                                    std::vector<std::string>{"many", "few", "none"}, Level{0.95});
  EXPECT_FALSE(groups[0].too_few);
  EXPECT_TRUE(groups[0].interval && groups[0].difference.interval);
  EXPECT_TRUE(groups[1].too_few);
  EXPECT_FALSE(groups[1].interval || groups[1].difference.interval);
  EXPECT_TRUE(groups[2].too_few);
  EXPECT_EQ(groups[2].episodes, 0);
}

// One episode that outweighs all others is as good as few.
TEST(GroupAnswers, OneHugeEpisodeIsTooFew) {
  std::vector<double> returns = random_returns(100, 5);
  returns[7] = 1e3;
  const auto groups = group_answers(mean_of(returns), mean_of(random_returns(100, 6)),
                                    std::vector<std::int32_t>(100, 0), std::vector<std::string>{"all"}, Level{0.95});
  EXPECT_TRUE(groups[0].too_few);
}

TEST(GroupAnswers, NothingWithoutInfluence) {
  EXPECT_TRUE(group_answers({.value = 1.0}, mean_of({1.0, 2.0}), std::vector<std::int32_t>{0, 0},
                            std::vector<std::string>{"a"}, Level{0.95})
                  .empty());
}

// Simulated truth: four groups with values of their own; all intervals hold at once in about 95 of 100 data sets.
TEST(GroupAnswers, CoverAllGroupsAtOnce) {
  constexpr int trials = 400;
  int covered = 0;
  for (int trial = 0; trial < trials; ++trial) {
    Random random(Seed{11}, Stream::test_data, static_cast<std::uint64_t>(trial));
    std::vector<double> target, logged;
    std::vector<std::int32_t> group_of;
    for (int i = 0; i < 600; ++i) {  // so many that no group has too few
      const int g = static_cast<int>(random.below(4));
      const double common = random.normal();
      logged.push_back(common + g);
      target.push_back(common + 0.5 * random.normal() + 2.0 * g);
      group_of.push_back(g);
    }
    const auto groups = group_answers(mean_of(target), mean_of(logged), group_of,
                                      std::vector<std::string>{"0", "1", "2", "3"}, Level{0.95});
    bool all = true;
    for (std::size_t g = 0; g < 4; ++g) {
      const auto truth = static_cast<double>(g);
      ASSERT_TRUE(groups[g].difference.interval.has_value());
      all = all && groups[g].difference.interval->lower <= truth && truth <= groups[g].difference.interval->upper;
    }
    covered += all ? 1 : 0;
  }
  // Three standard errors of a share of 400: 0.033.
  EXPECT_NEAR(covered / static_cast<double>(trials), 0.95, 0.033);
}

}  // namespace
}  // namespace starope
