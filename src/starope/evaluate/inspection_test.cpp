#include "starope/inspect.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "starope/data/log_vectors.hpp"
#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

using ::testing::DoubleEq;
using ::testing::Optional;

// Three episodes of lengths 2, 1 and 3; states 7, 9; two actions.
Columns small_columns() {
  Columns columns;
  columns.offsets = {0, 2, 3, 6};
  columns.rewards = {1.0, 2.0, 0.0, 4.0, 0.0, -1.0};
  columns.ends = {EpisodeEnd::terminated, EpisodeEnd::truncated, EpisodeEnd::truncated};
  columns.has_final_state = {false, false, true};
  const std::vector<std::int64_t> ids = {7, 9, 9, 9, 9, 9, 11};  // 11: the final state of the last episode
  columns.states = make_discrete_states(ids);
  columns.actions = DiscreteActions{.id = {0, 1, 1, 0, 0, 0}, .count = 2};
  columns.behavior = LoggedProbabilities{.values = {0.5, 0.5, 0.5, 0.5, 1.0, 1.0}};
  columns.target = LoggedProbabilities{.values = {0.25, 0.75, 0.0, 1.0, 0.5, 0.5}};
  columns.behavior_distribution =
      ActionProbabilities{.actions = 2, .values = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1.0, 0.0, 1.0, 0.0}};
  columns.target_distribution =
      ActionProbabilities{.actions = 2, .values = {0.25, 0.75, 0.25, 0.75, 1.0, 0.0, 1.0, 0.0, 0.5, 0.5, 0.5, 0.5}};
  return columns;
}

TEST(Inspection, EpisodesAndTheirEnds) {
  const Inspection found = inspect(Dataset(small_columns()), {.discount = Discount{1.0}});
  EXPECT_EQ(found.episodes, 3);
  EXPECT_EQ(found.steps, 6);
  EXPECT_EQ(found.lengths.min, 1);
  EXPECT_EQ(found.lengths.median, 2.0);
  EXPECT_EQ(found.lengths.mean, 2.0);
  EXPECT_EQ(found.lengths.max, 3);
  EXPECT_EQ(found.truncated, 2);
  EXPECT_EQ(found.final_states, 1);
  ASSERT_TRUE(found.truncated_lengths.has_value());
  EXPECT_EQ(found.truncated_lengths->min, 1);
  EXPECT_EQ(found.truncated_lengths->max, 3);
}

TEST(Inspection, MedianOfAnEvenNumberOfEpisodesIsTheMiddleOfTwo) {
  Columns columns;
  columns.offsets = {0, 1, 5, 7, 17};  // lengths 1, 4, 2, 10
  columns.rewards = std::vector<double>(17, 1.0);
  columns.ends = std::vector<EpisodeEnd>(4, EpisodeEnd::terminated);
  EXPECT_EQ(inspect(Dataset(std::move(columns)), {.discount = Discount{1.0}}).lengths.median, 3.0);
}

TEST(Inspection, DiscreteStatesCountStepsNotFinalStates) {
  const Inspection found = inspect(Dataset(small_columns()), {.discount = Discount{1.0}});
  ASSERT_TRUE(found.discrete_state.has_value());
  EXPECT_EQ(found.discrete_state->distinct, 3);
  EXPECT_EQ(found.discrete_state->visited_once, 1);  // 7; 11 was never acted in
  EXPECT_EQ(found.discrete_state->smallest_id, 7);
  EXPECT_EQ(found.discrete_state->largest_id, 11);
  EXPECT_TRUE(found.features.empty());
}

TEST(Inspection, FeaturesOfRealValuedStates) {
  Columns columns = small_columns();
  columns.states = DenseStates{.dimension = 2,
                               .values = {0, 1, 2, 1, 4, 1, 0, 1, 0, 1, 6, 1, 99, 99},  // the last row is a final state
                               .names = {"hr", "bp"}};
  const Inspection found = inspect(Dataset(std::move(columns)), {.discount = Discount{1.0}});
  ASSERT_EQ(found.features.size(), 2U);
  EXPECT_EQ(found.features[0].name, "hr");
  EXPECT_EQ(found.features[0].range.min, 0.0);
  EXPECT_EQ(found.features[0].range.mean, 2.0);
  EXPECT_EQ(found.features[0].range.max, 6.0);
  EXPECT_EQ(found.features[1].range.max, 1.0);
}

