#include "starope/estimators/doubly_robust.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "starope/data/log_vectors.hpp"
#include "starope/estimators/direct_method.hpp"
#include "starope/estimators/importance_sampling.hpp"
#include "starope/q/testing.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

QTable table(std::int64_t states, std::int32_t actions, const std::vector<double>& q) {
  QTable result{.actions = actions, .state = {}, .q = q, .source = {}};
  for (std::int64_t s = 0; s < states; ++s) result.state.push_back(s);
  return result;
}

TEST(DoublyRobust, WithoutQItIsPerDecisionImportanceSampling) {
  const QTable zero = table(5, 3, std::vector<double>(15, 0.0));
  for (const std::uint64_t seed : {1u, 2u}) {
    const Problem problem =
        testing::tabular_problem({.cut = 0.1}, Seed{seed}, {.discount = Discount{0.9}, .horizon = Horizon{6}});
    const Estimate dr = estimate(DoublyRobust{.q = zero}, problem);
    const Estimate wdr = estimate(DoublyRobust{.q = zero, .weighted = true}, problem);
    const Estimate pdis = estimate(ImportanceSampling{.per_decision = true}, problem);
    const Estimate wpdis = estimate(ImportanceSampling{.weighted = true, .per_decision = true}, problem);
    EXPECT_NEAR(dr.value, pdis.value, 1e-13);
    EXPECT_NEAR(wdr.value, wpdis.value, 1e-13);
    for (std::size_t i = 0; i < dr.influence.size(); ++i) {
      EXPECT_NEAR(dr.influence[i], pdis.influence[i], 1e-11);
      EXPECT_NEAR(wdr.influence[i], wpdis.influence[i], 1e-11);
    }
  }
}

// A tiny decision process whose trajectories can all be written down: two states, two actions, three steps, and an end
// after every step with probability 1/4.
struct Tiny {
  static constexpr double gamma = 0.9;
  static constexpr std::array<std::array<double, 2>, 2> pb{{{0.6, 0.4}, {0.3, 0.7}}};
  static constexpr std::array<std::array<double, 2>, 2> pe{{{0.2, 0.8}, {0.5, 0.5}}};
  static constexpr std::array<std::array<double, 2>, 2> to_zero{{{0.9, 0.2}, {0.5, 0.1}}};  // P(next = 0 | s, a)
  static constexpr std::array<std::array<double, 2>, 2> reward{{{1.0, -2.0}, {0.5, 3.0}}};
  static constexpr std::array<double, 2> start{0.3, 0.7};
  static constexpr std::size_t steps = 3;

  struct Path {
    double probability = 1.0;  // under pi_b
    std::vector<std::int64_t> states{};
    std::vector<std::int32_t> actions{};
    bool ended = false;
  };

  static void extend(const Path& path, std::size_t s, std::vector<Path>& all) {
    for (const std::size_t a : {0u, 1u}) {
      Path next = path;
      next.probability *= pb[s][a];
      next.states.push_back(static_cast<std::int64_t>(s));
      next.actions.push_back(static_cast<std::int32_t>(a));
      if (next.states.size() == steps) {
        all.push_back(next);
        continue;
      }
      Path ended = next;
      ended.probability *= 0.25;
      ended.ended = true;
      all.push_back(ended);
      next.probability *= 0.75;
      for (const std::size_t to : {0u, 1u}) {
        Path moved = next;
        moved.probability *= to == 0 ? to_zero[s][a] : 1 - to_zero[s][a];
        extend(moved, to, all);
      }
    }
  }
  static std::vector<Path> paths() {
    std::vector<Path> all;
    for (const std::size_t s : {0u, 1u}) extend({.probability = start[s]}, s, all);
    return all;
  }
  // Q with k steps to go, and what the target policy earns.
  static std::array<std::array<double, 2>, 2> q(std::size_t to_go) {
    std::array<std::array<double, 2>, 2> result{};
    if (to_go == 0) return result;
    const auto after = q(to_go - 1);
    const auto v = [&](std::size_t s) { return pe[s][0] * after[s][0] + pe[s][1] * after[s][1]; };
    for (const std::size_t s : {0u, 1u}) {
      for (const std::size_t a : {0u, 1u})
        result[s][a] = reward[s][a] + gamma * 0.75 * (to_zero[s][a] * v(0) + (1 - to_zero[s][a]) * v(1));
    }
    return result;
  }
  static double truth() {
    const auto now = q(steps);
    double value = 0.0;
    for (const std::size_t s : {0u, 1u}) value += start[s] * (pe[s][0] * now[s][0] + pe[s][1] * now[s][1]);
    return value;
  }
  // All paths as one data set: the score of each is its influence plus the estimate.
  static Problem problem(const std::vector<Path>& all) {
    testing::LogVectors c;
    std::vector<std::int64_t> ids;
    c.action_count = 2;
    for (const Path& path : all) {
      for (std::size_t t = 0; t < path.states.size(); ++t) {
        const auto s = static_cast<std::size_t>(path.states[t]), a = static_cast<std::size_t>(path.actions[t]);
        // Ids carry the time, so that a table can hold a Q-function that depends on it.
        ids.push_back(path.states[t] + 2 * static_cast<std::int64_t>(t));
        c.actions.push_back(path.actions[t]);
        c.rewards.push_back(reward[s][a]);
        c.behavior.push_back(pb[s][a]);
        c.target.push_back(pe[s][a]);
        c.target_distribution.insert(c.target_distribution.end(), pe[s].begin(), pe[s].end());
      }
      c.end_episode(path.ended ? EpisodeEnd::terminated : EpisodeEnd::truncated);
    }
    c.states = make_discrete_states(ids);
    return make_problem(std::move(c).dataset(), {.discount = Discount{gamma}, .horizon = Horizon{steps}});
  }
};

