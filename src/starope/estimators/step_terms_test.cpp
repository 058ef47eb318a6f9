#include "starope/estimators/step_terms.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/q/testing.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

struct Case {
  QLogs logs;
  StepTerms terms;

  explicit Case(double gamma = 0.9)
      : logs(testing::tabular_problem({.episodes = 15, .longest = 6}, Seed{3}, {.discount = Discount{gamma}}), "wdr") {
    QValues q = make_q_values(logs);
    for (std::size_t i = 0; i < q.q.size(); ++i) q.q[i] = std::sin(static_cast<double>(i));
    terms = step_terms(q, logs);
  }
  const Problem& problem() const { return logs.problem(); }

  // The blend written out for episodes that count m[i] times.
  double value(const std::vector<double>& m, const Blend& blend) const {
    double total = 0.0;
    for (std::size_t t = 0; t < blend.value.size(); ++t) {
      double residual = 0.0, value_sum = 0.0, weight = 0.0, before = 0.0;
      for (std::size_t i = 0; i < m.size(); ++i) {
        const LoggedEpisode e = problem().episode(static_cast<std::int64_t>(i));
        double w = m[i], w_before = m[i];
        for (std::size_t j = 0; j < e.ratios.size() && j <= t; ++j) {
          if (j < t) w_before *= e.ratios[j];
          w *= e.ratios[j];
        }
        weight += w;
        before += w_before;
        if (t >= e.ratios.size()) continue;
        residual += w * terms.residual[static_cast<std::size_t>(e.first_row) + t];
        value_sum += w_before * terms.value[static_cast<std::size_t>(e.first_row) + t];
      }
      total += std::pow(problem().discount().gamma(), static_cast<double>(t)) *
               (blend.residual[t] * residual / weight + blend.value[t] * value_sum / before);
    }
    return total;
  }
};

TEST(StepTerms, ValueAndInfluenceOfABlend) {
  const Case c;
  const WeightedTerms sums = weighted_terms(c.problem(), c.terms, Threads{1});
  Blend blend = whole_sum(sums);
  for (int round = 0; round < 2; ++round) {
    std::vector<double> m(15, 1.0);
    EXPECT_NEAR(blended_value(c.problem(), sums, blend), c.value(m, blend), 1e-12);
    const auto influence = blended_influence(c.problem(), c.terms, sums, blend, Threads{1});
    double sum = 0.0;
    for (std::size_t i = 0; i < m.size(); ++i) {
      const double h = 1e-5;
      m[i] = 1 + h;
      const double up = c.value(m, blend);
      m[i] = 1 - h;
      const double down = c.value(m, blend);
      m[i] = 1;
      EXPECT_NEAR(influence[i], 15 * (up - down) / (2 * h), 1e-6 * (1 + std::abs(influence[i])));
      sum += influence[i];
    }
    EXPECT_NEAR(sum, 0.0, 1e-10);
    for (std::size_t t = 0; t < blend.value.size(); ++t) {
      blend.residual[t] = 0.8 - 0.1 * static_cast<double>(t);
      blend.value[t] = 1.0 - 0.15 * static_cast<double>(t);
    }
  }
}

TEST(StepTerms, ThreadsDoNotChangeABit) {
  const Case c;
  EXPECT_EQ(bootstrap_weighted(c.problem(), c.terms, 20, Seed{1}, Threads{1}),
            bootstrap_weighted(c.problem(), c.terms, 20, Seed{1}, Threads{3}));
}

TEST(StepTerms, ReplicatesSpreadAsTheInfluenceSays) {
  const QLogs logs(testing::tabular_problem({.episodes = 800, .longest = 4}, Seed{5}), "wdr");
  const StepTerms terms = step_terms(make_q_values(logs), logs);
  const WeightedTerms sums = weighted_terms(logs.problem(), terms, Threads{1});
  const auto influence = blended_influence(logs.problem(), terms, sums, whole_sum(sums), Threads{1});
  const Moments spread = moments(bootstrap_weighted(logs.problem(), terms, 400, Seed{2}, Threads{1}));
  // A standard deviation from 400 replicates is known to 3.5 %.
  EXPECT_NEAR(std::sqrt(spread.variance()) / moments(influence).standard_error(), 1.0, 0.12);
}

}  // namespace
}  // namespace starope
