#include "starope/inspect.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "starope/data/random_logs.hpp"
#include "starope/evaluate/advice.hpp"
#include "starope/layout/layout.hpp"

namespace starope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Inspection example(const testing::RandomLogsOptions& options = {}) {
  Inspection inspection = inspect(testing::random_logs(options, Seed{6}), {.discount = Discount{0.9}});
  inspection.file = "logs.csv";
  inspection.recognized = {
      {.name = "stay", .role = "episode"}, {.name = "hr", .role = "state"}, {.name = "bp", .role = "state"}};
  inspection.ignored = {"comment"};
  inspection.findings = advice(inspection);
  return inspection;
}

TEST(InspectionText, GroupsColumnsByTheirRole) {
  EXPECT_THAT(text(example(), {}),
              AllOf(HasSubstr("  state           hr, bp\n"), HasSubstr("  ignored         comment\n")));
}

TEST(InspectionText, NumberedColumnsAreOneThing) {
  Inspection inspection = example();
  inspection.recognized.clear();
  for (int i = 0; i < 400; ++i) {
    inspection.recognized.push_back({.name = "x" + std::to_string(i), .role = "state_" + std::to_string(i)});
  }
  inspection.recognized.push_back({.name = "action", .role = "action"});
  EXPECT_THAT(text(inspection, {}), HasSubstr("  state           x0, x1, ..., x399 (400 columns)\n"
                                              "  action          action\n"));
}

TEST(InspectionText, SaysWhatTheDataHold) {
  const std::string text = starope::text(example({.episodes = 40, .shortest = 8, .longest = 8}), {.width = 120});
  EXPECT_THAT(text, HasSubstr("logs.csv: 40 episodes, 320 steps\n"));
  EXPECT_THAT(text, HasSubstr("8 to 8 steps, median 8, mean 8\n"));
  EXPECT_THAT(text, HasSubstr("real-valued: 2 features"));
  EXPECT_THAT(text, HasSubstr("discrete: 3 actions"));
  EXPECT_THAT(text, HasSubstr("(discount 0.9)"));
  EXPECT_THAT(text, HasSubstr("Advice"));
}

TEST(InspectionText, WhatIsNoNumberIsSaid) {
  Inspection inspection = example();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  inspection.returns = {.min = infinity, .mean = infinity, .max = infinity};
  inspection.return_deviation = std::numeric_limits<double>::quiet_NaN();
  const std::string text = starope::text(inspection, {.width = 120});
  EXPECT_THAT(text, HasSubstr("always too large for a number, standard deviation too large for a number"));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("inf,")), Not(HasSubstr("nan"))));
}

TEST(InspectionText, ManyFeaturesAreCutShort) {
  const std::string text = starope::text(example({.dimension = 20}), {});
  EXPECT_THAT(text, AllOf(HasSubstr("state_11"), Not(HasSubstr("state_12")), HasSubstr("... and 8 more")));
}

TEST(InspectionText, FitsTheTerminal) {
  for (const std::size_t width : {60U, 80U, 120U}) {
    std::istringstream text(starope::text(example({.dimension = 20, .zero_target = 0.1}), {.width = width}));
    for (std::string line; std::getline(text, line);) EXPECT_LE(display_width(line), width) << line;
  }
}

TEST(InspectionText, LeavesOutWhatIsNotThere) {
  Inspection inspection;
  inspection.episodes = inspection.steps = 1;
  const std::string text = starope::text(inspection, {});
  EXPECT_THAT(text, AllOf(Not(HasSubstr("ratio")), Not(HasSubstr("weights")), Not(HasSubstr("Advice")),
                          HasSubstr("state           none")));
}

}  // namespace
}  // namespace starope
