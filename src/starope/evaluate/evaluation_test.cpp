#include "starope/evaluate/evaluation.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

TEST(Evaluation, DataAreDescribedUpToTheHorizon) {
  const Problem problem = testing::random_problem({.episodes = 40, .shortest = 3, .longest = 9, .truncated = 0.0},
                                                  Seed{2}, {.discount = Discount{0.5}, .horizon = Horizon{2}});
  const Evaluation::Data data = describe_data(problem, "logs.csv");
  EXPECT_EQ(data.file, "logs.csv");
  EXPECT_EQ(data.episodes, 40);
  EXPECT_EQ(data.steps, 80);
  EXPECT_EQ(data.truncated, 40);  // every episode goes on behind the horizon
  EXPECT_EQ(data.gamma, 0.5);
  EXPECT_EQ(data.horizon, 2);
  EXPECT_GT(data.ess, 1.0);
  EXPECT_LT(data.ess, 40.0);
}

TEST(Evaluation, CutsAtOneLengthSuggestTheHorizon) {
  const testing::RandomLogsOptions options{.episodes = 40, .shortest = 7, .longest = 7, .truncated = 0.5};
  const Evaluation::Data open = describe_data(testing::random_problem(options, Seed{2}), "x");
  ASSERT_EQ(open.findings.size(), 1U);
  EXPECT_EQ(open.findings[0].code, "natural_horizon");
  EXPECT_NE(text(open.findings[0]).find("--horizon 7"), std::string::npos);
  EXPECT_TRUE(describe_data(testing::random_problem(options, Seed{2}, {.horizon = Horizon{7}}), "x").findings.empty());
  testing::RandomLogsOptions uneven = options;
  uneven.shortest = 3;
  EXPECT_TRUE(describe_data(testing::random_problem(uneven, Seed{2}), "x").findings.empty());
  testing::RandomLogsOptions ended = options;
  ended.truncated = 0.0;
  EXPECT_TRUE(describe_data(testing::random_problem(ended, Seed{2}), "x").findings.empty());
}

TEST(Evaluation, OnPolicyLogsAreWorthAllTheirEpisodes) {
  const Problem problem = testing::random_problem({.episodes = 17, .on_policy = true}, Seed{3});
  EXPECT_DOUBLE_EQ(describe_data(problem, "x").ess, 17.0);
}

TEST(Evaluation, AValueThatIsNoNumberIsAFailure) {
  for (const double bad : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    const Answer answer = make_answer({.estimator = "is", .value = bad});
    EXPECT_EQ(answer.estimator, "is");
    ASSERT_TRUE(std::holds_alternative<Failure>(answer.result));
    EXPECT_EQ(std::get<Failure>(answer.result).code, "not_finite");
    EXPECT_FALSE(any_answered({.data = {}, .estimates = {answer}}));
  }
}

TEST(Evaluation, AnUncertaintyThatIsNoNumberIsLeftOutAndSaid) {
  const Answer answer = make_answer({.estimator = "is",
                                     .value = 1.0,
                                     .std_error = std::numeric_limits<double>::infinity(),
                                     .interval = Interval{.lower = 0.0, .upper = 2.0}});
  const auto& estimate = std::get<Estimate>(answer.result);
  EXPECT_FALSE(estimate.std_error.has_value());
  EXPECT_FALSE(estimate.interval.has_value());
  ASSERT_EQ(estimate.findings.size(), 1U);
  EXPECT_EQ(estimate.findings[0].code, "not_finite_error");
  EXPECT_TRUE(any_answered({.data = {}, .estimates = {answer}}));
}

TEST(Evaluation, GoodAnswersStayAsTheyAre) {
  const Answer answer = make_answer({.estimator = "wis", .value = 1.0, .std_error = 0.5});
  const auto& estimate = std::get<Estimate>(answer.result);
  EXPECT_EQ(estimate.std_error, 0.5);
  EXPECT_TRUE(estimate.findings.empty());
}

TEST(Evaluation, WhatTheChecksFoundComesFirst) {
  std::vector<Finding> all = {{Severity::info, "natural_horizon", {{"steps", 5}}}};
  put_first(all, {{Severity::critical, "rewards_early", {{"action", "action 1"}, {"errors", 9.0}}}});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].code, "rewards_early");
  EXPECT_EQ(all[1].code, "natural_horizon");
}

}  // namespace
}  // namespace starope
