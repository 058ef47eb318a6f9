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
  const Evaluation::Data cut = describe_data(testing::random_problem(uneven, Seed{2}), "x");
  ASSERT_EQ(cut.findings.size(), 1U);
  EXPECT_EQ(cut.findings[0].code, "recordings_cut");
  EXPECT_TRUE(logged_is_comparable(cut));  // what was recorded is compared with what would have been recorded
  testing::RandomLogsOptions ended = options;
  ended.truncated = 0.0;
  EXPECT_TRUE(describe_data(testing::random_problem(ended, Seed{2}), "x").findings.empty());
}

// Recordings of 3 to 7 steps, of which none goes on behind the first 3.
TEST(Evaluation, RecordingsThatEndBeforeTheHorizonAreNoReturnsOfIt) {
  const testing::RandomLogsOptions options{.episodes = 40, .shortest = 3, .longest = 7, .truncated = 0.5};
  for (const std::int64_t steps : {2, 3}) {
    const Problem short_enough = testing::random_problem(options, Seed{2}, {.horizon = Horizon{steps}});
    EXPECT_TRUE(describe_data(short_enough, "x").findings.empty()) << steps;
  }
  for (const std::int64_t steps : {4, 7, 8}) {
    const Problem too_long = testing::random_problem(options, Seed{2}, {.horizon = Horizon{steps}});
    const Evaluation::Data data = describe_data(too_long, "x");
    ASSERT_EQ(data.findings.size(), 1U) << steps;
    EXPECT_EQ(data.findings[0].code, "recordings_cut");
    EXPECT_FALSE(logged_is_comparable(data));
    const Dataset& logs = too_long.data();
    const auto in_blocks = describe_data(dataset_source(logs), {.horizon = Horizon{steps}}, "x", Threads{1});
    EXPECT_EQ(in_blocks.findings, data.findings);
  }
}

TEST(Evaluation, AnErrorOfTheSizeOfRoundingIsNone) {
  const auto error_of = [](double error) {
    const Answer answer = finished("wis", {.value = 6.0, .std_error = error, .influence = {1e-15, -1e-15}}, {});
    const auto& estimate = std::get<Estimate>(answer.result);
    EXPECT_EQ(estimate.findings.empty() ? "" : estimate.findings[0].code, error < 1e-9 ? "no_spread" : "");
    return estimate.std_error.value();
  };
  EXPECT_EQ(error_of(2e-15), 0.0);
  EXPECT_EQ(error_of(0.5), 0.5);
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
