#include "starope/checks/zero_means.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/rng/random.hpp"

namespace starope {
namespace {

ZeroMeans two_episodes() {
  ZeroMeans means(2);
  means.add(0, 1.0);
  means.add(0, 2.0);
  means.add(1, -4.0, 9.0, 5.0);
  means.close_episode();
  means.add(0, -1.0);
  means.close_episode();
  return means;
}

TEST(ZeroMeans, AddsUpEpisodesNotSteps) {
  const ZeroMeans means = two_episodes();
  EXPECT_EQ(means[0].sum, 2.0);
  EXPECT_EQ(means[0].squares, 3.0 * 3.0 + 1.0);
  EXPECT_EQ(means[0].largest, 3.0);
  EXPECT_EQ(means[0].terms, 3);
  EXPECT_EQ(means[0].episodes, 2);
  EXPECT_DOUBLE_EQ(means[0].mean(), 2.0 / 3.0);
  EXPECT_EQ(means[1].episodes, 1);
  EXPECT_EQ(means[1].largest, 5.0);
  EXPECT_EQ(means[1].spread(), 4.0);  // what was seen is more than what was known
}

TEST(ZeroMeans, MergingIsAdding) {
  ZeroMeans twice = two_episodes();
  twice += two_episodes();
  EXPECT_EQ(twice[0].sum, 4.0);
  EXPECT_EQ(twice[0].squares, 20.0);
  EXPECT_EQ(twice[0].largest, 3.0);
  EXPECT_EQ(twice[0].terms, 6);
  EXPECT_EQ(twice[1].variance, 18.0);
}

TEST(ZeroMeans, ErrorsSolveBernsteinsEquation) {
  const ZeroMean mean{.sum = -30.0, .squares = 16.0, .largest = 2.0, .terms = 100, .episodes = 50};
  const double x = mean.errors();
  EXPECT_NEAR(x * 4.0 + 2.0 * x * x / 3.0, 30.0, 1e-12);
  EXPECT_LT(x, 30.0 / 4.0);  // fewer than without the allowance
  EXPECT_EQ(ZeroMean{}.errors(), 0.0);
  // One episode decides nothing, however far away it is.
  const ZeroMean single{.sum = 1e6, .squares = 1e12, .largest = 1e6, .terms = 10, .episodes = 1};
  EXPECT_LT(single.errors(), 1.0);
}

TEST(ZeroMeans, BonferroniLimits) {
  EXPECT_NEAR(errors_allowed(1, 0.05), 1.959964, 1e-6);
  EXPECT_NEAR(errors_allowed(50, 0.05), 3.290527, 1e-6);
}

// Rare large terms, the hardest case: 0.01 with probability 1/101 of -1 each.
TEST(ZeroMeans, KnownVarianceKeepsRareTermsFromAlarming) {
  int alarms = 0;
  for (std::uint64_t trial = 0; trial < 400; ++trial) {
    Random random(Seed{trial}, Stream::test_data, 7);
    ZeroMeans means(1);
    for (int i = 0; i < 150; ++i) {
      means.add(0, random.uniform() < 1.0 / 101.0 ? -1.0 : 0.01, 0.01, 1.0);
      means.close_episode();
    }
    alarms += means[0].errors() > errors_allowed(1, 0.01) ? 1 : 0;
  }
  EXPECT_LE(alarms, 8);  // 4 expected, at most
}

}  // namespace
}  // namespace starope
