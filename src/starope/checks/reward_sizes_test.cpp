#include "starope/checks/reward_sizes.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "starope/checks/testing.hpp"

namespace starope {
namespace {

RewardSizes sizes_of(const std::vector<double>& rewards) {
  RewardSizes sizes;
  sizes.add(rewards);
  return sizes;
}

std::vector<double> costs(std::int64_t count, Seed seed) {
  Random random(seed, Stream::test_data, 0);
  std::vector<double> rewards;
  for (std::int64_t i = 0; i < count; ++i) {
    const double x = random.normal(), y = random.normal();
    rewards.push_back(-x * x - y * y);
  }
  return rewards;
}

TEST(RewardSizes, QuartersOfPowersOfTwo) {
  const RewardSizes sizes = sizes_of({1.0, -1.0, 1.18, 1.2, 2.0, 0.0, 1e300});
  constexpr std::size_t one = 128 * RewardSizes::per_octave;
  EXPECT_EQ(sizes.counts[one], 3);  // [1, 2^0.25) = [1, 1.189)
  EXPECT_EQ(sizes.counts[one + 1], 1);
  EXPECT_EQ(sizes.counts[one + 4], 1);
  EXPECT_EQ(sizes.counts.back(), 1);  // far beyond
  EXPECT_EQ(sizes.rows, 7);
  EXPECT_EQ(std::accumulate(sizes.counts.begin(), sizes.counts.end(), std::int64_t{0}), 6);
}

TEST(RewardSizes, OneUnitIsNoFinding) {
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    EXPECT_TRUE(reward_findings(sizes_of(costs(3000, Seed{seed}))).empty()) << seed;
}

TEST(RewardSizes, HalfTimesAThousandIsTwoUnits) {
  std::vector<double> rewards = costs(3000, Seed{1});
  for (std::size_t i = 0; i < rewards.size(); i += 2) rewards[i] *= 1000.0;
  const auto found = reward_findings(sizes_of(rewards));
  ASSERT_EQ(testing::codes(found), "warning:reward_units");
  EXPECT_NEAR(testing::number(found[0], "factor"), 1000.0, 200.0);
  EXPECT_NEAR(testing::number(found[0], "share"), 0.5, 0.02);
}

TEST(RewardSizes, AStepCostAndAPrizeAreNoUnits) {
  std::vector<double> rewards(3000, -0.01);
  for (std::size_t i = 0; i < rewards.size(); i += 20) rewards[i] = 100.0;
  EXPECT_TRUE(reward_findings(sizes_of(rewards)).empty());
}

TEST(RewardSizes, CodesOfMissingValuesAreOutliers) {
  std::vector<double> rewards = costs(3000, Seed{1});
  for (const std::size_t i : {5U, 700U, 2100U}) rewards[i] = -99999.0;
  const auto found = reward_findings(sizes_of(rewards));
  ASSERT_EQ(testing::codes(found), "warning:reward_outliers");
  EXPECT_EQ(testing::number(found[0], "rewards"), 3.0);
  EXPECT_NEAR(testing::number(found[0], "largest"), 99999.0, 0.1 * 99999.0);
}

TEST(RewardSizes, MergingIsAdding) {
  const std::vector<double> rewards = costs(100, Seed{3});
  RewardSizes merged = sizes_of({rewards.begin(), rewards.begin() + 40});
  merged += sizes_of({rewards.begin() + 40, rewards.end()});
  EXPECT_EQ(merged.counts, sizes_of(rewards).counts);
  EXPECT_EQ(merged.rows, 100);
}

}  // namespace
}  // namespace starope
