#include "starope/evaluate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "starope/error.hpp"

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

TEST(EvaluationJson, TheWayBackGivesTheSameJson) {
  Evaluation evaluation = example();
  evaluation.data.horizon = 20;
  evaluation.data.findings = {{Severity::info, "natural_horizon", {{"steps", std::int64_t{20}}}}};
  auto& estimate = std::get<Estimate>(evaluation.estimates[0].result);
  estimate.details = {{.name = "zeta", .value = 1.0 / 3.0, .meaning = "m"},
                      {.name = "family", .value = std::string("pooled"), .meaning = "m"},
                      {.name = "alpha", .value = true, .meaning = "m"},
                      {.name = "series", .value = std::vector<double>{1.5, 2.0}, .meaning = "m"}};
  estimate.families = {{.family = "cells", .value = 1.25, .error = 0.1, .weight = 0.75, .reason = "its spread"},
                       {.family = "anchor", .value = 1.0 / 3.0, .error = 0.5, .weight = 0.25, .reason = "no part"}};
  evaluation.ess_by_step = {9.0, 4.5};
  ProcessView view{.estimator = "star(phi=one)", .cells = 2};
  view.shown = {{.cell = 1, .share = 0.5, .visits = 2.0, .value = 0.1, .features = {{"x", 0.25}}},
                {.cell = 0, .ids = {{"7", 1.0}}}};
  view.moves = {{.from = 1, .to = 0, .probability = 0.75}};
  evaluation.processes = {view};
  const std::string text = to_json(evaluation);
  const Evaluation back = evaluation_from_json(text);
  EXPECT_EQ(to_json(back), text);
  EXPECT_EQ(back.level, 0.95);
  EXPECT_EQ(std::get<Failure>(back.estimates[1].result), std::get<Failure>(evaluation.estimates[1].result));
  EXPECT_EQ(std::get<std::vector<double>>(std::get<Estimate>(back.estimates[0].result).details[3].value),
            (std::vector<double>{1.5, 2.0}));
  EXPECT_EQ(std::get<Estimate>(back.estimates[0].result).families, estimate.families);
  EXPECT_EQ(back.processes[0].shown[0].features[0].first, "x");
}

// The decision is there and back; what is unknown in it is null.
TEST(EvaluationJson, CarriesTheDecision) {
  Evaluation evaluation;
  evaluation.estimates = {{.estimator = "naive", .result = Estimate{.value = 1.0}},
                          {.estimator = "auto", .result = Estimate{.value = 3.0, .std_error = 0.5}}};
  evaluation.answer = 1;
  evaluation.difference = Difference{.value = 2.0,
                                     .std_error = 0.25,
                                     .interval = Interval{1.5, 2.5, 0.9, "influence"},
                                     .probability_better = 0.75,
                                     .logged = 1.0};
  evaluation.verdict =
      Verdict{.grade = Grade::not_answerable, .reasons = {{.code = "low_ess", .reason = "few", .advice = "Log more."}}};
  evaluation.by = "age";
  evaluation.groups = {{.group = "age < 65", .episodes = 7, .too_few = true, .value = 2.0}};
  const json made = json::parse(to_json(evaluation));
  EXPECT_EQ(made.at("answer").at("estimator"), "auto");
  EXPECT_EQ(made.at("answer").at("value"), 3.0);
  EXPECT_TRUE(made.at("answer").at("interval").is_null());
  EXPECT_EQ(made.at("difference").at("value"), 2.0);
  EXPECT_EQ(made.at("difference").at("interval").at("upper"), 2.5);
  EXPECT_EQ(made.at("difference").at("probability_better"), 0.75);
  EXPECT_EQ(made.at("difference").at("logged").at("value"), 1.0);
  EXPECT_TRUE(made.at("difference").at("logged").at("std_error").is_null());
  EXPECT_EQ(made.at("verdict").at("grade"), "not_answerable");
  EXPECT_EQ(made.at("verdict").at("reasons").at(0).at("advice"), "Log more.");
  EXPECT_EQ(made.at("by"), "age");
  EXPECT_EQ(made.at("groups").at(0).at("too_few"), true);
  const Evaluation back = evaluation_from_json(to_json(evaluation));
  EXPECT_EQ(to_json(back), to_json(evaluation));
  EXPECT_EQ(answer_of(back)->value, 3.0);
  EXPECT_EQ(back.verdict, evaluation.verdict);
}

