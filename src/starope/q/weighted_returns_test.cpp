#include "starope/q/weighted_returns.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/q/testing.hpp"

namespace starope {
namespace {

TEST(WeightedReturns, AreTheSumsOfTheirDefinition) {
  const QLogs logs(testing::tabular_problem({.cut = 0.1}, Seed{6}, {.discount = Discount{0.9}}), "qreg");
  const auto steps = logs.steps(logs.all_episodes());
  const auto returns = weighted_returns(logs, steps);
  const auto weights = variance_weights(logs, steps);
  std::vector<double> expected_weights(steps.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    double expected = 0.0, product = 1.0;
    for (std::size_t u = i; u < steps.size() && steps[u].episode == steps[i].episode; ++u) {
      if (u > i) product *= 0.9 * steps[u].ratio;
      expected += product * steps[u].reward;
    }
    EXPECT_NEAR(returns[i], expected, 1e-12 * (1 + std::abs(expected)));
    double before = 1.0;
    for (std::size_t u = i - static_cast<std::size_t>(steps[i].t); u < i; ++u) before *= 0.9 * steps[u].ratio;
    expected_weights[i] = before * before * steps[i].ratio;
    sum += expected_weights[i];
  }
  for (std::size_t i = 0; i < steps.size(); ++i)
    EXPECT_NEAR(weights[i], expected_weights[i] * static_cast<double>(steps.size()) / sum, 1e-12 * (1 + weights[i]));
}

TEST(WeightedReturns, AZeroRatioEndsTheSum) {
  Columns c;
  c.offsets = {0, 3};
  c.rewards = {1, 10, 100};
  c.ends = {EpisodeEnd::terminated};
  c.states = make_discrete_states(std::vector<std::int64_t>{0, 0, 0});
  c.actions = DiscreteActions{.id = {0, 0, 0}, .count = 2};
  c.behavior = LoggedProbabilities{.values = {0.5, 0.5, 0.5}};
  c.target = LoggedProbabilities{.values = {1, 1, 0}};
  c.target_distribution = ActionProbabilities{.actions = 2, .values = {1, 0, 1, 0, 0, 1}};
  const QLogs logs(make_problem(Dataset(std::move(c))), "qreg");
  const auto steps = logs.steps(logs.all_episodes());
  EXPECT_EQ(weighted_returns(logs, steps), (std::vector<double>{1 + 2 * 10, 10, 100}));
  // 1 * 2, 4 * 2, 16 * 0, over their mean 10/3
  EXPECT_EQ(variance_weights(logs, steps), (std::vector<double>{2 / (10.0 / 3), 8 / (10.0 / 3), 0}));
}

}  // namespace
}  // namespace starope
