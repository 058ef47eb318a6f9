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

TEST(PartBudget, ASecondOfWorkShowsWhatAllOfItCosts) {
  PartBudget possible("a bootstrap", 10'000, "Wait");
  for (int i = 0; i < 20; ++i) possible.took(1, 0.9);  // 2.5 hours
  PartBudget absurd("a bootstrap of 1,000,000 replicates", 1'000'000, "Give fewer");
  absurd.took(1, 0.45);
  absurd.took(1, 0.45);  // not yet: the first ones may be slow for other reasons
  try {
    absurd.took(1, 0.396);
    FAIL() << "5 days were not refused";
  } catch (const TooMuchWork& error) {
    EXPECT_STREQ(error.what(),
                 "a bootstrap of 1,000,000 replicates would take about 5 days of one core; more than 2.8 hours is "
                 "refused. Give fewer");
  }
  // Many parts in one go cost less each.
  PartBudget together("a bootstrap", 1'000'000, "Wait");
  together.took(1000, 1.5);
}

TEST(PartBudget, TakesTheTimeOfWhatItDoes) {
  PartBudget budget("x", 1'000'000'000'000, "Wait");
  double sum = 0.0;
  EXPECT_THROW(
      {
        for (int part = 0; part < 1'000'000; ++part) {
          budget.spend(1, [&] {
            for (int i = 1; i < 1'000'000; ++i) sum += 1.0 / i;
          });
        }
      },
      TooMuchWork);
  EXPECT_GT(sum, 0.0);
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
