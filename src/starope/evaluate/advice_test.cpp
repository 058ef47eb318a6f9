#include "starope/evaluate/advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "starope/data/log_vectors.hpp"
#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

using ::testing::HasSubstr;

// 1,000 episodes of up to 50 steps about which there is nothing to say but that the weights hold.
Inspection calm() {
  Inspection inspection;
  inspection.episodes = 1000;
  inspection.steps = 20000;
  inspection.lengths = {.min = 5, .median = 20.0, .mean = 20.0, .max = 50};
  inspection.features = {{.name = "hr", .range = {.min = 0.0, .mean = 1.0, .max = 2.0}}};
  inspection.behavior_probability = inspection.target_probability =
      Inspection::Range{.min = 0.1, .mean = 0.5, .max = 0.9};
  inspection.ratios = Inspection::Ratios{.range = {.min = 0.5, .mean = 1.01, .max = 2.0}, .std_error = 0.01};
  inspection.weights = {{.t = 1, .mean = 1.01, .std_error = 0.01, .ess = 900.0, .scores = 500.0},
                        {.t = 50, .mean = 0.9, .std_error = 0.05, .ess = 250.0, .scores = 100.0}};
  return inspection;
}

std::string message_of(const Inspection& inspection, const std::string& code) {
  for (const Finding& finding : advice(inspection)) {
    if (finding.code == code) return text(finding);
  }
  return "no finding " + code;
}

bool says(const Inspection& inspection, const std::string& code) {
  return message_of(inspection, code) != "no finding " + code;
}

TEST(Advice, CalmDataGetOneKindWord) {
  const auto findings = advice(calm());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].code, "weights_hold");
  EXPECT_THAT(text(findings[0]), HasSubstr("250 of 1,000 episodes"));
}

TEST(Advice, CollapsedWeightsNameStepAndRemedy) {
  Inspection inspection = calm();
  inspection.weights_fail_at = 12;
  const std::string message = message_of(inspection, "weights_collapse");
  EXPECT_THAT(message, HasSubstr("After 12 steps, fewer than 10 of 1,000 episodes carry the weights"));
  EXPECT_THAT(message, HasSubstr("star(clusters=32,clip=2)"));
  EXPECT_FALSE(says(inspection, "weights_hold"));
  inspection.discrete_state = Inspection::DiscreteState{};
  EXPECT_THAT(message_of(inspection, "weights_collapse"), HasSubstr("star(phi=identity,clip=1)"));
}

TEST(Advice, WhatTheChecksFoundStaysAndIsNotSaidTwice) {
  Inspection inspection = calm();
  inspection.weights[1] = {.t = 50, .mean = 2.0, .std_error = 0.1, .ess = 300.0, .scores = 200.0};
  EXPECT_TRUE(says(inspection, "weight_mean"));
  inspection.findings = {
      {Severity::critical,
       "ratio_mean",
       {{"where", "all steps"}, {"mean", 1.2}, {"errors", 9.0}, {"sure", "yes"}, {"mistake", "unknown"}}}};
  EXPECT_THAT(message_of(inspection, "ratio_mean"), HasSubstr("is 1.2, 9 standard errors from 1"));
  EXPECT_FALSE(says(inspection, "weight_mean"));
  EXPECT_EQ(advice(inspection).front().code, "ratio_mean");
}

TEST(Advice, LowMeanWeightCountsOnlyWhereManyEpisodesCarryIt) {
  Inspection inspection = calm();
  inspection.weights[1] = {.t = 50, .mean = 0.2, .std_error = 0.1, .ess = 3.0, .scores = 2.0};
  EXPECT_FALSE(says(inspection, "weight_mean"));
  EXPECT_THAT(message_of(inspection, "weights_missing"), HasSubstr("After 50 steps the weights have mean 0.2"));
  inspection.weights[1].scores = 50.0;
  EXPECT_THAT(message_of(inspection, "weight_mean"), HasSubstr("after 50 steps is 0.2, 8 standard errors from 1"));
  inspection.weights[1] = {.t = 50, .mean = 2.0, .std_error = 0.1, .ess = 3.0, .scores = 2.0};
  EXPECT_TRUE(says(inspection, "weight_mean"));
}

TEST(Advice, SoundLogsOfDifferentPoliciesRaiseNoAlarm) {
  // Probabilities drawn so that the ratio has mean 1: behavior 0.5, target uniform around it.
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(Seed{seed}, Stream::test_data, 1);
    testing::LogVectors columns;
    for (int i = 0; i < 300; ++i) {
      for (int t = 0; t < 30; ++t) {
        columns.rewards.push_back(1.0);
        columns.behavior.push_back(0.5);
        columns.target.push_back(random.uniform() < 0.5 ? 0.9 : 0.1);
      }
      columns.end_episode();
    }
    const Inspection inspection = inspect(std::move(columns).dataset(), {.discount = Discount{1.0}});
    EXPECT_FALSE(says(inspection, "ratio_mean")) << seed;
    EXPECT_FALSE(says(inspection, "weight_mean")) << seed;
    EXPECT_TRUE(says(inspection, "weights_collapse")) << seed;
  }
}

