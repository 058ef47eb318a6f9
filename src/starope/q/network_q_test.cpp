#include "starope/q/network_q.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/q/linear_fqe.hpp"
#include "starope/q/q_regression.hpp"
#include "starope/q/testing.hpp"

namespace starope {
namespace {

// Dense states that take five values: a table over them is the answer that a network should come close to.
struct Comparison {
  QLogs logs;
  StateFeatures numbers, cells;
  QValues network, table;

  explicit Comparison(const ProblemOptions& options)
      : logs(testing::tabular_problem({.episodes = 400, .longest = 6, .dense = true, .noise = 0.3}, Seed{3}, options),
             "fqe"),
        numbers(make_features({.kind = FeatureKind::raw}, logs)),
        cells(make_features({.kind = FeatureKind::tabular}, logs)),
        network(make_q_values(logs)),
        table(make_q_values(logs)) {}

  // The root mean squared difference as a share of the spread of the table's values.
  double difference() const {
    double squares = 0.0, sum = 0.0, all = 0.0;
    for (std::size_t i = 0; i < table.q.size(); ++i) {
      squares += std::pow(network.q[i] - table.q[i], 2);
      sum += table.q[i];
      all += table.q[i] * table.q[i];
    }
    const auto n = static_cast<double>(table.q.size());
    return std::sqrt(squares / n / (all / n - sum / n * (sum / n)));
  }
};

TEST(NetworkFqe, ComesCloseToTheTableOverAHorizon) {
  Comparison c({.discount = Discount{0.9}, .horizon = Horizon{6}});
  const auto all = c.logs.all_episodes();
  const NetworkFit fit = fit_network_fqe(c.logs, c.numbers, all, all, {}, c.network);
  EXPECT_EQ(fit.iterations, 6);
  EXPECT_EQ(fit.held_out, 40);
  write_values(LinearBackup(c.logs, c.cells, all, 0.0).fit(), c.logs, c.cells, all, c.table);
  EXPECT_LT(c.difference(), 0.15);
}

TEST(NetworkRegression, ComesCloseToTheTable) {
  Comparison c({.discount = Discount{0.5}});
  const auto all = c.logs.all_episodes();
  fit_network_regression(c.logs, c.numbers, all, all, {}, false, c.network);
  const Coefficients b = fit_q_regression(c.logs, c.cells, all, 0.0).coefficients;
  write_values({.reward = b, .outcome = {Coefficients(b.size(), 0.0)}}, c.logs, c.cells, all, c.table);
  EXPECT_LT(c.difference(), 0.25);
}

}  // namespace
}  // namespace starope