TEST(Inspection, StatesAsBitsAreFeaturesToo) {
  Columns columns = small_columns();
  columns.states = BinaryStates{.dimension = 2, .words = {1, 3, 1, 1, 1, 1, 0}, .names = {}};
  const Inspection found = inspect(Dataset(std::move(columns)), {.discount = Discount{1.0}});
  ASSERT_EQ(found.features.size(), 2U);
  EXPECT_EQ(found.features[0].range.min, 1.0);
  EXPECT_EQ(found.features[1].name, "state_1");
  EXPECT_DOUBLE_EQ(found.features[1].range.mean, 1.0 / 6.0);
}

TEST(Inspection, ActionsAndBothPolicies) {
  const Inspection found = inspect(Dataset(small_columns()), {.discount = Discount{1.0}});
  ASSERT_EQ(found.actions.size(), 2U);
  EXPECT_EQ(found.actions[0].count, 4);
  EXPECT_EQ(found.actions[1].count, 2);
  EXPECT_THAT(found.actions[0].behavior, Optional(DoubleEq(4.0 / 6.0)));
  EXPECT_THAT(found.actions[1].target, Optional(DoubleEq(2.5 / 6.0)));
  // In the last two steps the target policy takes action 1 half of the time, the behavior policy never.
  EXPECT_THAT(found.unsupported_target, Optional(DoubleEq(1.0 / 6.0)));
}

TEST(Inspection, RewardsAndDiscountedReturns) {
  const Inspection found = inspect(Dataset(small_columns()), {.discount = Discount{0.5}});
  EXPECT_EQ(found.rewards.min, -1.0);
  EXPECT_EQ(found.rewards.mean, 1.0);
  EXPECT_EQ(found.rewards.max, 4.0);
  EXPECT_DOUBLE_EQ(found.zero_rewards, 2.0 / 6.0);
  // Returns 1 + 1 = 2, 0, 4 - 0.25 = 3.75.
  EXPECT_DOUBLE_EQ(found.returns.mean, 5.75 / 3.0);
  EXPECT_DOUBLE_EQ(found.returns.max, 3.75);
  const double m = 5.75 / 3.0;
  EXPECT_DOUBLE_EQ(found.return_deviation, std::sqrt(((2 - m) * (2 - m) + m * m + (3.75 - m) * (3.75 - m)) / 2.0));
}

TEST(Inspection, RatiosAndWeights) {
  const Inspection found = inspect(Dataset(small_columns()), {.discount = Discount{1.0}});
  ASSERT_TRUE(found.ratios.has_value());
  EXPECT_EQ(found.ratios->range.min, 0.0);
  EXPECT_EQ(found.ratios->range.max, 2.0);
  EXPECT_DOUBLE_EQ(found.ratios->range.mean, (0.5 + 1.5 + 0.0 + 2.0 + 0.5 + 0.5) / 6.0);
  EXPECT_DOUBLE_EQ(found.ratios->zero_share, 1.0 / 6.0);
  ASSERT_EQ(found.weights.size(), 3U);  // after 1, 2 and 3 steps
  EXPECT_DOUBLE_EQ(found.weights[2].mean, (0.75 + 0.0 + 0.5) / 3.0);
  EXPECT_THAT(found.behavior_probability->min, DoubleEq(0.5));
  EXPECT_THAT(found.target_probability->max, DoubleEq(1.0));
}

TEST(Inspection, LogProbabilitiesAreShownAsProbabilities) {
  Columns columns = small_columns();
  columns.behavior_distribution.reset();
  columns.behavior = LoggedProbabilities{.values = std::vector<double>(6, std::log(0.25)),
                                         .scale = LoggedProbabilities::Scale::logarithm};
  const Inspection found = inspect(Dataset(std::move(columns)), {.discount = Discount{1.0}});
  EXPECT_DOUBLE_EQ(found.behavior_probability->min, 0.25);
}

TEST(Inspection, WithoutProbabilitiesThereAreNoWeights) {
  Columns columns = small_columns();
  columns.target.reset();
  const Inspection found = inspect(Dataset(std::move(columns)), {.discount = Discount{1.0}});
  EXPECT_FALSE(found.ratios.has_value());
  EXPECT_TRUE(found.weights.empty());
  EXPECT_FALSE(found.target_probability.has_value());
}

