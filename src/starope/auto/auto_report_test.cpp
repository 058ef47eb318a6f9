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

WeighedFamily family(FamilyKind kind, double value, double weight) {
  WeighedFamily result;
  result.kind = kind;
  result.value = value;
  result.weight = weight;
  result.doubts = {{.kind = DoubtKind::sampling, .squared = 0.25}};
  return result;
}

AutoFit quiet_fit(double cells = 1.0, double waves = 0.0) {
  AutoFit fit;
  fit.horizon.steps = 40;
  fit.estimate.ess = 500.0;
  fit.answer.families = {family(FamilyKind::cells, 5.0, cells), family(FamilyKind::waves, 7.0, waves)};
  fit.answer.errors = {.score = 0.04, .half = 0.05};
  return fit;
}

Problem problem(double gamma = 1.0) {
  return testing::random_problem({.episodes = 600}, Seed{1}, ProblemOptions{.discount = Discount{gamma}});
}

TEST(AutoReport, SaysNothingWhereThereIsNothingToSay) {
  EXPECT_THAT(auto_findings(quiet_fit(), Auto{}, problem()), IsEmpty());
}

TEST(AutoReport, WarnsOfHistoryThatIsIgnored) {
  AutoFit fit = quiet_fit();
  fit.evidence.cells_history = {.delta = 0.5, .markov = false};
  const auto ignored = auto_findings(fit, Auto{.history = History::off}, problem());
  ASSERT_EQ(ignored.size(), 1u);
  EXPECT_EQ(ignored[0].severity, Severity::warning);
  EXPECT_THAT(text(ignored[0]), HasSubstr("history=off leaves them out"));
  fit.answer.families.push_back(family(FamilyKind::traces, 5.0, 0.75));
  const auto used = auto_findings(fit, Auto{}, problem());
  ASSERT_EQ(used.size(), 1u);
  EXPECT_EQ(used[0].severity, Severity::info);
  EXPECT_THAT(text(used[0]), HasSubstr("Models with memory have 75 % of the weight."));
}

TEST(AutoReport, SaysWhereHistoryIsTheLargestDoubt) {
  AutoFit fit = quiet_fit();
  fit.answer.hidden_history = 0.06;
  fit.answer.hidden_shift = -0.4;
  const auto findings = auto_findings(fit, Auto{}, problem());
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "history_possible");
  EXPECT_THAT(text(findings[0]), HasSubstr("may lie 0.4 further down"));
  // Outside of the interval it is a warning.
  fit.answer.hidden_shift = 0.55;
  const auto outside = auto_findings(fit, Auto{}, problem());
  ASSERT_EQ(outside.size(), 1u);
  EXPECT_EQ(outside[0].severity, Severity::warning);
  EXPECT_EQ(outside[0].code, "memory_disagrees");
  EXPECT_THAT(text(outside[0]), HasSubstr("put the answer 0.55 further up"));
  fit.answer.errors.half = 0.07;
  EXPECT_THAT(auto_findings(fit, Auto{}, problem()), IsEmpty());
}

TEST(AutoReport, SaysInWhichDirectionFinerCellsStillMove) {
  AutoFit fit = quiet_fit(0.5);
  fit.drift = {.drift = -1.25, .drift_se = 0.1, .significant = true};
  fit.finest = {.mean = -0.75, .std_error = 0.1, .scores = 50.0};
  const auto findings = auto_findings(fit, Auto{}, problem());
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "ladder_drift");
  EXPECT_THAT(text(findings[0]), HasSubstr("differ by 0.75"));
  EXPECT_THAT(text(findings[0]), HasSubstr("50 % of the weight"));
  EXPECT_THAT(text(findings[0]), HasSubstr("further down"));
  // Not where the finest agree, nor where the cells have no say, nor where the interval is much wider.
  fit.finest.std_error = 0.2;
  EXPECT_THAT(auto_findings(fit, Auto{}, problem()), IsEmpty());
  fit = quiet_fit(0.05, 0.95);
  fit.drift.significant = true;
  fit.finest = {.mean = -0.75, .std_error = 0.1, .scores = 50.0};
  EXPECT_THAT(auto_findings(fit, Auto{}, problem()), IsEmpty());
  fit = quiet_fit(0.5);
  fit.drift.significant = true;
  fit.finest = {.mean = -0.75, .std_error = 0.1, .scores = 50.0};
  fit.answer.errors.doubts = 1.0;  // 0.75 * 0.5 is less than half of a standard error of 1.02
  EXPECT_THAT(auto_findings(fit, Auto{}, problem()), IsEmpty());
}

