#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "starope/compare.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

using nlohmann::json;

Comparison example() {
  Comparison comparison;
  comparison.data.file = "logs.csv";
  comparison.data.episodes = 7;
  comparison.level = 0.9;
  comparison.policies = {{.policy = "logged",
                          .answer = {.estimator = "naive", .result = Estimate{.value = 1.0, .std_error = 0.5}},
                          .rank = 2},
                         {.policy = "new",
                          .answer = {.estimator = "auto",
                                     .result = Estimate{.value = 2.0,
                                                        .std_error = 0.25,
                                                        .interval = Interval{1.5, 2.5, 0.9, "influence, max-t"}}},
                          .verdict = Verdict{},
                          .rank = 1,
                          .probability_best = 0.75},
                         {.policy = "bold", .answer = {.estimator = "auto", .result = Failure{"x", "no weights"}}}};
  comparison.differences = {{.first = 1,
                             .second = 0,
                             .difference = {.value = 1.0, .std_error = 0.5, .interval = Interval{-0.5, 2.5, 0.9, ""}},
                             .told_apart = false}};
  comparison.ranking = {1, 0};
  comparison.not_told_apart = {{1, 0}};
  return comparison;
}

TEST(CompareJson, CarriesEverything) {
  const json made = json::parse(to_json(example()));
  EXPECT_EQ(made.at("schema"), "starope.compare/1");
  EXPECT_EQ(made.at("data").at("episodes"), 7);
  EXPECT_EQ(made.at("level"), 0.9);
  EXPECT_EQ(made.at("policies").at(1).at("policy"), "new");
  EXPECT_EQ(made.at("policies").at(1).at("estimator"), "auto");
  EXPECT_EQ(made.at("policies").at(1).at("interval").at("upper"), 2.5);
  EXPECT_EQ(made.at("policies").at(1).at("verdict").at("grade"), "supported");
  EXPECT_TRUE(made.at("policies").at(0).at("verdict").is_null());
  EXPECT_TRUE(made.at("policies").at(0).at("probability_best").is_null());
  EXPECT_EQ(made.at("policies").at(2).at("error").at("message"), "no weights");
  EXPECT_TRUE(made.at("policies").at(2).at("rank").is_null());
  EXPECT_EQ(made.at("differences").at(0).at("first"), "new");
  EXPECT_EQ(made.at("differences").at(0).at("second"), "logged");
  EXPECT_EQ(made.at("differences").at(0).at("told_apart"), false);
  EXPECT_FALSE(made.at("differences").at(0).contains("logged"));
  EXPECT_EQ(made.at("ranking"), json({"new", "logged"}));
  EXPECT_EQ(made.at("not_told_apart"), json::array({json::array({"new", "logged"})}));
}

TEST(CompareJson, ComesBack) {
  const std::string written = to_json(example());
  const Comparison again = comparison_from_json(written);
  EXPECT_EQ(to_json(again), written);
  EXPECT_EQ(text(again), text(example()));
  EXPECT_EQ(again.differences.front().first, 1U);
  EXPECT_EQ(again.differences.front().difference.logged, 1.0) << "the value of the second policy";
  EXPECT_EQ(again.not_told_apart, example().not_told_apart);
}

TEST(CompareJson, AnotherTextIsRefused) {
  EXPECT_THROW(comparison_from_json("{}"), DataError);
  EXPECT_THROW(comparison_from_json("not JSON"), DataError);
  json wrong = json::parse(to_json(example()));
  wrong["ranking"][0] = "nobody";
  EXPECT_THROW(comparison_from_json(wrong.dump()), DataError);
  wrong = json::parse(to_json(example()));
  wrong["policies"][1].erase("verdict");
  EXPECT_THROW(comparison_from_json(wrong.dump(), "x.json"), DataError);
}

TEST(CompareJson, EveryPartComesBack) {
  const std::string written = to_json(example());
  const Comparison read = comparison_from_json(written);
  EXPECT_EQ(to_json(read), written);
  ASSERT_EQ(read.policies.size(), 3U);
  EXPECT_EQ(std::get<Estimate>(read.policies[1].answer.result).interval->upper, 2.5);
  EXPECT_EQ(std::get<Failure>(read.policies[2].answer.result).message, "no weights");
  EXPECT_EQ(read.policies[1].verdict->grade, Grade::supported);
  EXPECT_FALSE(read.policies[0].verdict);
  ASSERT_EQ(read.differences.size(), 1U);
  EXPECT_EQ(read.differences[0].first, 1U);
  EXPECT_EQ(read.differences[0].difference.logged, 1.0);  // the value of the second policy
  EXPECT_EQ(read.not_told_apart, example().not_told_apart);
}

TEST(CompareJson, OtherTextsAreRefused) {
  EXPECT_THROW(comparison_from_json("{}"), DataError);
  EXPECT_THROW(comparison_from_json("[1"), DataError);
  std::string stranger = to_json(example());
  stranger.replace(stranger.find("\"second\": \"logged\""), 18, "\"second\": \"nobody\"");
  EXPECT_THROW(comparison_from_json(stranger, "c.json"), DataError);
}

}  // namespace
}  // namespace starope
