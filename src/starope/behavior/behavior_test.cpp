#include "starope/behavior.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/data/log_vectors.hpp"
#include "starope/error.hpp"
#include "starope/problem.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

// Two actions; the probability of action 1 is a function of the state.
template <class Policy>
Dataset drawn(std::int64_t episodes, bool ids, const Policy& policy) {
  testing::LogVectors c;
  c.action_count = 2;
  std::vector<std::int64_t> codes;
  std::vector<double> values;
  Random random(Seed{3}, Stream::test_data, 0);
  for (std::int64_t i = 0; i < episodes; ++i) {
    for (int t = 0; t < 5; ++t) {
      const double x = ids ? static_cast<double>(random.below(4)) : random.normal();
      codes.push_back(static_cast<std::int64_t>(x));
      values.push_back(x);
      const double p = policy(x);
      c.actions.push_back(random.uniform() < p ? 1 : 0);
      c.rewards.push_back(1.0);
      c.behavior.push_back(0.5);
      c.target.push_back(0.5);
    }
    c.end_episode();
  }
  if (ids) {
    c.states = make_discrete_states(codes);
  } else {
    c.states = DenseStates{.dimension = 1, .values = std::move(values)};
  }
  return std::move(c).dataset();
}

double mean_error(const BehaviorFit& fit, const Dataset& data, double (*policy)(double)) {
  double error = 0.0;
  std::vector<double> scratch;
  for (std::int64_t i = 0; i < data.steps(); ++i) {
    const StateView state = state_view(data, i, scratch);
    const double x = state.id ? static_cast<double>(*state.id) : state.features[0];
    error += std::abs(fit.distribution.values[2 * i + 1] - policy(x));
  }
  return error / static_cast<double>(data.steps());
}

double by_id(double x) {
  return 0.2 + 0.2 * x;
}
double smooth(double x) {
  return 1.0 / (1.0 + std::exp(-2.0 * x));
}
double ring(double x) {
  return std::abs(x) < 0.7 ? 0.9 : 0.1;
}
double constant(double) {
  return 0.3;
}

TEST(Behavior, IsFoundByTheMethodThatFitsIt) {
  const Dataset ids = drawn(400, true, by_id);
  const BehaviorFit counted = estimate_behavior(ids);
  EXPECT_EQ(counted.method, BehaviorMethod::counts);
  EXPECT_LT(mean_error(counted, ids, by_id), 0.03);
  const Dataset numbers = drawn(400, false, smooth);
  const BehaviorFit regressed = estimate_behavior(numbers);
  EXPECT_EQ(regressed.method, BehaviorMethod::logistic);
  EXPECT_LT(mean_error(regressed, numbers, smooth), 0.03);
  // Not monotone in the state: a line of log odds cannot follow.
  const Dataset around = drawn(400, false, ring);
  const BehaviorFit local = estimate_behavior(around);
  EXPECT_TRUE(local.method == BehaviorMethod::clusters || local.method == BehaviorMethod::neighbors);
  EXPECT_LT(mean_error(local, around, ring), 0.1);
}

TEST(Behavior, ThatIgnoresTheStateIsFoundToDoSo) {
  const Dataset data = drawn(200, true, constant);
  const BehaviorFit fit = estimate_behavior(data);
  EXPECT_LT(mean_error(fit, data, constant), 0.04);
  EXPECT_EQ(fit.scores.size(), 2U);
  EXPECT_GE(fit.scores[0].log_likelihood, fit.scores[1].log_likelihood);
  // Nobody can know more than the policy itself.
  EXPECT_NEAR(fit.scores[0].log_likelihood, 0.3 * std::log(0.3) + 0.7 * std::log(0.7), 0.03);
}

TEST(Behavior, CalibrationIsThatOfEpisodesNotFittedTo) {
  const BehaviorFit fit = estimate_behavior(drawn(800, true, by_id), {.method = BehaviorMethod::counts});
  std::int64_t pairs = 0;
  for (const CalibrationBin& bin : fit.calibration) {
    pairs += bin.count;
    EXPECT_GE(bin.predicted, bin.lower);
    EXPECT_LE(bin.predicted, bin.upper);
    EXPECT_NEAR(bin.predicted, bin.observed, 0.05);
  }
  EXPECT_EQ(pairs, 800 * 5 * 2);
}

TEST(Behavior, CrossFittedProbabilitiesDoNotKnowTheirOwnEpisode) {
  // One state per episode: its own counts are all that a fit could know of it.
  testing::LogVectors c;
  c.action_count = 2;
  std::vector<std::int64_t> codes;
  for (std::int64_t i = 0; i < 20; ++i) {
    codes.push_back(i);
    c.actions.push_back(i % 2 == 0 ? 0 : 1);
    c.rewards.push_back(0.0);
    c.behavior.push_back(0.5);
    c.target.push_back(0.5);
    c.end_episode();
  }
  c.states = make_discrete_states(codes);
  const Dataset data = std::move(c).dataset();
  const BehaviorFit own = estimate_behavior(data, {.method = BehaviorMethod::counts});
  const BehaviorFit other = estimate_behavior(data, {.method = BehaviorMethod::counts, .cross_fit = true});
  double mean_own = 0.0, mean_other = 0.0;
  for (std::int64_t i = 0; i < 20; ++i) {
    EXPECT_GT(own.distribution.values[2 * i + i % 2], 0.5);
    mean_own += own.distribution.values[2 * i + i % 2] / 20.0;
    mean_other += other.distribution.values[2 * i + i % 2] / 20.0;
  }
  EXPECT_GT(mean_own, 0.5);
  EXPECT_LE(mean_other, 0.5);  // what an episode did is missing from the others, which did the opposite more often
}

