#include "starope/base/work.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "starope/error.hpp"

namespace starope {
namespace {

std::string refusal(const Work& work) {
  try {
    refuse_absurd(work);
  } catch (const TooMuchWork& error) {
    EXPECT_EQ(error.code(), "too_much_work");
    return error.what();
  }
  return {};
}

TEST(Work, SaysWhatItWouldCostAndWhatToDo) {
  EXPECT_EQ(refusal({.what = "a horizon of 10^12 steps",
                     .operations = 1e9 * 86400 * 365.25 * 40,
                     .bytes = 0.0,
                     .remedy = "Give a smaller horizon"}),
            "a horizon of 10^12 steps would take about 40 years of one core; more than 2.8 hours is refused. Give a "
            "smaller horizon");
  EXPECT_NE(refusal({.what = "x", .operations = 1.0, .bytes = 1e18, .remedy = {}})
                .find("x would take about 1,000,000 TB of memory, and this machine has"),
            std::string::npos);
}

TEST(Work, TheBoundItselfIsAllowedAndWhatIsNoNumberIsNot) {
  EXPECT_EQ(refusal({.what = "x", .operations = most_operations, .bytes = 0.0, .remedy = {}}), "");
  EXPECT_NE(refusal({.what = "x", .operations = 1.01 * most_operations, .bytes = 0.0, .remedy = {}}), "");
  EXPECT_NE(refusal({.what = "x", .operations = std::numeric_limits<double>::infinity(), .bytes = 0.0, .remedy = {}}),
            "");
  EXPECT_TRUE(
      is_absurd({.what = "x", .operations = std::numeric_limits<double>::quiet_NaN(), .bytes = 0.0, .remedy = {}}));
}

TEST(StepBudget, OnlyAbsurdWorkIsLimited) {
  const StepBudget usual({.what = "x", .operations = 1e9, .bytes = 1e6, .remedy = {}}, 1'000'000);
  EXPECT_FALSE(usual.limited());
  usual.expect_possible(1'000'000);
  // 10^15 steps of 2 operations: a hundred million of them are the trial.
  const StepBudget absurd({.what = "x", .operations = 2e15, .bytes = 0.0, .remedy = {}}, 1'000'000'000'000'000);
  EXPECT_TRUE(absurd.limited());
  absurd.expect_possible(100'000'000);
  EXPECT_THROW(absurd.expect_possible(100'000'002), TooMuchWork);
}

TEST(Work, AmountsComeInUnitsPeopleUse) {
  EXPECT_EQ(time_text(5e9), "5 seconds");
  EXPECT_EQ(time_text(1e9 * 300), "5 minutes");
  EXPECT_EQ(time_text(1e9 * 86400 * 3), "3 days");
  EXPECT_EQ(memory_text(3.2e9), "3.2 GB");
  EXPECT_EQ(memory_text(12e6), "12 MB");
  EXPECT_GT(physical_memory(), 1e6);
}

}  // namespace
}  // namespace starope
