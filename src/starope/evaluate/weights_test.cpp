#include "starope/evaluate/weights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "starope/data/log_vectors.hpp"
#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

using ::testing::ElementsAre;

// Behavior probability 0.5 everywhere, so that the ratios are what is asked for.
Problem with_ratios(const std::vector<std::vector<double>>& episodes) {
  testing::LogVectors columns;
  columns.densities = true;
  for (const auto& ratios : episodes) {
    for (const double ratio : ratios) {
      columns.rewards.push_back(1.0);
      columns.behavior.push_back(0.5);
      columns.target.push_back(0.5 * ratio);
    }
    columns.end_episode();
  }
  return make_problem(std::move(columns).dataset());
}

TEST(Weights, CheckpointsEndWithTheLongestEpisode) {
  EXPECT_THAT(checkpoints(1), ElementsAre(1));
  EXPECT_THAT(checkpoints(2), ElementsAre(1, 2));
  EXPECT_THAT(checkpoints(50), ElementsAre(1, 2, 5, 10, 20, 50));
  EXPECT_THAT(checkpoints(60), ElementsAre(1, 2, 5, 10, 20, 50, 60));
}

TEST(Weights, EndedEpisodesKeepTheirLastWeight) {
  // After one step: 2, 1. After two: 2, 3.
  const Problem problem = with_ratios({{2.0}, {1.0, 3.0}});
  const auto at = weights_at(problem, {1, 2});
  EXPECT_DOUBLE_EQ(at[0].mean, 1.5);
  EXPECT_DOUBLE_EQ(at[0].ess, 9.0 / 5.0);
  EXPECT_DOUBLE_EQ(at[0].std_error, 0.5);  // sd = 1/sqrt(2), over sqrt(2)
  EXPECT_DOUBLE_EQ(at[1].mean, 2.5);
  EXPECT_DOUBLE_EQ(at[1].ess, 25.0 / 13.0);
  EXPECT_DOUBLE_EQ(at[1].largest_share, 0.6);
  EXPECT_DOUBLE_EQ(weights_at(problem, {problem.longest()})[0].ess, 25.0 / 13.0);
  const auto by_step = ess_by_step(problem);
  ASSERT_EQ(by_step.size(), 2U);
  EXPECT_DOUBLE_EQ(by_step[0], 9.0 / 5.0);
  EXPECT_DOUBLE_EQ(by_step[1], 25.0 / 13.0);
}

TEST(Weights, HorizonCutsTheProducts) {
  const Problem problem = with_ratios({{2.0}, {1.0, 3.0}}).with({.horizon = Horizon{1}});
  EXPECT_DOUBLE_EQ(weights_at(problem, {problem.longest()})[0].ess, 9.0 / 5.0);
}

TEST(Weights, NoWeightAtAll) {
  const Problem problem = with_ratios({{0.0}, {0.0, 3.0}});
  const auto at = weights_at(problem, {2});
  EXPECT_EQ(at[0].ess, 0.0);
  EXPECT_EQ(at[0].zero_share, 1.0);
  EXPECT_EQ(at[0].largest_share, 0.0);
  EXPECT_THAT(ess_by_step(problem), ElementsAre(0.0, 0.0));
}

TEST(Weights, LongEpisodesNeitherOverflowNorVanish) {
  // 2^5000 and 3 * 2^5000: ess = 16/10; in the other direction the same.
  for (const double ratio : {32.0, 1.0 / 32.0}) {
    std::vector<double> one(1000, ratio);
    std::vector<double> three = one;
    three.push_back(3.0);
    one.push_back(1.0);
    const Problem problem = with_ratios({one, three});
    EXPECT_DOUBLE_EQ(weights_at(problem, {problem.longest()})[0].ess, 1.6);
    EXPECT_DOUBLE_EQ(ess_by_step(problem).back(), 1.6);
    EXPECT_DOUBLE_EQ(ess_by_step(problem).front(), 2.0);
  }
}

