// Models, Q-functions and doubly robust estimators on worlds whose values are known exactly: each comes to the truth
// where theory says so, and to its documented bias where it does not. Fixed seeds; tolerances are stated in standard
// errors.

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "starope/domains.hpp"
#include "starope/domains/exact_value.hpp"
#include "starope/domains/random_mdp.hpp"
#include "starope/domains/toys.hpp"
#include "starope/estimators.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

using domains::TabularMdp;
using domains::TabularPolicy;

struct World {
  std::string name;
  TabularMdp mdp;
  TabularPolicy behavior, target;
  Discount discount{1.0};
  std::optional<Horizon> horizon{};

  double truth() const { return domains::exact_value(mdp, target, discount, horizon); }
  Problem problem(std::int64_t episodes, std::uint64_t seed) const {
    return make_problem(
        domains::simulate(mdp, behavior, target, {.episodes = episodes, .horizon = horizon, .seed = Seed{seed}}),
        {.discount = discount, .horizon = horizon});
  }
};

World random_world(std::uint64_t seed, double gamma) {
  TabularMdp mdp =
      domains::random_mdp({.states = 6, .actions = 2, .successors = 3, .exit_probability = 0.35, .seed = Seed{seed}});
  TabularPolicy behavior = domains::random_policy(mdp.symbols(), 2, {.sharpness = 0.3, .seed = Seed{seed}, .index = 0});
  TabularPolicy target = domains::random_policy(mdp.symbols(), 2, {.sharpness = 0.8, .seed = Seed{seed}, .index = 1});
  return {"random", std::move(mdp), std::move(behavior), std::move(target), Discount{gamma}};
}

std::vector<World> toys() {
  std::vector<World> all;
  TabularMdp win = domains::model_win();
  all.push_back(
      {"model_win", win, domains::model_win_policy(0.73), domains::model_win_policy(0.27), Discount{1.0}, Horizon{20}});
  TabularMdp grid = domains::small_grid();
  all.push_back({"small_grid", grid, TabularPolicy::same_everywhere(grid.symbols(), std::vector<double>(4, 0.25)),
                 domains::small_grid_sharp5(), Discount{1.0}, Horizon{100}});
  TabularMdp graph = domains::toy_graph({.noise = true});
  all.push_back({"toy_graph", graph, domains::first_action_policy(graph, 0.4), domains::first_action_policy(graph, 0.7),
                 Discount{0.98}, Horizon{4}});
  TabularMdp car = domains::toy_mountain_car();
  all.push_back({"mountain_car", car, domains::first_action_policy(car, 0.4), domains::first_action_policy(car, 0.25),
                 Discount{0.99}, Horizon{250}});
  TabularMdp large = domains::large_grid();
  all.push_back({"large_grid", large, domains::large_grid_policy(0.6), domains::large_grid_policy(0.2), Discount{0.98},
                 Horizon{25}});
  TabularMdp path = domains::single_path(5);
  all.push_back({"single_path", path, domains::first_action_policy(path, 0.5), domains::first_action_policy(path, 0.8),
                 Discount{1.0}, Horizon{5}});
  return all;
}

void expect_near_truth(const World& w, const std::string& estimator, const Estimate& e, double standard_errors = 4.5) {
  ASSERT_TRUE(e.std_error) << w.name << " " << estimator;
  EXPECT_NEAR(e.value, w.truth(), standard_errors * *e.std_error + 1e-9) << w.name << " " << estimator;
}

// A model of states that are seen as they are is right, whatever the horizon; fitted Q evaluation is the same model.
TEST(Baselines, ModelsComeToTheTruthOnEveryObservedWorld) {
  for (const World& w : toys()) {
    const Problem problem = w.problem(2000, 1);
    for (const char* text : {"mb", "fqe"}) {
      const Estimate e = estimate(parse_estimator(text).estimator, problem);
      expect_near_truth(w, text, e);
      EXPECT_LT(*e.std_error, 0.1 * (1 + std::abs(w.truth()))) << w.name << " " << text;
    }
  }
}

