#include "starope/evaluate/answer_json.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace starope {
namespace {

TEST(AnswerJson, WhatIsUnknownIsNull) {
  EXPECT_TRUE(interval_json(std::nullopt).is_null());
  const Json difference = difference_json({.value = std::numeric_limits<double>::infinity(), .logged = 2.0});
  EXPECT_TRUE(difference.at("value").is_null());
  EXPECT_TRUE(difference.at("std_error").is_null());
  EXPECT_EQ(difference.at("logged").at("value"), 2.0);
}

TEST(AnswerJson, AFailureHasAnErrorAndTheOthersAValue) {
  const Json failed = answer_json({.estimator = "is", .result = Failure{.code = "c", .message = "m"}});
  EXPECT_EQ(failed.at("error").at("code"), "c");
  EXPECT_FALSE(failed.contains("value"));
  const Json answered = answer_json({.estimator = "is", .result = Estimate{.value = 2.0}});
  EXPECT_EQ(answered.at("estimator"), "is");
  EXPECT_EQ(answered.at("value"), 2.0);
  EXPECT_FALSE(answered.contains("details"));
}

TEST(AnswerJson, VerdictsHaveTheirReasons) {
  const Json verdict = verdict_json({.grade = Grade::doubtful, .reasons = {{"low_ess", "few", "Log more."}}});
  EXPECT_EQ(verdict.at("grade"), "doubtful");
  EXPECT_EQ(verdict.at("reasons").at(0).at("reason"), "few");
}

}  // namespace
}  // namespace starope
