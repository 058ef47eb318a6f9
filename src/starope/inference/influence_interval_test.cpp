#include "starope/inference/influence_interval.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace starope {
namespace {

TEST(InfluenceInterval, IsTheValueAndTStandardErrors) {
  // Eight scores of equal size: neff = 8, seven degrees of freedom, t(0.975, 7) = 2.364624.
  const Estimate e{.value = 10.0, .std_error = 2.0, .influence = {1, -1, 1, -1, 1, -1, 1, -1}};
  const auto interval = influence_interval(e, Level{0.95});
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->lower, 10.0 - 2.0 * 2.3646242510, 1e-8);
  EXPECT_NEAR(interval->upper, 10.0 + 2.0 * 2.3646242510, 1e-8);
  EXPECT_EQ(interval->level, 0.95);
  EXPECT_EQ(interval->method, "influence");
}

TEST(InfluenceInterval, NeverUsesFewerThanThreeDegreesOfFreedom) {
  const Estimate e{.value = 0.0, .std_error = 1.0, .influence = {100, -1, -1}};
  EXPECT_NEAR(influence_interval(e, Level{0.95})->upper, 3.182446305, 1e-8);
}

TEST(InfluenceInterval, HigherLevelsAreWider) {
  const Estimate e{.value = 0.0, .std_error = 1.0, .influence = std::vector<double>(100, 1.0)};
  EXPECT_LT(influence_interval(e, Level{0.9})->upper, influence_interval(e, Level{0.99})->upper);
}

TEST(InfluenceInterval, NothingWithoutAStandardError) {
  EXPECT_FALSE(influence_interval(Estimate{.value = 1.0, .std_error = 0.0, .influence = {0.0, 0.0}}, Level{0.95}));
  EXPECT_FALSE(influence_interval(Estimate{.value = 1.0}, Level{0.95}));
  EXPECT_EQ(interval_findings(Estimate{.value = 1.0})[0].code, "no_standard_error");
}

TEST(IntervalFindings, WarnWhenFewEpisodesCarryTheStandardError) {
  std::vector<double> few(100, 0.01);
  few[3] = 5.0;
  EXPECT_EQ(interval_findings({.value = 1.0, .std_error = 1.0, .influence = few})[0].code, "fragile_standard_error");
  EXPECT_TRUE(interval_findings({.value = 1.0, .std_error = 1.0, .influence = std::vector<double>(100, 1.0)}).empty());
  EXPECT_EQ(interval_findings({.value = 1.0, .std_error = 0.0, .influence = std::vector<double>(100, 0.0)})[0].code,
            "no_spread");
}

// An estimator that weighs families counts what they disagree about as well: for it, few scores are a note.
TEST(IntervalFindings, NoteThatWhereOtherErrorsAreCountedToo) {
  std::vector<double> few(100, 0.01);
  few[3] = 5.0;
  Estimate estimate{.value = 1.0, .std_error = 1.0, .influence = few};
  EXPECT_EQ(interval_findings(estimate)[0].severity, Severity::warning);
  estimate.families = {{.family = "cells", .value = 1.0, .error = 1.0, .weight = 1.0}};
  EXPECT_EQ(interval_findings(estimate)[0].code, "fragile_standard_error");
  EXPECT_EQ(interval_findings(estimate)[0].severity, Severity::info);
}

}  // namespace
}  // namespace starope