TEST(AutoReport, WarnsWhereCellsAndWavesDifferAndNeitherIsRefuted) {
  AutoFit fit = quiet_fit(0.6, 0.4);
  fit.answer.classes_apart = 1.0;
  fit.answer.errors.spread = fit.answer.classes_spread = 0.06;
  const auto findings = auto_findings(fit, Auto{}, problem());
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(text(findings[0]),
            "Cells say 5, smooth functions 7: they differ by more than noise, and the logs do not tell which is right. "
            "The answer is a weighted mean, and the standard error includes the difference.");
  fit.answer.classes_spread = 0.03;  // the rest of the spread is that of others
  EXPECT_THAT(auto_findings(fit, Auto{}, problem()), IsEmpty());
}

TEST(AutoReport, SaysWhichWayMoreDataWouldMoveTheAnswer) {
  AutoFit fit = quiet_fit(0.5, 0.5);
  fit.curve = {.cells = 0.2, .waves = 0.4};
  fit.answer.errors.doubts = 0.2;  // of a variance of 0.25
  fit.answer.families[0].doubts.push_back({.kind = DoubtKind::learning_curve, .counted = 0.2});
  EXPECT_THAT(auto_findings(fit, Auto{}, problem()), IsEmpty());
  fit.answer.families[1].doubts.push_back({.kind = DoubtKind::learning_curve, .counted = 0.2});
  const auto findings = auto_findings(fit, Auto{}, problem());
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "learning_curve");
  EXPECT_THAT(text(findings[0]), HasSubstr("by 0.3 on average"));
  EXPECT_THAT(text(findings[0]), HasSubstr("further down"));
}

TEST(AutoReport, SaysWhereTheAnchorDisagrees) {
  AutoFit fit = quiet_fit(0.5, 0.5);
  fit.answer.value = 6.0;
  fit.answer.families.push_back(family(FamilyKind::anchor, 7.5, 0.0));
  fit.answer.errors.doubts = 0.2;  // of a variance of 0.25
  fit.answer.families[0].doubts.push_back({.kind = DoubtKind::anchor, .counted = 0.2});
  EXPECT_THAT(auto_findings(fit, Auto{}, problem()), IsEmpty());
  fit.answer.families[1].doubts.push_back({.kind = DoubtKind::anchor, .counted = 0.2});
  const auto findings = auto_findings(fit, Auto{}, problem());
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "anchor_disagrees");
  EXPECT_THAT(text(findings[0]), HasSubstr("give 7.5 instead of 6:"));
}