TEST(Advice, Support) {
  Inspection inspection = calm();
  inspection.unsupported_target = 0.25;
  inspection.ratios->zero_share = 0.125;
  EXPECT_THAT(message_of(inspection, "unsupported_actions"), HasSubstr("25 %"));
  EXPECT_THAT(message_of(inspection, "zero_ratios"), HasSubstr("12 %"));
}

TEST(Advice, TruncationAtOneLengthIsTheHorizon) {
  Inspection inspection = calm();
  inspection.truncated = 30;
  inspection.truncated_lengths = Inspection::Span{.min = 50, .max = 50};
  EXPECT_THAT(message_of(inspection, "natural_horizon"),
              HasSubstr("All truncated episodes have 50 steps: 50 is the natural --horizon."));
  inspection.truncated_lengths = Inspection::Span{.min = 20, .max = 50};
  EXPECT_THAT(message_of(inspection, "uneven_truncation"),
              HasSubstr("30 episodes were cut after 20 to 50 steps while others ran longer"));
  EXPECT_THAT(message_of(inspection, "uneven_truncation"), HasSubstr("--horizon 20 or less"));
  inspection.truncated_lengths = Inspection::Span{.min = 20, .max = 20};  // but others ran longer
  EXPECT_FALSE(says(inspection, "natural_horizon"));
}

TEST(Advice, MissingColumns) {
  Inspection inspection = calm();
  inspection.ends_logged = false;
  inspection.features.clear();
  inspection.ratios.reset();
  inspection.weights.clear();
  inspection.behavior_probability.reset();
  inspection.target_probability.reset();
  EXPECT_THAT(message_of(inspection, "ends_not_logged"), HasSubstr("every last row is taken as a termination"));
  EXPECT_TRUE(says(inspection, "no_states"));
  EXPECT_THAT(message_of(inspection, "no_behavior_probability"), HasSubstr("--behavior-prob"));
  EXPECT_THAT(message_of(inspection, "no_target_probability"), HasSubstr("--target-prob"));
}

TEST(Advice, EqualPoliciesNeedNoWordAboutWeights) {
  Inspection inspection = calm();
  inspection.ratios->range = {.min = 1.0, .mean = 1.0, .max = 1.0};
  EXPECT_FALSE(says(inspection, "weights_hold"));
}

TEST(Advice, ConstantFeaturesAndRareStates) {
  Inspection inspection = calm();
  inspection.features.push_back({.name = "ward", .range = {.min = 3.0, .mean = 3.0, .max = 3.0}});
  EXPECT_EQ(message_of(inspection, "constant_features"), "1 state feature never changes: ward.");
  inspection.discrete_state = Inspection::DiscreteState{.distinct = 100, .visited_once = 21};
  EXPECT_THAT(message_of(inspection, "rare_states"), HasSubstr("21 of 100 states"));
  inspection.discrete_state->visited_once = 20;
  EXPECT_FALSE(says(inspection, "rare_states"));
}

TEST(Advice, TheWorstComesFirst) {
  Inspection inspection = calm();
  inspection.ratios->zero_share = 0.125;
  inspection.weights_fail_at = 12;
  const auto findings = advice(inspection);
  EXPECT_TRUE(std::is_sorted(findings.begin(), findings.end(),
                             [](const Finding& a, const Finding& b) { return a.severity > b.severity; }));
  EXPECT_EQ(findings.front().code, "weights_collapse");
}

TEST(Advice, WhatConcernsMoreOfTheAnswerComesFirst) {
  Inspection inspection = calm();
  inspection.weights_fail_at = 19;  // of 20 steps: a tenth of the answer
  inspection.history = {.of = "hr", .gain = 0.4, .errors = 9.0, .steps = 5000, .matters = true};
  inspection.unsupported_target = 0.2;  // in each of 20 steps: nearly all of it
  std::vector<std::string> codes;
  for (const Finding& finding : advice(inspection)) codes.push_back(finding.code);
  ASSERT_EQ(codes.size(), 3U);
  EXPECT_EQ(codes[0], "unsupported_actions");
  EXPECT_EQ(codes[1], "row_before_helps");
  EXPECT_EQ(codes[2], "weights_collapse");
  EXPECT_THAT(message_of(inspection, "row_before_helps"),
              HasSubstr("explains 40 % of the variance of hr that state and action do not explain"));
}

TEST(Advice, AStateThatIsMarkovIsNoNews) {
  Inspection inspection = calm();
  inspection.history = {.of = "hr", .gain = 0.01, .errors = 0.3, .steps = 5000, .matters = false};
  EXPECT_FALSE(says(inspection, "row_before_helps"));
}

}  // namespace
}  // namespace starope