TEST(Baselines, DoublyRobustEstimatorsComeToTheTruthOnEveryObservedWorld) {
  for (const World& w : toys()) {
    // Two hundred steps of ratios leave no weight to speak of.
    if (w.horizon->steps() > 100) continue;
    const Problem problem = w.problem(2000, 2);
    for (const char* text : {"wdr(q=mb)", "magic(q=mb)"})
      expect_near_truth(w, text, estimate(parse_estimator(text).estimator, problem), 6.0);
  }
}

// Without a horizon Q does not depend on time, and all of them are consistent.
TEST(Baselines, AllComeToTheTruthWhereEpisodesEndByThemselves) {
  for (const std::uint64_t seed : {1u, 2u}) {
    for (const double gamma : {0.9, 1.0}) {
      const World w = random_world(seed, gamma);
      const Problem problem = w.problem(4000, 10 + seed);
      for (const char* text :
           {"mb", "fqe", "qreg", "mrdr", "dr(q=fqe)", "dr(q=mrdr)", "dr(q=qreg,folds=5)", "wdr(q=fqe)", "magic(q=fqe)"})
        expect_near_truth(w, text, estimate(parse_estimator(text).estimator, problem));
    }
  }
}

// The regressions pool all times: over a horizon, Q of an early step is mixed with that of late ones. In ModelWin every
// second state is the start state again with fewer steps to go, so what they say of it is about half its value; doubly
// robust estimators repair that.
TEST(Baselines, RegressionOverAHorizonIsBiased) {
  const World w = toys().front();
  const Problem problem = w.problem(4000, 3);
  const Estimate qreg = estimate(parse_estimator("qreg").estimator, problem);
  EXPECT_LT(std::abs(qreg.value), 0.8 * std::abs(w.truth()));
}

// ModelFail: all states look alike, and a model of what is seen finds what the behavior policy earned.
TEST(Baselines, ModelsOfHiddenStatesAreBiasedAndDoublyRobustOnesAreNot) {
  const TabularMdp mdp = domains::model_fail();
  const World w{"model_fail", mdp, domains::model_fail_policy(0.7), domains::model_fail_policy(0.2)};
  ASSERT_NEAR(w.truth(), 2 * 0.2 - 1, 1e-12);
  const Problem problem = w.problem(4000, 4);
  for (const char* text : {"mb", "fqe"}) {
    const Estimate e = estimate(parse_estimator(text).estimator, problem);
    EXPECT_NEAR(e.value, 2 * 0.7 - 1, 4.5 * *e.std_error) << text;
  }
  for (const char* text : {"dr(q=mb)", "wdr(q=mb)", "dr(q=mrdr)"})
    expect_near_truth(w, text, estimate(parse_estimator(text).estimator, problem));
}

// The reported standard error against the spread over 200 data sets: within 15 %, three standard deviations of a spread
// estimated from 200 values.
TEST(Baselines, StandardErrorsEqualTheSpreadOverDataSets) {
  const World w = random_world(5, 1.0);
  const std::vector<std::string> names{"mb", "qreg", "mrdr", "dr(q=mb)", "wdr(q=mb)"};
  std::map<std::string, Moments> values;
  std::map<std::string, double> variance;
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    const Problem problem = w.problem(500, 100 + trial);
    for (const std::string& name : names) {
      const Estimate e = estimate(parse_estimator(name).estimator, problem, {.threads = Threads{1}});
      values[name].add(e.value);
      variance[name] += *e.std_error * *e.std_error / 200;
    }
  }
  for (const std::string& name : names) {
    // mrdr weighs by squares of products, and a few episodes decide: 500 are not yet many for it.
    const double tolerance = name == "mrdr" ? 0.3 : 0.15;
    EXPECT_NEAR(std::sqrt(variance[name] / values[name].variance()), 1.0, tolerance) << name;
  }
}

}  // namespace
}  // namespace starope
