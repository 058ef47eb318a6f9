#include "starope/q/q_regression.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/q/linear_fqe.hpp"
#include "starope/q/testing.hpp"
#include "starope/q/weighted_returns.hpp"

namespace starope {
namespace {

TEST(QRegression, OnATableIsTheDiscountedMeanOfTheReturnsOfEveryPair) {
  const QLogs logs(testing::tabular_problem({}, Seed{7}, {.discount = Discount{0.8}}), "qreg");
  const StateFeatures features = make_features({}, logs);
  const auto steps = logs.steps(logs.all_episodes());
  const auto returns = weighted_returns(logs, steps);
  const QRegressionFit fit = fit_q_regression(logs, features, logs.all_episodes(), 0.0);
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t z = 0; z < 5; ++z) {
      double sum = 0.0, weight = 0.0;
      for (std::size_t i = 0; i < steps.size(); ++i) {
        if (static_cast<std::size_t>(steps[i].action) != a) continue;
        if (features.cell[steps[i].row] != z) continue;
        sum += std::pow(0.8, static_cast<double>(steps[i].t)) * returns[i];
        weight += std::pow(0.8, static_cast<double>(steps[i].t));
      }
      EXPECT_NEAR(fit.coefficients[a * 5 + z], sum / weight, 1e-12);
    }
  }
}

// The stated program itself, written out: sum of weights (D q - 1_a R)' Omega (D q - 1_a R).
double objective(const QLogs& logs, const StateFeatures& features, const Coefficients& b) {
  const auto steps = logs.steps(logs.all_episodes());
  const auto returns = weighted_returns(logs, steps);
  const auto weights = variance_weights(logs, steps);
  const auto actions = static_cast<std::size_t>(logs.actions());
  double total = 0.0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::vector<std::int64_t> row{steps[i].row};
    std::vector<double> x = linear_values(features, b, logs.actions(), row);
    const auto pe = logs.target(steps[i].row), pb = logs.behavior(steps[i].row);
    double sum = 0.0, squares = 0.0;
    for (std::size_t a = 0; a < actions; ++a) {
      x[a] = pe[a] * x[a] - (static_cast<std::size_t>(steps[i].action) == a ? returns[i] : 0.0);
      sum += x[a];
      squares += x[a] * x[a] / pb[a];
    }
    total += weights[i] * (squares - sum * sum);
  }
  return total;
}

TEST(Mrdr, MinimizesItsQuadraticProgram) {
  for (const FeatureKind kind : {FeatureKind::clusters, FeatureKind::linear}) {
    const QLogs logs(testing::tabular_problem({.dense = true}, Seed{8}, {.discount = Discount{0.9}}), "mrdr");
    const StateFeatures features = make_features({.kind = kind, .clusters = 3}, logs);
    const Coefficients best = fit_mrdr(logs, features, logs.all_episodes(), 0.0, 0.0).coefficients;
    const double least = objective(logs, features, best);
    Random random(Seed{9}, Stream::test_data, 0);
    for (int trial = 0; trial < 40; ++trial) {
      Coefficients other = best;
      const double size = trial % 2 == 0 ? 1e-3 : 1.0;
      double length = 0.0;
      for (double& x : other) {
        const double step = size * random.normal();
        x += step;
        length += step * step;
      }
      // A minimum: no direction descends (beyond what the tiny ridge may leave), and real steps cost.
      EXPECT_GT(objective(logs, features, other), least - 1e-6 * std::sqrt(length));
    }
  }
}

// In the null direction, and where weights are zero, MRDR is plain regression.
TEST(Mrdr, FallsBackOnPlainRegression) {
  // On-policy and one action: Omega is zero everywhere, so nothing but the regression is left.
  const QLogs logs(testing::tabular_problem({.actions = 1, .on_policy = true}, Seed{12}), "mrdr");
  const StateFeatures features = make_features({}, logs);
  const Coefficients mrdr = fit_mrdr(logs, features, logs.all_episodes(), 0.0).coefficients;
  const Coefficients qreg = fit_q_regression(logs, features, logs.all_episodes(), 0.0).coefficients;
  for (std::size_t k = 0; k < qreg.size(); ++k) EXPECT_NEAR(mrdr[k], qreg[k], 1e-6 * (1 + std::abs(qreg[k])));
}

TEST(QRegression, InfluenceIsTheDerivativeInTheMultiplicities) {
  const QLogs logs(
      testing::tabular_problem({.episodes = 12, .states = 3, .actions = 2}, Seed{10}, {.discount = Discount{0.9}}),
      "mrdr");
  const StateFeatures features = make_features({}, logs);
  for (const bool mrdr : {false, true}) {
    // The share of plain regression is relative to the data; the formula holds it fixed.
    const double tolerance = mrdr ? 0.05 : 2e-3;
    const auto fit = [&](const std::vector<std::int64_t>& list) {
      return mrdr ? fit_mrdr(logs, features, list, 0.0) : fit_q_regression(logs, features, list, 0.0);
    };
    const auto start_values = [&](const Coefficients& b) {
      std::vector<std::int64_t> rows;
      for (std::int64_t i = 0; i < 12; ++i) rows.push_back(logs.problem().episode(i).first_row);
      const auto q = linear_values(features, b, 2, rows);
      std::vector<double> v;
      for (std::size_t i = 0; i < 12; ++i)
        v.push_back(mean_over_actions(logs.target(rows[i]), std::span(q).subspan(2 * i, 2)));
      return v;
    };
    const auto value = [&](const std::vector<std::int64_t>& list) {
      const auto v = start_values(fit(list).coefficients);
      double sum = 0.0;
      for (const std::int64_t i : list) sum += v[i] / static_cast<double>(list.size());
      return sum;
    };
    const QRegressionFit all = fit(logs.all_episodes());
    const auto influence = all.influence(direction_of(logs, features, start_slope(logs), logs.all_episodes()));
    const auto v = start_values(all.coefficients);
    const double j = value(logs.all_episodes());
    const auto expected = testing::numerical_influence(12, value);
    double scale = 0.0;
    for (const double x : expected) scale = std::max(scale, std::abs(x));
    for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(12 * influence[i] + v[i] - j, expected[i], tolerance * scale) << i;
  }
}

}  // namespace
}  // namespace starope