// n episodes of ten steps; the first of them has ratio 4 in every step, the others 0.5.
Dataset concentrating(std::int64_t n) {
  testing::LogVectors columns;
  columns.densities = true;
  for (std::int64_t i = 0; i < n; ++i) {
    for (int t = 0; t < 10; ++t) {
      columns.rewards.push_back(1.0);
      columns.behavior.push_back(1.0);
      columns.target.push_back(i == 0 ? 4.0 : 0.5);
    }
    columns.end_episode();
  }
  return std::move(columns).dataset();
}

TEST(Inspection, FindsTheStepFromWhichOnFewEpisodesCarryTheWeights) {
  const Inspection found = inspect(concentrating(101), {.discount = Discount{1.0}});
  // After t steps, in units of the small weights: (8^t + 100)^2 / (64^t + 100); 71.1 at t = 1.
  std::int64_t expected = 1;
  const auto ess = [](double w) { return (w + 100.0) * (w + 100.0) / (w * w + 100.0); };
  while (ess(std::pow(8.0, static_cast<double>(expected))) >= 10.0) ++expected;
  EXPECT_EQ(found.weights_fail_at, expected);
  EXPECT_GT(expected, 1);
}

TEST(Inspection, OnPolicyWeightsNeverFail) {
  const Dataset data = testing::random_logs({.episodes = 100, .on_policy = true}, Seed{3});
  EXPECT_FALSE(inspect(data, {.discount = Discount{1.0}}).weights_fail_at.has_value());
}

TEST(Inspection, FewIsHalfOfASmallSample) {
  EXPECT_EQ(few_episodes(4), 2.0);
  EXPECT_EQ(few_episodes(1000), 10.0);
}

// 1 / behavior_prob, summed where the action is taken: 2 of steps 0 and 3, and 1 of the last two; 2 of steps 1 and 2.
TEST(Inspection, ActionsAreCountedByTheirProbabilities) {
  const Inspection found = inspect(Dataset(small_columns()), {.discount = Discount{1.0}});
  EXPECT_THAT(found.actions[0].possible, Optional(DoubleEq(6.0 / 6.0)));
  EXPECT_THAT(found.actions[1].possible, Optional(DoubleEq(4.0 / 6.0)));
  // Sums of action 1 by episode: 2, 2, 0; their variance 4/3, times three episodes, over six steps.
  EXPECT_THAT(found.actions[1].possible_std_error, Optional(DoubleEq(2.0 / 6.0)));
}

TEST(Inspection, CalibrationOfLoggedDistributions) {
  const Inspection found = inspect(Dataset(small_columns()), {.discount = Discount{1.0}});
  // Four steps with two actions of 0.5 each: all of them take one. Two steps with an action of probability 1.
  ASSERT_EQ(found.calibration.size(), 2U);
  EXPECT_EQ(found.calibration[0].least, 0.5);
  EXPECT_EQ(found.calibration[0].steps, 4);
  EXPECT_EQ(found.calibration[0].expected, 1.0);
  EXPECT_EQ(found.calibration[0].observed, 1.0);
  EXPECT_EQ(found.calibration[0].errors, 0.0);
  EXPECT_EQ(found.calibration[1].steps, 2);
}

TEST(Inspection, SaysHowFarWindowsReach) {
  const Inspection found = inspect(testing::random_logs({.episodes = 60, .shortest = 20, .longest = 20}, Seed{8}), {});
  ASSERT_EQ(found.clips.size(), 4U);
  ASSERT_EQ(found.clips[0].by_step.size(), found.weights.size());
  EXPECT_EQ(found.clips[0].speaks_until, 20);
  // A window as long as what has happened is the whole product.
  EXPECT_NEAR(found.clips[0].by_step[0], found.weights[0].ess, 1e-9);
  EXPECT_NEAR(found.clips[1].by_step[1], found.weights[1].ess, 1e-9);
  // The longer the window, the fewer episodes carry it.
  EXPECT_GT(found.clips[0].ess, found.clips[3].ess);
  EXPECT_GT(found.clips[3].by_step.back(), found.weights.back().ess);
}

TEST(Inspection, AsksWhetherTheStateIsMarkov) {
  const Inspection found = inspect(testing::random_logs({.episodes = 100, .shortest = 12, .longest = 12}, Seed{8}), {});
  ASSERT_TRUE(found.history);
  EXPECT_FALSE(found.history->matters);
  EXPECT_EQ(found.history->steps, 1000);
}

}  // namespace
}  // namespace starope
