#include "starope/auto/auto_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

AutoFit quiet_fit() {
  AutoFit fit;
  fit.horizon.steps = 40;
  fit.estimate.ess = 500.0;
  fit.families = FamilyMix{};
  return fit;
}

Problem problem(double gamma = 1.0) {
  return testing::random_problem({.episodes = 600}, Seed{1}, ProblemOptions{.discount = Discount{gamma}});
}

TEST(AutoReport, SaysNothingWhereThereIsNothingToSay) {
  EXPECT_THAT(auto_findings(quiet_fit(), Auto{}, problem()), IsEmpty());
}

TEST(AutoReport, SaysWhereTheLogsRunOut) {
  AutoFit fit = quiet_fit();
  fit.late = {.from = 40, .share = 0.18};
  const auto findings = auto_findings(fit, Auto{}, problem());
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].severity, Severity::warning);
  EXPECT_EQ(
      text(findings[0]),
      "18 % of the target policy's weight lies at step 40 and beyond, where fewer than 10 logged episodes remain.");
  fit.late.share = 0.005;
  EXPECT_THAT(auto_findings(fit, Auto{}, problem()), IsEmpty());
}

TEST(AutoReport, WarnsOfHiddenHistoryAndOfDisagreement) {
  AutoFit fit = quiet_fit();
  fit.markov.markov = false;
  fit.families->reason = MixReason::disagree;
  const auto findings = auto_findings(fit, Auto{.history = History::off}, problem());
  EXPECT_THAT(findings, Contains(Field(&Finding::code, "history_matters")));
  EXPECT_THAT(findings, Contains(ResultOf([](const Finding& each) { return text(each); },
                                          HasSubstr("history=off ignores that"))));
  EXPECT_THAT(findings, Contains(Field(&Finding::code, "families_disagree")));
}

TEST(AutoReport, WarnsWhereHistoryIsTheLargestDoubt) {
  AutoFit fit = quiet_fit();
  fit.markov = {.delta = -0.55, .delta_se = 0.26};
  fit.errors = {.score = 0.04, .half = 0.05, .history = 0.06};
  const auto findings = auto_findings(fit, Auto{}, problem());
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "history_possible");
  EXPECT_THAT(text(findings[0]), HasSubstr("by -0.55, with a standard error of 0.26"));
  EXPECT_THAT(text(findings[0]), HasSubstr("further down"));
  fit.errors.half = 0.07;
  EXPECT_THAT(auto_findings(fit, Auto{}, problem()), IsEmpty());
}

TEST(AutoReport, SaysInWhichDirectionTheAnswerStillMoves) {
  AutoFit fit = quiet_fit();
  fit.drift = {.drift = -1.25, .drift_se = 0.1, .significant = true};
  const auto findings = auto_findings(fit, Auto{}, problem());
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "ladder_drift");
  EXPECT_THAT(text(findings[0]), HasSubstr("1.25 away"));
  EXPECT_THAT(text(findings[0]), HasSubstr("further down"));
}

TEST(AutoReport, MovesAnImpossibleValueToTheEdgeAndSaysSo) {
  AutoFit fit = quiet_fit();
  fit.horizon.steps = 3;
  const Problem logs = problem(0.5);
  const double highest = *std::max_element(logs.data().rewards().begin(), logs.data().rewards().end());
  fit.estimate.value = 1e6;
  limit_to_possible_values(fit, logs);
  EXPECT_NEAR(fit.estimate.value, highest * 1.75, 1e-9);  // 1 + 1/2 + 1/4
  EXPECT_THAT(auto_findings(fit, Auto{}, logs), Contains(Field(&Finding::code, "impossible_value")));
}

TEST(AutoReport, EveryDetailHasItsOwnNameAndAMeaning) {
  const std::vector<Detail> details = auto_details(quiet_fit());
  std::set<std::string> names;
  for (const Detail& detail : details) {
    EXPECT_TRUE(names.insert(detail.name).second) << detail.name;
    EXPECT_THAT(detail.meaning, Not(IsEmpty())) << detail.name;
  }
  EXPECT_TRUE(names.count("markov_delta") && names.count("indexed_share_why") && names.count("error_ladder"));
}

}  // namespace
}  // namespace starope
