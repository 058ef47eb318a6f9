#include "starope/estimators/magic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "starope/estimators/direct_method.hpp"
#include "starope/estimators/doubly_robust.hpp"
#include "starope/q/testing.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

using ::testing::ElementsAre;

TEST(Magic, ReturnStepsAreEvenlySpaced) {
  EXPECT_THAT(return_steps(4, 3), ElementsAre(-1, 0, 1, 2));
  EXPECT_THAT(return_steps(5, 50), ElementsAre(-1, 10, 20, 30, 49));
  EXPECT_THAT(return_steps(2, 50), ElementsAre(-1, 49));
}

const std::vector<double>& detail(const Estimate& e, const std::string& name) {
  for (const Detail& d : e.details) {
    if (d.name == name) return std::get<std::vector<double>>(d.value);
  }
  ADD_FAILURE() << "no detail " << name;
  static const std::vector<double> none;
  return none;
}

TEST(Magic, ItsReturnsRunFromTheModelToWdr) {
  const Problem problem = testing::tabular_problem({.longest = 5}, Seed{1}, {.discount = Discount{0.9}});
  const QRecipe q{.method = QMethod::qreg};
  const Estimate magic = estimate(Magic{.q = q}, problem);
  const auto& returns = detail(magic, "returns");
  ASSERT_EQ(returns.size(), 6u);
  EXPECT_NEAR(returns.front(), estimate(DirectMethod{q}, problem).value, 1e-12);
  EXPECT_NEAR(returns.back(), estimate(DoublyRobust{.q = q, .weighted = true}, problem).value, 1e-12);
  const auto& weights = detail(magic, "weights");
  double blended = 0.0, sum = 0.0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    EXPECT_GE(weights[k], 0.0);
    sum += weights[k];
    blended += weights[k] * returns[k];
  }
  EXPECT_NEAR(sum, 1.0, 1e-12);
  EXPECT_NEAR(magic.value, blended, 1e-12);
  double total = 0.0;
  for (const double x : magic.influence) total += x;
  EXPECT_NEAR(total, 0.0, 1e-9);
}

// The program of two and three returns against a search over a grid.
TEST(Magic, WeightsSolveTheStatedProgram) {
  const QLogs logs(testing::tabular_problem({.episodes = 80, .longest = 5}, Seed{2}), "magic");
  const QFit fit = fit_q(QRecipe{.method = QMethod::mb}, logs);
  const StepTerms terms = step_terms(fit.values, logs);
  const WeightedTerms sums = weighted_terms(logs.problem(), terms, Threads{1});
  for (const std::vector<std::int64_t>& steps :
       {std::vector<std::int64_t>{-1, 4}, std::vector<std::int64_t>{-1, 1, 4}}) {
    const std::vector<double> covariance = return_covariance(logs.problem(), terms, sums, steps);
    for (const double size : {0.0, 0.05, 0.5}) {
      std::vector<double> bias(steps.size(), 0.0);
      bias[0] = size;
      const std::vector<double> x = magic_weights(covariance, bias);
      const auto objective = [&](const std::vector<double>& y) {
        double value = 0.0;
        for (std::size_t a = 0; a < y.size(); ++a) {
          for (std::size_t b = 0; b < y.size(); ++b)
            value += y[a] * y[b] * (covariance[a * y.size() + b] + bias[a] * bias[b]);
        }
        return value;
      };
      double least = HUGE_VAL;
      for (int i = 0; i <= 300; ++i) {
        for (int j = 0; j <= (steps.size() == 3 ? 300 - i : 0); ++j) {
          std::vector<double> y{i / 300.0, 1.0 - i / 300.0};
          if (steps.size() == 3) y = {i / 300.0, j / 300.0, 1.0 - (i + j) / 300.0};
          least = std::min(least, objective(y));
        }
      }
      EXPECT_LE(objective(x), least + 1e-14);
      EXPECT_NEAR(objective(x), least, 1e-3 * least);
    }
  }
}

// The covariance of wdr's own contributions is, up to the self-normalization, the square of its standard error.
TEST(Magic, CovarianceIsThatOfTheReturns) {
  const QLogs logs(testing::tabular_problem({.episodes = 50, .longest = 1, .exit = 1.0, .on_policy = true}, Seed{3}),
                   "magic");
  const StepTerms terms = step_terms(make_q_values(logs), logs);
  const WeightedTerms sums = weighted_terms(logs.problem(), terms, Threads{1});
  // One step, on-policy, Q = 0: the contributions are r / n.
  const std::vector<std::int64_t> steps{0};
  const Moments rewards = moments(logs.problem().data().rewards());
  EXPECT_NEAR(return_covariance(logs.problem(), terms, sums, steps)[0], rewards.variance() / 50, 1e-12);
}

}  // namespace
}  // namespace starope
