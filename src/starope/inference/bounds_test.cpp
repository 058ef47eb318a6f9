#include "starope/inference/bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "starope/rng/random.hpp"

namespace starope {
namespace {

constexpr ValueRange zero_to_one{0.0, 1.0};
using Bound = Interval (*)(std::span<const double>, ValueRange, Level);

TEST(Bounds, HoeffdingHasItsKnownWidth) {
  // ln(2 / 0.05) = 3.688879, / 200, root: 0.135810.
  const std::vector<double> values(100, 0.5);
  const Interval interval = hoeffding_interval(values, zero_to_one, Level{0.95});
  EXPECT_NEAR(interval.lower, 0.5 - 0.1358102, 1e-6);
  EXPECT_NEAR(interval.upper, 0.5 + 0.1358102, 1e-6);
  EXPECT_EQ(interval.method, "hoeffding");
}

TEST(Bounds, EmpiricalBernsteinHasItsKnownWidth) {
  // Half zeros and half ones: variance 100/99 / 4 = 0.252525; ln(4 / 0.05) = 4.382027.
  std::vector<double> values(100, 0.0);
  for (std::size_t i = 0; i < 50; ++i) values[i] = 1.0;
  const Interval interval = empirical_bernstein_interval(values, zero_to_one, Level{0.95});
  const double reach = std::sqrt(2.0 * 0.2525252525 * 4.3820266347 / 100.0) + 7.0 * 4.3820266347 / (3.0 * 99.0);
  EXPECT_NEAR(interval.upper, 0.5 + reach, 1e-9);
  EXPECT_NEAR(interval.lower, 0.5 - reach, 1e-9);
  // Values without spread leave the part of the range only: 7 ln(80) / (3 * 99).
  EXPECT_NEAR(empirical_bernstein_interval(std::vector<double>(100, 0.5), zero_to_one, Level{0.95}).upper,
              0.5 + 0.1032801, 1e-6);
}

TEST(Bounds, AndersonMovesTheBandOfMassToTheEnds) {
  // Four values, band e = sqrt(ln(2 / 0.5) / 8) = 0.4162773 at level 0.5. Lower: mass e goes from the largest values to
  // 0; 0.25 from 0.8, the rest 0.1662773 from 0.6. Upper: the same from the smallest to 1.
  const std::vector<double> values{0.8, 0.2, 0.6, 0.4};
  const double e = std::sqrt(std::log(4.0) / 8.0);
  const Interval interval = anderson_interval(values, zero_to_one, Level{0.5});
  EXPECT_NEAR(interval.lower, 0.5 - 0.25 * 0.8 - (e - 0.25) * 0.6, 1e-12);
  EXPECT_NEAR(interval.upper, 0.5 + 0.25 * 0.8 + (e - 0.25) * 0.6, 1e-12);
  // Anderson's bound is never wider than Hoeffding's: the band has the same width.
  const Interval wide = hoeffding_interval(values, zero_to_one, Level{0.5});
  EXPECT_GE(interval.lower, wide.lower);
  EXPECT_LE(interval.upper, wide.upper);
}

TEST(Bounds, StayInTheRange) {
  const std::vector<double> one{0.9};
  for (const Bound bound : {&hoeffding_interval, &empirical_bernstein_interval, &anderson_interval}) {
    const Interval interval = bound(one, zero_to_one, Level{0.95});
    EXPECT_GE(interval.lower, 0.0);
    EXPECT_LE(interval.upper, 1.0);
    EXPECT_LT(interval.lower, interval.upper);
  }
}

TEST(Bounds, MoveAndScaleWithTheValues) {
  const std::vector<double> values{0.1, 0.5, 0.7, 0.2}, moved{12.0, 20.0, 24.0, 14.0};  // 10 + 20 x
  for (const Bound bound : {&hoeffding_interval, &empirical_bernstein_interval, &anderson_interval}) {
    const Interval a = bound(values, zero_to_one, Level{0.8}), b = bound(moved, {10.0, 30.0}, Level{0.8});
    EXPECT_NEAR(b.lower, 10.0 + 20.0 * a.lower, 1e-12);
    EXPECT_NEAR(b.upper, 10.0 + 20.0 * a.upper, 1e-12);
  }
}

TEST(Bounds, GetNarrowerWithMoreValues) {
  for (const Bound bound : {&hoeffding_interval, &empirical_bernstein_interval, &anderson_interval}) {
    double before = 2.0;
    for (const std::size_t n : {20U, 200U, 2000U, 20000U}) {
      std::vector<double> values;
      for (std::size_t i = 0; i < n; ++i) values.push_back(static_cast<double>(i % 10) / 10.0);
      const Interval interval = bound(values, zero_to_one, Level{0.95});
      EXPECT_LT(interval.upper - interval.lower, before);
      before = interval.upper - interval.lower;
    }
    EXPECT_LT(before, 0.04);
  }
}

// Two-sided: each side may fail half of the time that the level leaves. Rare ones, where a normal interval fails.
TEST(Bounds, HoldAtLeastAsOftenAsTheySay) {
  constexpr double truth = 0.03;
  for (const Bound bound : {&hoeffding_interval, &empirical_bernstein_interval, &anderson_interval}) {
    int below = 0, above = 0;
    for (std::uint64_t trial = 0; trial < 2000; ++trial) {
      Random random(Seed{9}, Stream::test_data, trial);
      std::vector<double> values;
      for (int i = 0; i < 30; ++i) values.push_back(random.uniform() < truth ? 1.0 : 0.0);
      const Interval interval = bound(values, zero_to_one, Level{0.8});
      below += truth < interval.lower ? 1 : 0;
      above += truth > interval.upper ? 1 : 0;
    }
    EXPECT_LE(below, 200);
    EXPECT_LE(above, 200);
  }
}

}  // namespace
}  // namespace starope
