#include "starope/evaluate/evaluation_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace starope {
namespace {

using nlohmann::json;

Evaluation example() {
  Evaluation evaluation;
  evaluation.data = {.file = "logs.csv", .episodes = 100, .steps = 2113, .truncated = 3, .gamma = 1.0, .ess = 17.25};
  evaluation.level = 0.95;
  evaluation.estimates = {
      {.estimator = "wpdis",
       .result = Estimate{.estimator = "wpdis",
                          .value = 31.4,
                          .std_error = 5.1,
                          .interval = Interval{.lower = 21.4, .upper = 41.4, .level = 0.95, .method = "influence"},
                          .ess = 17.0,
                          .findings = {{Severity::warning, "no_spread"}}}},
      {.estimator = "star(phi=one)", .result = Failure{.code = "degenerate_model", .message = "no exit"}}};
  return evaluation;
}

TEST(EvaluationJson, IsTheContract) {
  const json answer = json::parse(to_json(example()));
  EXPECT_EQ(answer["schema"], "starope.evaluate/1");
  EXPECT_EQ(answer["data"]["episodes"], 100);
  EXPECT_EQ(answer["data"]["steps"], 2113);
  EXPECT_EQ(answer["data"]["gamma"], 1.0);
  EXPECT_EQ(answer["data"]["ess"], 17.25);
  EXPECT_EQ(answer["data"]["terminated"], 97);
  EXPECT_TRUE(answer["data"]["horizon"].is_null());
  ASSERT_EQ(answer["estimates"].size(), 2U);
  const json& wpdis = answer["estimates"][0];
  EXPECT_EQ(wpdis["estimator"], "wpdis");
  EXPECT_EQ(wpdis["value"], 31.4);
  EXPECT_EQ(wpdis["std_error"], 5.1);
  EXPECT_EQ(wpdis["interval"], (json{{"lower", 21.4}, {"upper", 41.4}, {"level", 0.95}, {"method", "influence"}}));
  EXPECT_EQ(wpdis["findings"], (json::array({{{"severity", "warning"},
                                              {"code", "no_spread"},
                                              {"parameters", json::object()},
                                              {"message", text(Finding{Severity::warning, "no_spread"})}}})));
}

TEST(EvaluationJson, AFailureHasAnErrorInsteadOfAValue) {
  const json failed = json::parse(to_json(example()))["estimates"][1];
  EXPECT_EQ(failed["error"], (json{{"code", "degenerate_model"}, {"message", "no exit"}}));
  EXPECT_FALSE(failed.contains("value"));
}

TEST(EvaluationJson, WhatWasNotAskedForIsNull) {
  Evaluation evaluation = example();
  std::get<Estimate>(evaluation.estimates[0].result).interval.reset();
  EXPECT_TRUE(json::parse(to_json(evaluation))["estimates"][0]["interval"].is_null());
}

}  // namespace
}  // namespace starope