TEST(Weights, OnePassAgreesWithTheDirectComputation) {
  const Problem problem = testing::random_problem({.episodes = 200, .longest = 40, .zero_target = 0.01}, Seed{4});
  const auto by_step = ess_by_step(problem);
  std::vector<std::int64_t> all;
  for (std::int64_t t = 1; t <= problem.longest(); ++t) all.push_back(t);
  const auto direct = weights_at(problem, all);
  for (std::size_t t = 0; t < all.size(); ++t) EXPECT_NEAR(by_step[t], direct[t].ess, 1e-9 * direct[t].ess);
}

TEST(Weights, MeanRatioIsOverStepsAndItsErrorOverEpisodes) {
  // Excesses of the episodes: 1, -1 + 2 = 1, -0.5; three episodes, four steps.
  const MeanRatio ratio = mean_ratio(with_ratios({{2.0}, {0.0, 3.0}, {0.5}}));
  EXPECT_DOUBLE_EQ(ratio.mean, (2.0 + 0.0 + 3.0 + 0.5) / 4.0);
  // Variance of (1, 1, -0.5) is 0.75; standard error sqrt(0.75/3) = 0.5, over the mean length 4/3.
  EXPECT_DOUBLE_EQ(ratio.std_error.value(), 0.5 * 3.0 / 4.0);
  EXPECT_FALSE(mean_ratio(with_ratios({{2.0}})).std_error.has_value());
}

TEST(Weights, TheHeaviestHundredthIsCounted) {
  std::vector<std::vector<double>> episodes(198, {1.0});
  episodes.insert(episodes.begin() + 50, {10.0});
  episodes.push_back({20.0});
  const Problem problem = with_ratios(episodes);
  EXPECT_NEAR(weights_at(problem, {1})[0].top_share, 30.0 / 228.0, 1e-12);              // two of 200
  EXPECT_NEAR(weights_at(with_ratios({{1.0}, {3.0}}), {1})[0].top_share, 0.75, 1e-12);  // one at least
  EXPECT_EQ(weights_at(with_ratios({{0.0}, {0.0}}), {1})[0].top_share, 0.0);
}

// Ratios (2, 1) and (1, 3). One ratio: 2, 1 after a step and 1, 3 after two. Two: 2, 3 after two.
TEST(Weights, WindowsHaveSizesOfTheirOwn) {
  const Problem problem = with_ratios({{2.0, 1.0}, {1.0, 3.0}});
  const Inspection logs{.episodes = 2, .steps = 4};
  ClippedSizes one(1), two(2);
  for (std::int64_t i = 0; i < 2; ++i) {
    one.add(problem.episode(i));
    two.add(problem.episode(i));
  }
  const auto first = one.finish({1, 2}, 1.7, logs), second = two.finish({1, 2}, 1.7, logs);
  EXPECT_NEAR(first.by_step[0], 9.0 / 5.0, 1e-12);
  EXPECT_NEAR(first.by_step[1], 16.0 / 10.0, 1e-12);
  EXPECT_NEAR(first.ess, 0.5 * 49.0 / 15.0, 1e-12);
  EXPECT_EQ(first.speaks_until, 1);  // 1.6 is too few
  EXPECT_NEAR(second.by_step[1], 25.0 / 13.0, 1e-12);
  EXPECT_EQ(second.speaks_until, 2);
}

// An episode that has ended takes no part in a window; products of 2,000 ratios stay in range.
TEST(Weights, WindowsForgetEndedEpisodesAndSurviveLongOnes) {
  const std::vector<double> small(2000, 1e-3), large(2000, 1e3);
  const Problem problem = with_ratios({small, large, {1.0}});
  ClippedSizes all(5);
  EssByStep ess(Clip::last(5));
  for (std::int64_t i = 0; i < 3; ++i) {
    all.add(problem.episode(i));
    ess.add(problem.episode(i));
  }
  const auto by_step = ess.finish();
  EXPECT_NEAR(by_step[1999], 1.0, 1e-9);  // 1e15 against 1e-15
  EXPECT_GT(all.finish({1}, 0.5, Inspection{.episodes = 3, .steps = 4001}).ess, 0.0);
}

}  // namespace
}  // namespace starope
