#include "starope/inference/step_function.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starope {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;

// 1 with 0.2, 3 with 0.5, 7 with 0.3.
StepFunction three() {
  const std::vector<double> values{3, 7, 1, 3}, weights{2, 3, 2, 3};
  return weighted_distribution(values, weights);
}

TEST(StepFunction, EqualValuesAreOnePoint) {
  EXPECT_EQ(three().points, (std::vector<double>{1, 3, 7}));
  EXPECT_THAT(three().mass, Pointwise(DoubleNear(1e-15), {0.2, 0.5, 0.3}));
  EXPECT_THAT(three().cdf(), Pointwise(DoubleNear(1e-15), {0.2, 0.7, 1.0}));
  EXPECT_NEAR(three().mean(), 0.2 + 1.5 + 2.1, 1e-15);
}

TEST(StepFunction, QuantilesTailsAndThresholds) {
  const StepFunction f = three();
  EXPECT_EQ(f.quantile(0.1), 1.0);
  EXPECT_EQ(f.quantile(0.2), 1.0);
  EXPECT_EQ(f.quantile(0.21), 3.0);
  EXPECT_EQ(f.quantile(0.99), 7.0);
  EXPECT_NEAR(f.tail_mean(0.2), 1.0, 1e-15);
  EXPECT_NEAR(f.tail_mean(0.4), (0.2 * 1 + 0.2 * 3) / 0.4, 1e-15);
  EXPECT_NEAR(f.tail_mean(1.0), f.mean(), 1e-12);
  EXPECT_EQ(f.below(1.0), 0.0);
  EXPECT_NEAR(f.below(3.0), 0.2, 1e-15);
  EXPECT_NEAR(f.below(3.5), 0.7, 1e-15);
  EXPECT_NEAR(f.below(100.0), 1.0, 1e-15);
}

TEST(StepFunction, WhatDecreasesIsReplacedByItsMean) {
  EXPECT_THAT(monotone({-0.1, 0.3, 0.1, 0.2, 0.9, 1.1, 1.0}),
              Pointwise(DoubleNear(1e-12), {0.0, 0.2, 0.2, 0.2, 0.9, 1.0, 1.0}));
  EXPECT_THAT(monotone({0.1, 0.5, 0.8}), Pointwise(DoubleNear(1e-12), {0.1, 0.5, 1.0}));
}

TEST(StepFunction, NumbersComeInTheOrderOfTheQuestion) {
  const std::vector<double> numbers = risk_numbers(three(), {.quantiles = {0.5}, .cvar = {0.2, 1.0}, .below = {4.0}});
  EXPECT_THAT(numbers, Pointwise(DoubleNear(1e-12), {3.0, 1.0, 3.8, 0.7}));
}

}  // namespace
}  // namespace starope
