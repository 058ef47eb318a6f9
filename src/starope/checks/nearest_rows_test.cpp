#include "starope/checks/nearest_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "starope/rng/random.hpp"

namespace starope {
namespace {

Dataset logs(std::vector<double> states, std::int64_t dimension, std::vector<std::int32_t> actions,
             std::int32_t count) {
  Columns columns;
  const auto steps = static_cast<std::int64_t>(actions.size());
  columns.offsets = {0, steps};
  columns.ends = {EpisodeEnd::terminated};
  columns.rewards = std::vector<double>(actions.size(), 0.0);
  columns.states = DenseStates{.dimension = dimension, .values = std::move(states)};
  columns.actions = DiscreteActions{.id = std::move(actions), .count = count};
  return Dataset(std::move(columns));
}

std::vector<NearestRow> nearest(const Dataset& data, std::int64_t most = 1000) {
  return nearest_rows(data, std::get<DenseStates>(data.states()), std::get<DiscreteActions>(data.actions()), most);
}

TEST(NearestRows, ByHand) {
  // Standard deviation 5; row 2 is nearest to row 0, but has another action; row 4's action is its own.
  const auto found = nearest(logs({0.0, 10.0, 1.0, 4.0, 13.0}, 1, {0, 0, 1, 0, 2}, 3));
  const double variance = (0.0 + 100.0 + 1.0 + 16.0 + 169.0) / 5.0 - 5.6 * 5.6;
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].other, 3);
  EXPECT_NEAR(found[0].distance, 16.0 / variance, 1e-12);
  EXPECT_EQ(found[1].other, 3);
  EXPECT_EQ(found[2].row, 3);
  EXPECT_EQ(found[2].other, 0);
}

TEST(NearestRows, FeaturesCountByTheirWeights) {
  const std::vector<double> states{0.0, 0.0, 1.0, 9.0, 9.0, 1.0};  // rows (0, 0), (1, 9), (9, 1)
  const Dataset data = logs(states, 2, {0, 0, 0}, 1);
  const auto of = [&](std::vector<double> weights) {
    return nearest_rows(data, std::get<DenseStates>(data.states()), std::get<DiscreteActions>(data.actions()), 9,
                        weights)
        .front();
  };
  EXPECT_EQ(of({1.0, 0.0}).other, 1);
  EXPECT_EQ(of({0.0, 1.0}).other, 2);
}

TEST(NearestRows, FeaturesMatterThatTellMoreThanChance) {
  Random random(Seed{6}, Stream::test_data, 0);
  std::vector<double> states, y;
  std::vector<std::int32_t> actions;
  for (int i = 0; i < 2000; ++i) {
    states.push_back(random.uniform());
    states.push_back(random.uniform());
    actions.push_back(i % 2);
    y.push_back((states[states.size() - 2] > 0.5) == (i % 2 == 1) ? 0.8 : 0.2);
  }
  const Dataset data = logs(states, 2, actions, 2);
  const std::vector<double> relevance =
      feature_relevance(std::get<DenseStates>(data.states()), std::get<DiscreteActions>(data.actions()), y, 1000);
  EXPECT_GT(relevance[0], 0.85);
  EXPECT_EQ(relevance[1], 0.0);
}

TEST(NearestRows, WhatLookingAtAllPairsFinds) {
  Random random(Seed{5}, Stream::test_data, 0);
  constexpr std::int64_t n = 300, d = 3;
  std::vector<double> states;
  std::vector<std::int32_t> actions;
  for (std::int64_t i = 0; i < n; ++i) {
    // Few values, so that many rows are equally near.
    for (std::int64_t k = 0; k < d; ++k) states.push_back(std::floor(4.0 * random.uniform()));
    actions.push_back(random.uniform() < 0.3 ? 1 : 0);
  }
  std::vector<double> scale(d);
  for (std::size_t k = 0; k < d; ++k) {
    double sum = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      sum += states[i * d + k];
      squares += states[i * d + k] * states[i * d + k];
    }
    scale[k] = 1.0 / std::sqrt(squares / n - sum / n * (sum / n));
  }
  const auto found = nearest(logs(states, d, actions, 2));
  ASSERT_EQ(found.size(), static_cast<std::size_t>(n));
  for (std::size_t a = 0; a < n; ++a) {
    double best = HUGE_VAL;
    std::int64_t other = -1;
    for (std::size_t b = 0; b < n; ++b) {
      if (a == b || actions[a] != actions[b]) continue;
      double distance = 0.0;
      for (std::size_t k = 0; k < d; ++k) {
        const double apart = scale[k] * states[a * d + k] - scale[k] * states[b * d + k];
        distance += apart * apart;
      }
      if (distance < best) best = distance, other = static_cast<std::int64_t>(b);
    }
    EXPECT_EQ(found[a], (NearestRow{.row = static_cast<std::int64_t>(a), .other = other, .distance = best})) << a;
  }
}

TEST(NearestRows, TakesRowsThatStandApart) {
  const auto found = nearest(logs({0.0, 0.1, 5.0, 5.1, 9.0, 9.1}, 1, {0, 0, 0, 0, 0, 0}, 1), 3);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].other, 2);
  EXPECT_EQ(found[1].other, 4);
}

}  // namespace
}  // namespace starope
