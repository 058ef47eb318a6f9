#include "starope/inference/star_replicates.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "starope/data/random_logs.hpp"
#include "starope/inference/refit_replicates.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

const EstimateOptions one_thread{.threads = Threads{1}};

void expect_whole_estimator(const Star& star, const Problem& problem) {
  const ReplicateOptions options{.replicates = 70, .seed = Seed{2}, .errors = true, .threads = Threads{1}};
  const StarFit fitted = fit(star, problem, one_thread);
  const Replicates sums = replicates(star, fitted, problem, options);
  // Labels of ids are the ids: fitted anew they are the same.
  const Replicates whole =
      refit_replicates([&](const Problem& resample) { return estimate(star, resample, one_thread); }, problem, options);
  ASSERT_EQ(sums.values.size(), 70U);
  ASSERT_EQ(whole.values.size(), 70U);
  for (std::size_t b = 0; b < 70; ++b) {
    EXPECT_NEAR(sums.values[b], whole.values[b], 1e-9 * (1.0 + std::abs(whole.values[b])));
    EXPECT_NEAR(sums.errors[b], whole.errors[b], 1e-6 * (1.0 + whole.errors[b]));
  }
}

TEST(StarReplicates, AreTheEstimatorOnTheResample) {
  const Dataset logs = testing::random_logs(
      {.episodes = 60, .longest = 9, .discrete_states = 4, .truncated = 0.4, .final_states = 0.5}, Seed{11});
  const ProblemOptions plain{}, discounted{.discount = Discount{0.9}}, cut{.horizon = Horizon{6}};
  for (const ProblemOptions& question : {plain, discounted, cut}) {
    const Problem problem = make_problem(logs, question);
    for (const Clip clip : {Clip::last(1), Clip::last(3), Clip::none()}) {
      expect_whole_estimator({.phi = Identity{}, .clip = clip}, problem);
      expect_whole_estimator({.phi = Identity{}, .clip = clip, .time = TimeModel::indexed}, problem);
    }
  }
  expect_whole_estimator(
      {.phi = Identity{}, .truncation = TruncationRule::censor, .horizon = std::optional(Horizon{9})},
      make_problem(logs));
}

// What is earned in a state is the same in all of its steps, in none, or in all but one.
TEST(StarReplicates, KnowWhatSteadyStatesEarn) {
  const Dataset logs = testing::random_logs(
      {.episodes = 60, .longest = 9, .discrete_states = 4, .truncated = 0.4, .final_states = 0.5}, Seed{21});
  Columns columns = logs.columns();
  const auto& states = std::get<DiscreteStates>(columns.states);
  std::vector<double> rewards(columns.rewards.begin(), columns.rewards.end());
  std::optional<std::size_t> last;
  for (std::size_t i = 0; i < rewards.size(); ++i) {
    const std::int32_t code = states.code[static_cast<std::int64_t>(i)];
    if (code == 1) rewards[i] = 0.0;
    if (code == 2) rewards[i] = -2.5;
    if (code == 3) {
      rewards[i] = 7.0;
      last = i;
    }
  }
  ASSERT_TRUE(last);
  rewards[*last] = 8.0;
  columns.rewards = std::move(rewards);
  const Dataset steady(std::move(columns));
  for (const std::optional<Horizon> horizon : {std::optional<Horizon>(), std::optional(Horizon{6})}) {
    const Problem problem = make_problem(steady, ProblemOptions{.discount = Discount{0.9}, .horizon = horizon});
    for (const Clip clip : {Clip::last(1), Clip::last(3)}) {
      expect_whole_estimator({.phi = Identity{}, .clip = clip}, problem);
      expect_whole_estimator({.phi = Identity{}, .clip = clip, .time = TimeModel::indexed}, problem);
    }
  }
}

TEST(StarReplicates, AreTheSameWhereWeightsLeaveTheRangeOfNumbers) {
  // No clip over 400 steps: not moderate, so every replicate is folded by itself.
  const Dataset logs = testing::random_logs(
      {.episodes = 12, .shortest = 380, .longest = 400, .discrete_states = 2, .truncated = 0.0}, Seed{5});
  expect_whole_estimator({.phi = Identity{}, .clip = Clip::none()}, make_problem(logs));
}

TEST(StarReplicates, DoNotDependOnThreads) {
  const Problem problem = testing::random_problem({.episodes = 50, .discrete_states = 3}, Seed{12});
  const Star star{.phi = Identity{}};
  const StarFit fitted = fit(star, problem, one_thread);
  const auto with = [&](int threads) {
    return replicates(star, fitted, problem, {.replicates = 200, .seed = Seed{3}, .threads = Threads{threads}}).values;
  };
  EXPECT_EQ(with(1), with(3));
}

// Three ways to the same standard error: the influence values, leaving out one episode at a time, and the spread of the
// replicates.
TEST(StarReplicates, SpreadLikeInfluenceAndJackknife) {
  const Problem problem =
      testing::random_problem({.episodes = 400, .longest = 8, .discrete_states = 3, .truncated = 0.0}, Seed{13});
  const Star star{.phi = Identity{}, .clip = Clip::last(1)};
  const StarFit fitted = fit(star, problem, one_thread);
  const Replicates found = replicates(star, fitted, problem, {.replicates = 4000, .threads = Threads{1}});
  const double spread = std::sqrt(moments(found.values).variance());
  std::vector<double> without;
  for (std::int64_t left_out = 0; left_out < problem.episodes(); ++left_out) {
    std::vector<std::int64_t> others;
    for (std::int64_t i = 0; i < problem.episodes(); ++i) {
      if (i != left_out) others.push_back(i);
    }
    without.push_back(estimate(star, problem.take(others), one_thread).value);
  }
  const double n = 400.0;
  const double jackknife = (n - 1.0) / std::sqrt(n) * std::sqrt(moments(without).variance());
  EXPECT_NEAR(*fitted.estimate.std_error / jackknife, 1.0, 0.03);
  EXPECT_NEAR(spread / jackknife, 1.0, 0.06);
}

}  // namespace
}  // namespace starope
