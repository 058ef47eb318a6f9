#include "starope/q/action_regression.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/q/testing.hpp"

namespace starope {
namespace {

struct Case {
  QLogs logs;
  StateFeatures features;
  std::vector<LoggedStep> steps;
  std::vector<double> y, weights;

  Case(bool dense, FeatureKind kind) : logs(testing::tabular_problem({.dense = dense}, Seed{4}), "fqe") {
    features = make_features({.kind = kind, .waves = 4}, logs);
    steps = logs.steps(logs.all_episodes());
    Random random(Seed{5}, Stream::test_data, 0);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      y.push_back(random.normal());
      weights.push_back(random.uniform(0.1, 2.0));
    }
  }
};

TEST(ActionRegression, IndicatorsGiveWeightedMeans) {
  const Case c(false, FeatureKind::tabular);
  const ActionRegression regression(c.features, c.steps, c.weights, 3, 0.0);
  const Coefficients b = regression.fit(c.y);
  for (std::int32_t a = 0; a < 3; ++a) {
    for (std::size_t z = 0; z < 5; ++z) {
      double sum = 0.0, weight = 0.0;
      for (std::size_t i = 0; i < c.steps.size(); ++i) {
        if (c.steps[i].action != a || c.features.cell[c.steps[i].row] != z) continue;
        sum += c.weights[i] * c.y[i];
        weight += c.weights[i];
      }
      EXPECT_NEAR(b[static_cast<std::size_t>(a) * 5 + z], sum / weight, 1e-14);
    }
  }
}

// Least squares: residuals are orthogonal to the features, up to the ridge that the penalty adds.
TEST(ActionRegression, ResidualsAreOrthogonalToTheFeatures) {
  const Case c(true, FeatureKind::linear);
  const double ridge = 0.05;
  const Coefficients b = ActionRegression(c.features, c.steps, c.weights, 3, ridge).fit(c.y);
  for (std::size_t a = 0; a < 3; ++a) {
    std::vector<double> gradient(4, 0.0);
    double diagonal = 0.0;
    for (std::size_t i = 0; i < c.steps.size(); ++i) {
      if (static_cast<std::size_t>(c.steps[i].action) != a) continue;
      const auto phi = c.features.row(c.steps[i].row);
      double fitted = 0.0;
      for (std::size_t k = 0; k < 4; ++k) {
        fitted += b[a * 4 + k] * static_cast<double>(phi[k]);
        diagonal += c.weights[i] * static_cast<double>(phi[k]) * static_cast<double>(phi[k]) / 4;
      }
      for (std::size_t k = 0; k < 4; ++k) gradient[k] += c.weights[i] * (c.y[i] - fitted) * static_cast<double>(phi[k]);
    }
    for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(gradient[k], ridge * diagonal * b[a * 4 + k], 1e-10);
  }
}

TEST(ActionRegression, LeverageIsTheDerivativeInY) {
  for (const FeatureKind kind : {FeatureKind::clusters, FeatureKind::rbf}) {
    const Case c(true, kind);
    const ActionRegression regression(c.features, c.steps, c.weights, 3, 0.01);
    Coefficients direction(3 * static_cast<std::size_t>(c.features.width));
    for (std::size_t k = 0; k < direction.size(); ++k) direction[k] = std::cos(static_cast<double>(k));
    const auto along = [&](const std::vector<double>& y) {
      const Coefficients b = regression.fit(y);
      double sum = 0.0;
      for (std::size_t k = 0; k < b.size(); ++k) sum += direction[k] * b[k];
      return sum;
    };
    const std::vector<double> leverage = regression.leverage(direction);
    const double before = along(c.y);
    for (const std::size_t i : {std::size_t{0}, std::size_t{7}, c.steps.size() - 1}) {
      std::vector<double> y = c.y;
      y[i] += 1.0;  // the fit is linear in y: a finite difference is exact
      EXPECT_NEAR(leverage[i], along(y) - before, 1e-9);
    }
  }
}

TEST(LinearValues, AreFeaturesTimesCoefficientsAndAddFeaturesTheirTranspose) {
  for (const FeatureKind kind : {FeatureKind::clusters, FeatureKind::rbf}) {
    const Case c(true, kind);
    const auto size = 3 * static_cast<std::size_t>(c.features.width);
    Coefficients b(size);
    for (std::size_t k = 0; k < size; ++k) b[k] = std::sin(static_cast<double>(3 * k));
    std::vector<std::int64_t> rows;
    for (const LoggedStep& step : c.steps) rows.push_back(step.row);
    const std::vector<double> q = linear_values(c.features, b, 3, rows);
    std::vector<double> u(q.size());
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = std::cos(static_cast<double>(i));
    Coefficients back(size, 0.0);
    add_features(c.features, rows, u, 3, back);
    double left = 0.0, right = 0.0;
    for (std::size_t i = 0; i < u.size(); ++i) left += u[i] * q[i];
    for (std::size_t k = 0; k < size; ++k) right += b[k] * back[k];
    EXPECT_NEAR(left, right, 1e-9 * (1 + std::abs(left)));
    EXPECT_NE(left, 0.0);
  }
}

}  // namespace
}  // namespace starope
