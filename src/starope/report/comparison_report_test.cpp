#include "starope/report/comparison_report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace starope {
namespace {

using nlohmann::json;

TEST(ComparisonReport, HasPoliciesAndPairs) {
  Comparison comparison;
  comparison.data.file = "logs.csv";
  comparison.data.episodes = 7;
  comparison.policies = {
      {.policy = "logged", .answer = {.result = Estimate{.value = 1.0, .std_error = 0.5}}, .rank = 2},
      {.policy = "new",
       .answer = {.result = Estimate{.value = 2.0, .std_error = 0.5, .interval = Interval{1.0, 3.0}}},
       .verdict = Verdict{},
       .rank = 1,
       .probability_best = 0.75}};
  comparison.ranking = {1, 0};
  comparison.differences = {{.first = 1,
                             .second = 0,
                             .difference = {.value = 1.0, .interval = Interval{-0.5, 2.5}, .probability_better = 0.9}}};
  const Page page = comparison_page(comparison);
  EXPECT_EQ(page.title, "Policies on logs.csv");
  EXPECT_EQ(page.answer.at(0),
            "new has the largest value, 2.00 per episode; the probability that it is the best is 75 %.");
  ASSERT_EQ(page.figures.size(), 2U);
  EXPECT_EQ(page.figures[0].table.rows[0][1], "new");
  EXPECT_EQ(page.figures[0].table.rows[0].back(), "Supported");
  const json pairs = json::parse(page.figures[1].charts.at(0).spec).at("data").at("values");
  EXPECT_EQ(pairs.at(0).at("name"), "new - logged");
  EXPECT_EQ(pairs.at(0).at("lower"), -0.5);
  EXPECT_EQ(pairs.at(0).at("note"), "not told apart");
  EXPECT_EQ(page.lead.size(), 1U);
  // Where the ratios come from belongs to every number on the page.
  std::get<Estimate>(comparison.policies[1].answer.result).findings = {
      {Severity::info, "behavior_estimated", {{"method", "counts"}}}};
  EXPECT_NE(comparison_page(comparison).lead.at(1).find("are estimates, by counts"), std::string::npos);
}

}  // namespace
}  // namespace starope
