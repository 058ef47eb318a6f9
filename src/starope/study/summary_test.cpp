#include "starope/study.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace starope {
namespace {

StudyResult result(const std::string& estimator, std::int64_t trial, double value,
                   std::optional<std::pair<double, double>> interval = {}) {
  StudyResult made{.domain = "cartpole", .size = 50, .trial = trial, .estimator = estimator};
  StudyAnswer answer{.value = value};
  if (interval) answer.interval = Interval{.lower = interval->first, .upper = interval->second};
  made.answer = answer;
  made.seconds = 2.0;
  return made;
}

// Truth 10. naive: 8, 12, 13: errors -2, 2, 3, squares 4, 4, 9.
StudyResults example() {
  StudyResults all;
  all.header = {.study = "s", .domains = {"cartpole"}, .checksum = "0"};
  all.truths["cartpole"] = {.domain = "cartpole", .value = 10.0};
  all.results = {result("naive", 0, 8.0, {{7.0, 9.0}}), result("naive", 1, 12.0, {{9.0, 15.0}}),
                 result("naive", 2, 13.0)};
  // A grid of four and a member of another family; the errors are 1, 2, 3, 4 and 5.
  const std::vector<std::string> grid{"star(clusters=2,clip=1)", "star(clusters=2,clip=2)", "star(clusters=4,clip=1)",
                                      "star(clusters=4,clip=2)", "star(phi=random,clusters=2,clip=1)"};
  const std::vector<double> error{3.0, 1.0, 4.0, 2.0, 5.0};
  for (std::size_t i = 0; i < grid.size(); ++i) {
    for (std::int64_t trial = 0; trial < 3; ++trial) all.results.push_back(result(grid[i], trial, 10.0 + error[i]));
  }
  return all;
}

TEST(StudySummary, HandComputedErrors) {
  const StudySummary summary = summarize(example());
  ASSERT_EQ(summary.cases.size(), 1U);
  const EstimatorSummary& naive = summary.cases[0].estimators[0];
  EXPECT_EQ(naive.estimator, "naive");
  EXPECT_EQ(naive.trials, 3);
  EXPECT_DOUBLE_EQ(naive.mean, 11.0);
  EXPECT_DOUBLE_EQ(*naive.bias, 1.0);
  EXPECT_DOUBLE_EQ(*naive.mse, 17.0 / 3.0);
  EXPECT_DOUBLE_EQ(naive.variance, (9.0 + 1.0 + 4.0) / 3.0);
  EXPECT_NEAR(*naive.mse, *naive.bias * *naive.bias + naive.variance, 1e-14);
  // Squares 4, 4, 9: sample variance 25/3, divided by 3.
  EXPECT_NEAR(*naive.mse_std_error, std::sqrt(25.0 / 9.0), 1e-14);
  EXPECT_DOUBLE_EQ(*naive.coverage, 0.5);  // two intervals, one of them holds 10
  EXPECT_DOUBLE_EQ(naive.seconds, 2.0);
}

TEST(StudySummary, BestMedianWinnerAndPaper) {
  const CaseSummary of = summarize(example()).cases[0];
  ASSERT_EQ(of.families.size(), 2U);
  EXPECT_EQ(of.families[0].family, "star");
  EXPECT_EQ(of.estimators[of.families[0].best].estimator, "star(clusters=2,clip=2)");
  EXPECT_EQ(of.estimators[of.families[0].median].estimator, "star(clusters=4,clip=2)");  // the second of four
  EXPECT_EQ(of.estimators[*of.winner].estimator, "star(clusters=2,clip=2)");
  EXPECT_EQ(of.estimators[*of.best_baseline].estimator, "naive");
  EXPECT_FALSE(of.best_correcting_baseline);
  EXPECT_FALSE(of.automatic);
  EXPECT_EQ(of.paper->star_best, 77.0);
}

TEST(StudySummary, WhoFailsDoesNotWin) {
  StudyResults all = example();
  for (StudyResult& each : all.results) {
    if (each.estimator == "star(clusters=2,clip=2)" && each.trial == 1) {
      each.answer = Failure{.code = "degenerate_model", .message = "m"};
    }
  }
  const StudySummary summary = summarize(all);
  const CaseSummary& of = summary.cases[0];
  EXPECT_EQ(summary.failures, 1);
  EXPECT_EQ(of.estimators[*of.winner].estimator, "star(clusters=4,clip=2)");
  EXPECT_EQ(of.families[0].members.back(), 2U);  // the failing one is behind all others
  EXPECT_EQ(of.estimators[2].failures, 1);
  EXPECT_EQ(of.estimators[2].trials, 2);
}

TEST(StudySummary, OrderOfTheFileDoesNotMatter) {
  StudyResults all = example();
  const std::string before = summary_json(summarize(all));
  // Cells keep together; here every trial is a cell.
  std::stable_sort(all.results.begin(), all.results.end(),
                   [](const auto& a, const auto& b) { return a.trial > b.trial; });
  EXPECT_EQ(summary_json(summarize(all)), before);
}

TEST(StudySummary, WithoutTruthThereAreNoErrors) {
  StudyResults all = example();
  all.truths.clear();
  const CaseSummary of = summarize(all).cases[0];
  EXPECT_FALSE(of.estimators[0].mse);
  EXPECT_FALSE(of.winner);
  EXPECT_DOUBLE_EQ(of.estimators[0].mean, 11.0);
}

TEST(StudySummary, JsonHasTheSchemaAndTheNumbers) {
  const auto json = nlohmann::json::parse(summary_json(summarize(example())));
  EXPECT_EQ(json.at("schema"), "starope.study-summary/1");
  const auto& of = json.at("cases").at(0);
  EXPECT_EQ(of.at("winner"), "star(clusters=2,clip=2)");
  EXPECT_EQ(of.at("estimators").at(0).at("bias_squared"), 1.0);
  EXPECT_TRUE(of.at("estimators").at(3).at("coverage").is_null());
}

}  // namespace
}  // namespace starope