TEST(AutoReport, WarnsWhereLongerWindowsMoveTheAnswer) {
  AutoFit fit = quiet_fit();  // half width 0.45
  fit.answer.windows = {.shorter = {.mean = -0.2, .std_error = 0.1}, .longer = {.mean = -0.3, .std_error = 0.15}};
  const auto findings = auto_findings(fit, Auto{}, problem());
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "windows_disagree");
  EXPECT_THAT(text(findings[0]), HasSubstr("move the answer by 0.3 down"));
  // Not where one of them says the opposite, is within noise, or is small beside the interval.
  fit.answer.windows.shorter.mean = 0.2;
  EXPECT_THAT(auto_findings(fit, Auto{}, problem()), IsEmpty());
  fit.answer.windows.shorter = {.mean = -0.2, .std_error = 0.17};
  EXPECT_THAT(auto_findings(fit, Auto{}, problem()), IsEmpty());
  fit.answer.windows.shorter = {.mean = -0.15, .std_error = 0.01};
  EXPECT_THAT(auto_findings(fit, Auto{}, problem()), IsEmpty());
  // Nor where they see less of the effect than the answer.
  fit.answer.windows.shorter = {.mean = -0.2, .std_error = 0.1};
  fit.evidence.logged = -5.0;
  EXPECT_THAT(auto_findings(fit, Auto{}, problem()), IsEmpty());
  // What they count widens the interval: what it holds with ease needs no warning, but is said.
  fit.evidence.logged = 0.0;
  fit.answer.errors.doubts = 0.11;
  fit.answer.families[0].doubts.push_back({.kind = DoubtKind::windows, .counted = 0.11});
  const auto counted = auto_findings(fit, Auto{}, problem());
  ASSERT_EQ(counted.size(), 1u);
  EXPECT_EQ(counted[0].severity, Severity::info);
  EXPECT_EQ(text(counted[0]),
            "Weights that follow episodes for eight steps move the answer by 0.3 down: the models may leave out "
            "something that lasts. Most of the interval's width is due to this.");
}

TEST(AutoReport, WarnsWhereLongerWindowsTurnTheSignOfTheEffect) {
  AutoFit fit = quiet_fit();
  fit.evidence.logged = 0.18;  // the answer, 0, lies below, but by less than the windows lift it
  fit.answer.windows = {.shorter = {.mean = 0.2, .std_error = 0.1}, .longer = {.mean = 0.3, .std_error = 0.15}};
  EXPECT_THAT(auto_findings(fit, Auto{}, problem()), Contains(Field(&Finding::code, "windows_disagree")));
  fit.evidence.logged = 0.25;  // the shorter one leaves it where it was
  EXPECT_THAT(auto_findings(fit, Auto{}, problem()), IsEmpty());
}

TEST(AutoReport, ListsFamiliesByWeightWithTheirReasons) {
  WeighedAnswer answer;
  answer.families = {family(FamilyKind::cells, 5.0, 0.25), family(FamilyKind::waves, 7.0, 0.75),
                     family(FamilyKind::anchor, 6.0, 0.0)};
  answer.families[0].doubts.push_back({.kind = DoubtKind::finer_cells, .squared = 2.0});
  answer.families[2].admitted = false;
  answer.families[2].why_not = "cumulative weights are too uneven";
  const std::vector<FamilyAnswer> families = auto_families(answer);
  ASSERT_EQ(families.size(), 3u);
  EXPECT_EQ(families[0], (FamilyAnswer{"waves", 7.0, 0.5, 0.75, "the spread of its scores"}));
  EXPECT_EQ(families[1], (FamilyAnswer{"cells", 5.0, 1.5, 0.25, "what finer cells say"}));
  EXPECT_EQ(families[2].reason, "takes no part: cumulative weights are too uneven");
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

TEST(AutoReport, TheEdgeItselfIsPossible) {
  Estimate estimate{.value = 4.000000000000001};
  limit_to_possible_values(estimate, {.lower = 0.0, .upper = 4.0});
  EXPECT_EQ(estimate.value, 4.0);
  EXPECT_TRUE(estimate.findings.empty());
  estimate.value = 4.001;
  limit_to_possible_values(estimate, {.lower = 0.0, .upper = 4.0});
  ASSERT_EQ(estimate.findings.size(), 1U);
}

TEST(AutoReport, EveryDetailHasItsOwnNameAndAMeaning) {
  const std::vector<Detail> details = auto_details(quiet_fit());
  std::set<std::string> names;
  for (const Detail& detail : details) {
    EXPECT_TRUE(names.insert(detail.name).second) << detail.name;
    EXPECT_THAT(detail.meaning, Not(IsEmpty())) << detail.name;
  }
  EXPECT_TRUE(names.count("markov_delta") && names.count("half_data_waves") && names.count("error_doubts"));
}

}  // namespace
}  // namespace starope