struct Exact {
  double mean = 0.0, variance = 0.0;
};

// Expectation and variance of one episode's score over all trajectories.
Exact over_all(const Estimate& e, const std::vector<Tiny::Path>& paths) {
  Exact result;
  for (std::size_t i = 0; i < paths.size(); ++i) result.mean += paths[i].probability * (e.influence[i] + e.value);
  for (std::size_t i = 0; i < paths.size(); ++i)
    result.variance += paths[i].probability * std::pow(e.influence[i] + e.value - result.mean, 2);
  return result;
}

TEST(DoublyRobust, IsUnbiasedForAnyQ) {
  const auto paths = Tiny::paths();
  double probability = 0.0;
  for (const auto& path : paths) probability += path.probability;
  ASSERT_NEAR(probability, 1.0, 1e-14);
  const Problem problem = Tiny::problem(paths);
  for (const double scale : {0.0, 1.0, -7.0}) {
    std::vector<double> q;
    for (int i = 0; i < 12; ++i) q.push_back(scale * std::cos(3.0 * i));
    EXPECT_NEAR(over_all(estimate(DoublyRobust{.q = table(6, 2, q)}, problem), paths).mean, Tiny::truth(), 1e-12);
  }
}

TEST(DoublyRobust, WithTheTrueQItVariesLessThanPerDecisionImportanceSampling) {
  const auto paths = Tiny::paths();
  const Problem problem = Tiny::problem(paths);
  std::vector<double> q;
  for (std::size_t t = 0; t < Tiny::steps; ++t) {
    for (const auto& row : Tiny::q(Tiny::steps - t)) q.insert(q.end(), row.begin(), row.end());
  }
  const Exact dr = over_all(estimate(DoublyRobust{.q = table(6, 2, q)}, problem), paths);
  const Exact pdis = over_all(estimate(ImportanceSampling{.per_decision = true}, problem), paths);
  EXPECT_NEAR(dr.mean, Tiny::truth(), 1e-12);
  EXPECT_NEAR(pdis.mean, Tiny::truth(), 1e-12);
  EXPECT_LT(dr.variance, 0.8 * pdis.variance);
}

// One state, two actions, one step; the features cannot tell the actions of two kinds of states apart (one cell), and
// the behavior policy rarely takes action 0 in one of them. FQE fits where the data are, MRDR where variance is made.
TEST(DoublyRobust, MrdrVariesLessThanFqeWhereTheModelIsWrong) {
  testing::LogVectors c;
  c.action_count = 2;
  Random random(Seed{11}, Stream::test_data, 0);
  std::vector<double> states;
  for (int i = 0; i < 4000; ++i) {
    const bool second = random.uniform() < 0.5;
    const double p0 = second ? 0.05 : 0.9;  // P(action 0) of the behavior policy
    const bool one = random.uniform() >= p0;
    states.push_back(second ? 1.0 + 1e-9 * i : 0.0 + 1e-9 * i);
    c.actions.push_back(one ? 1 : 0);
    c.rewards.push_back(one ? 0.0 : (second ? 10.0 : 1.0));
    c.behavior.push_back(one ? 1 - p0 : p0);
    c.target.push_back(0.5);
    c.behavior_distribution.insert(c.behavior_distribution.end(), {p0, 1 - p0});
    c.target_distribution.insert(c.target_distribution.end(), {0.5, 0.5});
    c.end_episode();
  }
  c.states = DenseStates{.dimension = 1, .values = std::move(states)};
  const Problem problem = make_problem(std::move(c).dataset());
  const auto error = [&](QMethod method) {
    const QRecipe q{.method = method, .features = QFeatures::clusters, .clusters = 1};
    return *estimate(DoublyRobust{.q = q}, problem).std_error;
  };
  EXPECT_LT(error(QMethod::mrdr), 0.8 * error(QMethod::fqe));
}

TEST(DoublyRobust, CrossFittingIsAnotherEstimateOfTheSame) {
  const Problem problem = testing::tabular_problem({.episodes = 500}, Seed{8});
  const QRecipe q{.method = QMethod::fqe};
  const Estimate whole = estimate(DoublyRobust{.q = q}, problem),
                 folds = estimate(DoublyRobust{.q = q, .folds = 5}, problem);
  EXPECT_NE(whole.value, folds.value);
  EXPECT_NEAR(whole.value, folds.value, *whole.std_error);
}

}  // namespace
}  // namespace starope
