#include "starope/inference/bootstrap_interval.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/stats/quantile.hpp"

namespace starope {
namespace {

// Replicates 1, 2, ..., 999: the p-quantile is 1000 p.
Replicates ranks() {
  Replicates replicates;
  for (int i = 999; i >= 1; --i) replicates.values.push_back(i);
  return replicates;
}

TEST(SortedQuantile, LiesBetweenNeighborsInProportion) {
  const std::vector<double> sorted{10.0, 20.0, 40.0};
  EXPECT_DOUBLE_EQ(sorted_quantile(sorted, 0.25), 10.0);
  EXPECT_DOUBLE_EQ(sorted_quantile(sorted, 0.5), 20.0);
  EXPECT_DOUBLE_EQ(sorted_quantile(sorted, 0.625), 30.0);
  EXPECT_DOUBLE_EQ(sorted_quantile(sorted, 0.01), 10.0);
  EXPECT_DOUBLE_EQ(sorted_quantile(sorted, 0.99), 40.0);
}

// Not 0.05 and 0.95: a two-sided interval leaves half of the rest on either side.
TEST(BootstrapInterval, PercentilesLeaveHalfOfTheRestOnEitherSide) {
  const Estimate estimate{.value = 500.0};
  const auto interval = bootstrap_interval(estimate, ranks(), IntervalMethod::bootstrap_percentile, Level{0.95});
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->lower, 25.0, 1e-9);
  EXPECT_NEAR(interval->upper, 975.0, 1e-9);
  EXPECT_EQ(interval->method, "bootstrap-percentile");
}

TEST(BootstrapInterval, BcaIsThePercentileIntervalWithoutBiasAndSkewness) {
  const Estimate estimate{.value = 500.0, .influence = {1.0, -1.0, 2.0, -2.0}};
  const auto interval = bootstrap_interval(estimate, ranks(), IntervalMethod::bootstrap_bca, Level{0.9});
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->lower, 50.0, 1e-6);
  EXPECT_NEAR(interval->upper, 950.0, 1e-6);
}

TEST(BootstrapInterval, BcaMovesByItsFormula) {
  // Half of the replicates and the tie below 600: share 599.5 / 999. Influence 3, -1, -1, -1: a = 24 / (6 12^1.5).
  const Estimate estimate{.value = 600.0, .influence = {3.0, -1.0, -1.0, -1.0}};
  const double z0 = normal_quantile(599.5 / 999.0), a = 24.0 / (6.0 * std::pow(12.0, 1.5));
  const auto at = [&](double z) {
    const double moved = z0 + (z0 + z) / (1.0 - a * (z0 + z));
    return 1000.0 * 0.5 * std::erfc(-moved / std::sqrt(2.0));
  };
  const auto interval = bootstrap_interval(estimate, ranks(), IntervalMethod::bootstrap_bca, Level{0.9});
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->lower, at(-1.6448536269514722), 1e-6);
  EXPECT_NEAR(interval->upper, at(1.6448536269514722), 1e-6);
  EXPECT_GT(interval->lower, 50.0);
}

TEST(BootstrapInterval, StudentizedQuantilesChangeSides) {
  // Quotients (b - 500) / 10 times 2: from 500 - 2 (950 - 500) / 10 to 500 - 2 (50 - 500) / 10 with skewed errors.
  Replicates replicates = ranks();
  replicates.errors.assign(999, 10.0);
  const Estimate estimate{.value = 400.0, .std_error = 2.0};
  const auto interval = bootstrap_interval(estimate, replicates, IntervalMethod::bootstrap_studentized, Level{0.9});
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->lower, 400.0 - 2.0 * (950.0 - 400.0) / 10.0, 1e-9);
  EXPECT_NEAR(interval->upper, 400.0 - 2.0 * (50.0 - 400.0) / 10.0, 1e-9);
}

TEST(BootstrapInterval, SaysNothingWithoutSpread) {
  Replicates same;
  same.values.assign(100, 3.0);
  const Estimate estimate{.value = 3.0, .std_error = 1.0, .influence = {1.0, -1.0}};
  EXPECT_FALSE(bootstrap_interval(estimate, same, IntervalMethod::bootstrap_percentile, Level{0.9}));
  EXPECT_FALSE(bootstrap_interval(estimate, same, IntervalMethod::bootstrap_bca, Level{0.9}));
  EXPECT_FALSE(bootstrap_interval(estimate, same, IntervalMethod::bootstrap_studentized, Level{0.9}));
  EXPECT_FALSE(bootstrap_interval(Estimate{.value = -5.0}, ranks(), IntervalMethod::bootstrap_bca, Level{0.9}));
  EXPECT_FALSE(bootstrap_interval(estimate, {.values = {1.0, 2.0}}, IntervalMethod::bootstrap_percentile, Level{0.9}));
}

TEST(BootstrapInterval, StaysWithinPossibleValues) {
  const Estimate estimate{.value = 500.0, .range = ValueRange{100.0, 600.0}};
  const auto interval = bootstrap_interval(estimate, ranks(), IntervalMethod::bootstrap_percentile, Level{0.95});
  EXPECT_EQ(interval->lower, 100.0);
  EXPECT_EQ(interval->upper, 600.0);
}

}  // namespace
}  // namespace starope
