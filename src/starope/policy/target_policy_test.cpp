#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "starope/data/log_vectors.hpp"
#include "starope/error.hpp"
#include "starope/policy.hpp"
#include "starope/problem.hpp"

namespace starope {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Episodes of 3 and of 2 steps; behavior 1/2 throughout.
starope::testing::LogVectors logs(States states, std::int32_t actions = 2) {
  starope::testing::LogVectors logs;
  logs.states = std::move(states);
  logs.action_count = actions;
  logs.actions = {0, 1, 0, 1, 1};
  logs.rewards = {1, 2, 3};
  logs.end_episode();
  logs.rewards = {1, 2, 3, 4, 5};
  logs.end_episode();
  logs.behavior = {0.5, 0.5, 0.5, 0.5, 0.5};
  logs.target = {0.5, 0.5, 0.5, 0.5, 0.5};
  return logs;
}

Dataset by_id() {
  return logs(make_discrete_states(std::vector<std::int64_t>{7, -2, 7, 7, 900})).dataset();
}

TargetPolicy table() {
  return {.rule = TabularRule{.actions = 2, .states = {-2, 7, 900}, .probabilities = {0.1, 0.9, 0.25, 0.75, 1.0, 0.0}},
          .source = "mine.csv"};
}

TEST(TargetPolicy, TablesGiveProbabilitiesById) {
  const Dataset data = with_target(by_id(), table());
  EXPECT_EQ(data.target()->values, (std::vector<double>{0.25, 0.9, 0.25, 0.75, 0.0}));
  EXPECT_EQ(data.target_distribution()->values,
            (std::vector<double>{0.25, 0.75, 0.1, 0.9, 0.25, 0.75, 0.25, 0.75, 1.0, 0.0}));
  // The ratios are those of the policy, not of what the logs said before.
  const Problem problem = make_problem(data);
  EXPECT_THAT(problem.episode(0).ratios, ElementsAre(0.5, 1.8, 0.5));
}

TEST(TargetPolicy, OneRowHoldsEverywhere) {
  const TargetPolicy constant{.rule = TabularRule{.actions = 2, .states = {}, .probabilities = {0.3, 0.7}}};
  EXPECT_EQ(with_target(by_id(), constant).target()->values, (std::vector<double>{0.3, 0.7, 0.3, 0.7, 0.7}));
}

TEST(TargetPolicy, WhatDoesNotFitIsRefusedWithItsPlace) {
  TargetPolicy other = table();
  std::get<TabularRule>(other.rule).states = {-2, 7, 8};
  EXPECT_THAT([&] { with_target(by_id(), other); },
              ThrowsMessage<DataError>(AllOf(HasSubstr("mine.csv"), HasSubstr("state 900"), HasSubstr("step 1"))));
  const Dataset numbers = logs(DenseStates{.dimension = 1, .values = {1, 2, 3, 4, 5}}).dataset();
  EXPECT_THAT([&] { with_target(numbers, table()); }, ThrowsMessage<DataError>(HasSubstr("--state-kind discrete")));
  const Dataset three = logs(make_discrete_states(std::vector<std::int64_t>{7, -2, 7, 7, 900}), 3).dataset();
  EXPECT_THAT([&] { with_target(three, table()); }, ThrowsMessage<DataError>(HasSubstr("has 2 actions")));
}

// y = softmax of (0, a x + b y): the odds of the second action are exp(a x + b y).
TargetPolicy linear(std::vector<std::string> features = {}) {
  const PolicyLayer layer{.inputs = 2, .outputs = 2, .weights = {0, 0, 1, -2}, .bias = {0, 0.5F}};
  return {.rule = LayeredRule{.features = std::move(features), .layers = {layer}}, .source = "mine.json"};
}

DenseStates two_features() {
  return {.dimension = 2, .values = {1, 0, 0, 1, 2, 2, -1, 0.5, 0, 0}, .names = {"hr", "bp"}};
}

double second(double score) {
  return 1.0 / (1.0 + std::exp(-score));
}

TEST(TargetPolicy, LayersSeeTheFeatures) {
  const Dataset data = logs(two_features()).dataset();
  const std::vector<double> p = action_probabilities(linear(), data, 1, 4);
  EXPECT_NEAR(p[1], second(-2.0 + 0.5), 1e-7);
  EXPECT_NEAR(p[3], second(2.0 - 4.0 + 0.5), 1e-7);
  EXPECT_NEAR(p[5], second(-1.0 - 1.0 + 0.5), 1e-7);
  EXPECT_DOUBLE_EQ(p[0] + p[1], 1.0);
  // By name, in another order.
  const std::vector<double> swapped = action_probabilities(linear({"bp", "hr"}), data, 1, 2);
  EXPECT_NEAR(swapped[1], second(1.0 + 0.5), 1e-7);
  EXPECT_THAT(
      [&] {
        action_probabilities(linear({"hr", "age"}), data, 0, 1);
      },
      ThrowsMessage<DataError>(AllOf(HasSubstr("'age'"), HasSubstr("hr, bp"))));
}

TEST(TargetPolicy, FeaturesAreScaledFirst) {
  TargetPolicy scaled = linear();
  std::get<LayeredRule>(scaled.rule).mean = {1, 1};
  std::get<LayeredRule>(scaled.rule).scale = {2, 4};
  const Dataset data = logs(two_features()).dataset();
  EXPECT_NEAR(action_probabilities(scaled, data, 2, 3)[1], second((2.0 - 1.0) / 2.0 - 2.0 * (2.0 - 1.0) / 4.0 + 0.5),
              1e-7);
}

// Bits of a row do not depend on where the rows were divided, on the threads, or on the precision of the logs.
TEST(TargetPolicy, ARowHasTheSameBitsInAnyCompany) {
  starope::testing::LogVectors many;
  std::vector<float> features;
  for (int i = 0; i < 40'000; ++i) {
    features.push_back(static_cast<float>(std::sin(0.1 * i)));
    features.push_back(static_cast<float>(std::cos(0.37 * i)));
    many.rewards.push_back(1.0);
    many.actions.push_back(i % 2);
    many.behavior.push_back(0.5);
    many.target.push_back(0.5);
  }
  many.end_episode();
  many.action_count = 2;
  many.states = DenseStates{.dimension = 2, .values = std::move(features)};
  const Dataset data = std::move(many).dataset();
  const Column<double> one = with_target(data, linear(), Threads{1}).target_distribution()->values;
  EXPECT_EQ(one, with_target(data, linear(), Threads{3}).target_distribution()->values);
  for (const std::int64_t row : {0, 1, 63, 64, 16'383, 39'999})
    EXPECT_EQ(action_probabilities(linear(), data, row, row + 1)[1], one[2 * row + 1]);
}

TEST(TargetPolicy, BlocksHaveTheNumbersOfMemory) {
  const Dataset data = by_id();
  const Source blocks = with_target(dataset_source(data, 1), table());
  EXPECT_EQ(read_all(blocks).target_distribution()->values, with_target(data, table()).target_distribution()->values);
}

TEST(TargetPolicy, WeightsThatOverflowAreRefused) {
  const PolicyLayer layer{.inputs = 2, .outputs = 2, .weights = {3e38F, 3e38F, 0, 0}, .bias = {3e38F, 0}};
  const TargetPolicy wild{.rule = LayeredRule{.layers = {layer}}, .source = "wild.json"};
  EXPECT_THAT([&] { with_target(logs(two_features()).dataset(), wild); },
              ThrowsMessage<DataError>(AllOf(HasSubstr("wild.json"), HasSubstr("not finite"))));
}

}  // namespace
}  // namespace starope