TEST(EvaluationJson, GroupsHaveNoDifferenceWhereTheWholeHasNone) {
  Evaluation evaluation;
  evaluation.estimates = {{.estimator = "auto", .result = Estimate{.value = 2.0}}};
  evaluation.answer = 0;
  evaluation.verdict = Verdict{};
  evaluation.by = "age";
  evaluation.groups = {{.group = "age < 65", .episodes = 70, .value = 2.0}};
  const std::string made = to_json(evaluation);
  EXPECT_TRUE(nlohmann::json::parse(made).at("groups").at(0).at("difference").is_null());
  EXPECT_EQ(to_json(evaluation_from_json(made, "x")), made);
}

TEST(EvaluationJson, AGroupWithoutEpisodesHasNoValue) {
  Evaluation evaluation;
  evaluation.estimates = {{.estimator = "auto", .result = Estimate{.value = 2.0}}};
  evaluation.answer = 0;
  evaluation.difference = Difference{.value = 1.0};
  evaluation.verdict = Verdict{};
  evaluation.by = "age";
  evaluation.groups = {{.group = "age < 65", .episodes = 70, .value = 2.0},
                       {.group = "age >= 65", .episodes = 0, .too_few = true}};
  const std::string made = to_json(evaluation);
  const json groups = json::parse(made).at("groups");
  EXPECT_EQ(groups.at(0).at("value"), 2.0);
  EXPECT_FALSE(groups.at(0).at("difference").is_null());
  EXPECT_TRUE(groups.at(1).at("value").is_null());
  EXPECT_TRUE(groups.at(1).at("difference").is_null());
  EXPECT_EQ(to_json(evaluation_from_json(made, "x")), made);
}

TEST(EvaluationJson, ReadsTheShortestThatTheContractAllows) {
  const Evaluation read = evaluation_from_json(
      R"({"schema": "starope.evaluate/1", "data": {"episodes": 100, "steps": 2113, "gamma": 1.0, "ess": 17.2},
          "estimates": [{"estimator": "wpdis", "value": 31.4, "std_error": 5.1, "interval": null, "findings": []}]})");
  EXPECT_EQ(read.data.steps, 2113);
  EXPECT_EQ(std::get<Estimate>(read.estimates[0].result).value, 31.4);
  EXPECT_FALSE(read.level.has_value());
}

// Of another version: the program cannot say it, but still shows what the file says.
TEST(EvaluationJson, KeepsFindingsThatItDoesNotKnow) {
  const std::string text =
      R"({"schema": "starope.evaluate/1", "data": {"episodes": 1, "steps": 1, "gamma": 1.0, "ess": 1.0, "findings":
          [{"severity": "warning", "code": "of_tomorrow", "message": "Sunny."}]}, "estimates": []})";
  const json back = json::parse(to_json(evaluation_from_json(text)));
  EXPECT_EQ(back["data"]["findings"][0]["message"], "Sunny.");
  EXPECT_EQ(back["data"]["findings"][0]["severity"], "warning");
  EXPECT_EQ(to_json(evaluation_from_json(back.dump())), to_json(evaluation_from_json(text)));
}

TEST(EvaluationJson, RefusesWhatIsNone) {
  for (const char* text :
       {"", "[]", "{}", "{\"schema\": \"starope.evaluate/2\"}", "{\"schema\": \"starope.evaluate/1\"}"}) {
    EXPECT_THAT([&] { evaluation_from_json(text, "e.json"); },
                ::testing::ThrowsMessage<DataError>(::testing::HasSubstr("e.json")))
        << text;
  }
}

}  // namespace
}  // namespace starope
