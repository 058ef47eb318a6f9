#include "starope/q/tabular_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/error.hpp"
#include "starope/q/testing.hpp"

namespace starope {
namespace {

void expect_equal_q(const QLogs& logs, const StateFeatures& features) {
  const auto all = logs.all_episodes();
  QValues model = make_q_values(logs), fqe = make_q_values(logs);
  write_values(solve_tabular_model(logs, features, all), logs, features, all, model);
  write_values(LinearBackup(logs, features, all, 0.0).fit(), logs, features, all, fqe);
  ASSERT_EQ(model.q.size(), fqe.q.size());
  double size = 0.0;
  for (const double q : fqe.q) size = std::max(size, std::abs(q));
  EXPECT_GT(size, 0.1);
  for (std::size_t i = 0; i < fqe.q.size(); ++i) ASSERT_NEAR(model.q[i], fqe.q[i], 1e-11 * size) << i;
}

TEST(TabularModel, EqualsTabularFittedQEvaluation) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    for (const double gamma : {0.7, 1.0}) {
      const testing::TabularLogsOptions cut{.longest = 5, .cut = 0.1, .final_states = seed == 2};
      const ProblemOptions without{.discount = Discount{gamma}},
          with{.discount = Discount{gamma}, .horizon = Horizon{7}};
      for (const ProblemOptions& options : {without, with}) {
        const QLogs logs(testing::tabular_problem(cut, Seed{seed}, options), "mb");
        expect_equal_q(logs, make_features({}, logs));
      }
    }
  }
}

TEST(TabularModel, EqualsFittedQEvaluationOverClustersInsideWhichThePolicyDiffers) {
  for (const std::optional<Horizon> horizon : {std::optional<Horizon>{}, std::optional<Horizon>{Horizon{6}}}) {
    const QLogs logs(testing::tabular_problem({.states = 9, .longest = 12, .cut = 0.05, .dense = true}, Seed{5},
                                              {.discount = Discount{0.95}, .horizon = horizon}),
                     "mb");
    expect_equal_q(logs, make_features({.kind = FeatureKind::clusters, .clusters = 3}, logs));
  }
}

TEST(TabularModel, SaysWhereTheProcessNeverEnds) {
  Columns c;  // one episode that is cut, another of a different length: no horizon, but state 0 has a known successor
  c.offsets = {0, 2};
  c.rewards = {1, 1};
  c.ends = {EpisodeEnd::truncated};
  c.has_final_state = {true};
  c.states = make_discrete_states(std::vector<std::int64_t>{0, 0, 0});
  c.actions = DiscreteActions{.id = {0, 0}, .count = 1};
  c.behavior = c.target = LoggedProbabilities{.values = {1, 1}};
  c.target_distribution = ActionProbabilities{.actions = 1, .values = {1, 1}};
  const Dataset data(std::move(c));
  // The common length of the cut episodes is a horizon: two steps of reward 1.
  const QLogs finite(make_problem(data), "mb");
  const StateFeatures features = make_features({}, finite);
  const QLayers layers = solve_tabular_model(finite, features, finite.all_episodes());
  EXPECT_DOUBLE_EQ(layers.reward[0] + layers.outcome_at(2)[0], 2.0);
}

}  // namespace
}  // namespace starope
