#include "starope/behavior/logistic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "starope/rng/random.hpp"

namespace starope {
namespace {

struct Sample {
  ActionLogs logs{};
  std::vector<std::int64_t> rows{};
};

// Scores 0, 1 + 2 x, -x - y.
Sample drawn(std::int64_t steps) {
  Sample sample;
  sample.logs.actions = 3;
  sample.logs.dimension = 2;
  Random random(Seed{5}, Stream::test_data, 0);
  for (std::int64_t i = 0; i < steps; ++i) {
    const double x = random.normal(), y = random.normal();
    const double b = std::exp(1.0 + 2.0 * x), c = std::exp(-x - y), u = random.uniform() * (1.0 + b + c);
    sample.logs.features.insert(sample.logs.features.end(), {x, y});
    sample.logs.action.push_back(u < 1.0 ? 0 : (u < 1.0 + b ? 1 : 2));
    sample.rows.push_back(i);
  }
  return sample;
}

TEST(Logistic, FindsThePolicyThatDrewTheActions) {
  const Sample sample = drawn(20'000);
  const auto p = logistic_probabilities(sample.logs, sample.rows, sample.rows, 1e-6);
  double error = 0.0;
  for (std::size_t i = 0; i < sample.rows.size(); ++i) {
    const double x = sample.logs.features[2 * i], y = sample.logs.features[2 * i + 1];
    const double b = std::exp(1.0 + 2.0 * x), c = std::exp(-x - y);
    error += std::abs(p[3 * i + 1] - b / (1.0 + b + c)) / static_cast<double>(sample.rows.size());
    EXPECT_NEAR(p[3 * i] + p[3 * i + 1] + p[3 * i + 2], 1.0, 1e-12);
  }
  EXPECT_LT(error, 0.01);
}

// At the maximum of the likelihood: sum (1{a} - p(a)) x = 0 for every action and feature, the constant included; with a
// ridge it is ridge * n * coefficient, so it vanishes for the constant alone.
TEST(Logistic, IsAtTheMaximumOfTheLikelihood) {
  const Sample sample = drawn(500);
  for (const double ridge : {0.0, 0.3}) {
    const auto p = logistic_probabilities(sample.logs, sample.rows, sample.rows, ridge);
    for (std::size_t a = 0; a < 3; ++a) {
      double constant = 0.0, slope = 0.0;
      for (std::size_t i = 0; i < sample.rows.size(); ++i) {
        const double rest = (sample.logs.action[i] == static_cast<std::int32_t>(a) ? 1.0 : 0.0) - p[3 * i + a];
        constant += rest;
        slope += rest * sample.logs.features[2 * i];
      }
      EXPECT_NEAR(constant, 0.0, 0.02);
      if (ridge == 0.0) {
        EXPECT_NEAR(slope, 0.0, 0.02);
      } else if (a == 1) {
        EXPECT_GT(slope, 1.0);
      }
    }
  }
}

TEST(Logistic, ActionsThatStatesSeparateKeepProbabilitiesAboveZero) {
  Sample sample;
  sample.logs.actions = 2;
  sample.logs.dimension = 1;
  for (std::int64_t i = 0; i < 50; ++i) {
    sample.logs.features.push_back(i < 25 ? -1.0 : 1.0);
    sample.logs.action.push_back(i < 25 ? 0 : 1);
    sample.rows.push_back(i);
  }
  const auto p = logistic_probabilities(sample.logs, sample.rows, sample.rows, 1e-4);
  EXPECT_GT(p[0], 0.9);
  EXPECT_GT(p[1], 0.0);
}

}  // namespace
}  // namespace starope