TEST(Behavior, TakesThePlaceOfLoggedProbabilities) {
  const Dataset data = drawn(100, true, by_id);
  const BehaviorFit fit = estimate_behavior(data);
  const Dataset filled = with_behavior(data, fit);
  const auto& actions = std::get<DiscreteActions>(data.actions());
  for (const std::int64_t i : {0, 77, 499})
    EXPECT_EQ(filled.behavior()->values[i], fit.distribution.values[2 * i + actions.id[i]]);
  EXPECT_EQ(filled.behavior_distribution()->actions, 2);
}

// Every third probability was not logged.
Dataset with_gaps(const Dataset& data, LoggedProbabilities::Scale scale) {
  Columns columns = data.columns();
  std::vector<double> some;
  for (std::int64_t i = 0; i < data.steps(); ++i) {
    const double logged = scale == LoggedProbabilities::Scale::linear ? 0.4 : std::log(0.4);
    some.push_back(i % 3 == 0 ? std::nan("") : logged);
  }
  columns.behavior.reset();
  columns.behavior_distribution.reset();
  columns.behavior_with_gaps = LoggedProbabilities{.values = std::move(some), .scale = scale};
  return Dataset(std::move(columns));
}

TEST(Behavior, FillsTheGapsAndNothingElse) {
  for (const auto scale : {LoggedProbabilities::Scale::linear, LoggedProbabilities::Scale::logarithm}) {
    const Dataset data = with_gaps(drawn(100, true, by_id), scale);
    EXPECT_EQ(behavior_gaps(data), 167);
    const BehaviorFit fit = estimate_behavior(data, {.cross_fit = true, .fill = true});
    const Dataset filled = with_behavior(data, fit);
    const auto& actions = std::get<DiscreteActions>(data.actions());
    for (std::int64_t i = 0; i < data.steps(); ++i) {
      const double expected = i % 3 == 0 ? fit.distribution.values[2 * i + actions.id[i]] : 0.4;
      EXPECT_DOUBLE_EQ(filled.behavior()->values[i], expected);
    }
    // The fitted distributions are not those of the logged probabilities.
    EXPECT_FALSE(filled.behavior_distribution().has_value());
    // A resample can be filled anew: the gaps are still known.
    const std::vector<std::int64_t> episodes{7, 7, 2};
    EXPECT_EQ(behavior_gaps(filled.take(episodes)), 2 + 2 + 1);
  }
  EXPECT_EQ(behavior_gaps(drawn(10, true, by_id)), 0);
}

TEST(Behavior, CountsThatAreNotShrunkMakeTheRatiosOfAStateAverageOne) {
  const Dataset data = drawn(200, true, by_id);
  const auto mean_ratios = [&](const BehaviorRecipe& recipe) {
    const BehaviorFit fit = estimate_behavior(data, recipe);
    const auto& actions = std::get<DiscreteActions>(data.actions());
    const auto& states = std::get<DiscreteStates>(data.states());
    std::vector<double> sums(4, 0.0), visits(4, 0.0);
    for (std::int64_t i = 0; i < data.steps(); ++i) {
      const double target = actions.id[i] == 1 ? 0.7 : 0.3;
      sums[static_cast<std::size_t>(states.code[i])] += target / fit.distribution.values[2 * i + actions.id[i]];
      visits[static_cast<std::size_t>(states.code[i])] += 1.0;
    }
    double worst = 0.0;
    for (std::size_t z = 0; z < 4; ++z) worst = std::max(worst, std::abs(sums[z] / visits[z] - 1.0));
    return worst;
  };
  EXPECT_LT(mean_ratios({.method = BehaviorMethod::counts, .pseudo_counts = 0.0}), 1e-4);
  EXPECT_LT(mean_ratios({.method = BehaviorMethod::counts}), 1e-2);
  EXPECT_GT(mean_ratios({.method = BehaviorMethod::counts, .pseudo_counts = 50.0}), 1e-2);
  const auto setting = [&](const BehaviorRecipe& recipe) { return estimate_behavior(data, recipe).setting; };
  EXPECT_EQ(setting({.method = BehaviorMethod::counts, .pseudo_counts = 0.0}), "no pseudo-counts");
  EXPECT_EQ(setting({.method = BehaviorMethod::counts, .pseudo_counts = 5.0}), "pseudo-counts 5");
  EXPECT_THROW(estimate_behavior(data, {.pseudo_counts = -1.0}), InvalidArgument);
}

TEST(Behavior, CountsThatWeighTheirOwnEpisodesAreShrunkByOneStepAtMost) {
  // The state says nothing, so that other episodes are best foretold by all steps together.
  const Dataset data = drawn(40, true, constant);
  EXPECT_EQ(estimate_behavior(data, {.method = BehaviorMethod::counts}).setting, "pseudo-counts 1");
  EXPECT_EQ(estimate_behavior(data, {.method = BehaviorMethod::counts, .cross_fit = true}).setting,
            "pseudo-counts 100");
}

TEST(Behavior, MethodsThatDoNotFitTheStatesAreRefused) {
  EXPECT_THROW(estimate_behavior(drawn(10, true, by_id), {.method = BehaviorMethod::logistic}), InvalidArgument);
  EXPECT_THROW(estimate_behavior(drawn(10, false, smooth), {.method = BehaviorMethod::counts}), InvalidArgument);
  EXPECT_THROW(estimate_behavior(drawn(10, false, smooth), {.folds = 1}), InvalidArgument);
}

TEST(Behavior, DoesNotDependOnThreads) {
  const Dataset data = drawn(300, false, ring);
  EXPECT_EQ(estimate_behavior(data, {}, Threads{1}).distribution.values,
            estimate_behavior(data, {}, Threads{3}).distribution.values);
}

}  // namespace
}  // namespace starope
