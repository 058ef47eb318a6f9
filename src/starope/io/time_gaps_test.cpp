#include "starope/io/time_gaps.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace starope::io {
namespace {

std::int64_t number(const Finding& finding, const std::string& name) {
  for (const FindingParameter& each : finding.parameters) {
    if (each.name == name) return std::get<std::int64_t>(each.value);
  }
  return -1;
}

TEST(TimeGaps, CountsMissingStepsAndEpisodes) {
  // Steps 2 and 5, 6 are missing in the first, none in the second, the beginning in the third.
  const std::vector<double> t = {0, 1, 3, 4, 7, 0, 1, 2, 3, 2, 3, 4, 0, 1};
  const auto found = gaps_in_t(t, {0, 5, 9, 12, 14});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->code, "gaps_in_t");
  EXPECT_EQ(found->severity, Severity::warning);
  EXPECT_EQ(number(*found, "rows"), 1 + 2 + 2);
  EXPECT_EQ(number(*found, "episodes"), 2);
}

TEST(TimeGaps, AnyUnitAndAnyStartWillDo) {
  const std::vector<double> t = {10, 20, 30, 10, 20, 30, 40};
  EXPECT_FALSE(gaps_in_t(t, {0, 3, 7}).has_value());
  const std::vector<double> gap = {10, 20, 50, 10, 20, 30, 40};
  EXPECT_EQ(number(gaps_in_t(gap, {0, 3, 7}).value(), "rows"), 2);
}

TEST(TimeGaps, ClocksHaveNoGaps) {
  const std::vector<double> seconds = {0, 17, 18, 90, 133, 0, 21, 64, 65, 80};
  EXPECT_FALSE(gaps_in_t(seconds, {0, 5, 10}).has_value());
  const std::vector<double> hours = {0.0, 0.5, 1.0, 3.0};
  EXPECT_FALSE(gaps_in_t(hours, {0, 4}).has_value());
}

TEST(TimeGaps, NothingToCount) {
  EXPECT_FALSE(gaps_in_t({}, {0, 3}).has_value());
  const std::vector<double> single = {0, 5, 2};
  EXPECT_FALSE(gaps_in_t(single, {0, 1, 2, 3}).has_value());  // one step each
  const std::vector<double> final_state = {0, 1, 2, std::nan("")};
  EXPECT_FALSE(gaps_in_t(final_state, {0, 4}).has_value());
}

}  // namespace
}  // namespace starope::io
