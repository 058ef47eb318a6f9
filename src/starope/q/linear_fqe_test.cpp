#include "starope/q/linear_fqe.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/q/testing.hpp"

namespace starope {
namespace {

double mean_start_value(const QLogs& logs, const StateFeatures& features, const std::vector<std::int64_t>& episodes,
                        double ridge) {
  const LinearBackup backup(logs, features, episodes, ridge);
  QValues values = make_q_values(logs);
  write_values(backup.fit(), logs, features, episodes, values);
  double sum = 0.0;
  for (const std::int64_t i : episodes) {
    const std::int64_t row = logs.problem().episode(i).first_row;
    sum += mean_over_actions(logs.target(row), values.at(row)) / static_cast<double>(episodes.size());
  }
  return sum;
}

// Two states, one action each way: s0 -(r=1)-> s1 -(r=10)-> end; in one of two visits s1 goes on to s1 with reward 2.
Problem chain(double gamma, std::optional<Horizon> horizon) {
  Columns c;
  c.offsets = {0, 2, 5};
  c.rewards = {1, 10, 1, 2, 10};
  c.ends = {EpisodeEnd::terminated, EpisodeEnd::terminated};
  c.states = make_discrete_states(std::vector<std::int64_t>{0, 1, 0, 1, 1});
  c.actions = DiscreteActions{.id = {0, 0, 0, 0, 0}, .count = 1};
  c.behavior = c.target = LoggedProbabilities{.values = {1, 1, 1, 1, 1}};
  c.target_distribution = ActionProbabilities{.actions = 1, .values = {1, 1, 1, 1, 1}};
  return make_problem(Dataset(std::move(c)), {.discount = Discount{gamma}, .horizon = horizon});
}

TEST(LinearFqe, HandComputedValues) {
  const auto value = [](double gamma, std::optional<Horizon> horizon) {
    const QLogs logs(chain(gamma, horizon), "fqe");
    const StateFeatures features = make_features({}, logs);
    return mean_start_value(logs, features, logs.all_episodes(), 0.0);
  };
  // From s1: mean reward 22/3, stays with 1/3. V(s1) = 22/3 / (1 - g/3); V(s0) = 1 + g V(s1).
  EXPECT_NEAR(value(1.0, {}), 1 + 11.0, 1e-12);
  EXPECT_NEAR(value(0.5, {}), 1 + 0.5 * (22.0 / 3) / (1 - 0.5 / 3), 1e-12);
  EXPECT_NEAR(value(0.0, {}), 1.0, 1e-14);
}

TEST(LinearFqe, AHorizonCountsExactlyItsSteps) {
  // Cut at 2 steps: the third step of the second episode is not seen, but that s1 leads to s1 is.
  const QLogs logs(chain(1.0, Horizon{2}), "fqe");
  const StateFeatures features = make_features({}, logs);
  EXPECT_NEAR(mean_start_value(logs, features, logs.all_episodes(), 0.0), 1 + (10.0 + 2.0) / 2, 1e-14);
  QValues values = make_q_values(logs);
  write_values(LinearBackup(logs, features, logs.all_episodes(), 0.0).fit(), logs, features, logs.all_episodes(),
               values);
  EXPECT_NEAR(values.at(1)[0], 6.0, 1e-14);  // at its own time only one step is left
}

TEST(LinearFqe, InfluenceIsTheDerivativeInTheMultiplicities) {
  struct Setting {
    testing::TabularLogsOptions logs;
    ProblemOptions problem;
    FeatureOptions features;
    double ridge;
  };
  const std::vector<Setting> settings{
      {{.episodes = 12, .states = 3, .actions = 2, .exit = 1.0 / 3}, {.discount = Discount{0.9}}, {}, 0.0},
      {{.episodes = 12, .states = 3, .actions = 2, .longest = 60}, {}, {}, 0.0},
      {{.episodes = 12, .states = 3, .actions = 2, .cut = 0.1}, {.horizon = Horizon{6}}, {}, 0.0},
      {{.episodes = 12, .states = 5, .actions = 2, .dense = true},
       {.discount = Discount{0.8}, .horizon = Horizon{5}},
       {.kind = FeatureKind::linear},
       1e-7},
      {{.episodes = 12, .states = 9, .actions = 2, .cut = 0.1, .dense = true},
       {.discount = Discount{0.6}},
       {.kind = FeatureKind::linear},
       1e-7}};
  for (std::size_t k = 0; k < settings.size(); ++k) {
    const auto& [options, problem, kind, weight] = settings[k];
    const double ridge = weight;  // in a name of its own: clang 14 lets no lambda have a part of a binding
    const QLogs logs(testing::tabular_problem(options, Seed{20 + k}, problem), "fqe");
    const StateFeatures features = make_features(kind, logs);
    const std::vector<std::int64_t> all = logs.all_episodes();
    const LinearBackup backup(logs, features, all, ridge);
    const QLayers layers = backup.fit();
    ASSERT_TRUE(layers.converged) << k;
    QInfluence influence = backup.influence(layers, start_slope(logs), all);
    const double j = mean_start_value(logs, features, all, ridge);
    QValues values = make_q_values(logs);
    write_values(layers, logs, features, all, values);
    double mean = 0.0;
    for (const std::int64_t i : all) {
      const std::int64_t row = logs.problem().episode(i).first_row;
      influence.of_episode[i] *= 12;
      influence.of_episode[i] += mean_over_actions(logs.target(row), values.at(row)) - j;
      mean += influence.of_episode[i] / 12;
    }
    const auto expected = testing::numerical_influence(
        12, [&](const std::vector<std::int64_t>& list) { return mean_start_value(logs, features, list, ridge); });
    double scale = 0.0;
    for (const double x : expected) scale = std::max(scale, std::abs(x));
    for (std::size_t i = 0; i < 12; ++i) {
      EXPECT_NEAR(influence.of_episode[i], expected[i], 2e-3 * scale) << "setting " << k << " episode " << i;
    }
    EXPECT_NEAR(mean, 0.0, (1e-9 + 10 * ridge) * scale);
  }
}

TEST(LinearFqe, NamesTheProbabilityOfPairsThatTheLogsLack) {
  // One step; the logs only show action 0, which the target policy takes with probability 1/4.
  Columns c;
  c.offsets = {0, 1};
  c.rewards = {8};
  c.ends = {EpisodeEnd::terminated};
  c.states = make_discrete_states(std::vector<std::int64_t>{3});
  c.actions = DiscreteActions{.id = {0}, .count = 2};
  c.behavior = LoggedProbabilities{.values = {1.0}};
  c.target = LoggedProbabilities{.values = {0.25}};
  c.target_distribution = ActionProbabilities{.actions = 2, .values = {0.25, 0.75}};
  const QLogs logs(make_problem(Dataset(std::move(c))), "fqe");
  const StateFeatures features = make_features({}, logs);
  const LinearBackup backup(logs, features, logs.all_episodes(), 0.0);
  const QInfluence influence = backup.influence(backup.fit(), start_slope(logs), logs.all_episodes());
  EXPECT_DOUBLE_EQ(influence.unseen, 0.75);
  EXPECT_EQ(influence.unseen_pairs, 1);
  EXPECT_DOUBLE_EQ(mean_start_value(logs, features, logs.all_episodes(), 0.0), 2.0);
}

}  // namespace
}  // namespace starope
