#include "starope/q/fit_q.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "starope/error.hpp"
#include "starope/q/testing.hpp"

namespace starope {
namespace {

std::string feature_detail(const QFit& fit) {
  for (const QDetail& detail : fit.details) {
    if (detail.name == "features") return std::get<std::string>(detail.value);
  }
  return {};
}

TEST(FitQ, ChoosesFeaturesThatFitTheStates) {
  const QLogs ids(testing::tabular_problem({}, Seed{1}), "fqe");
  EXPECT_THAT(feature_detail(fit_q(QRecipe{.method = QMethod::fqe}, ids)), ::testing::HasSubstr("5 states"));
  const QLogs numbers(testing::tabular_problem({.longest = 3, .dense = true}, Seed{1}), "fqe");
  EXPECT_THAT(feature_detail(fit_q(QRecipe{.method = QMethod::fqe}, numbers)), ::testing::HasSubstr("network"));
  EXPECT_THAT(feature_detail(fit_q(QRecipe{.method = QMethod::qreg}, numbers)), ::testing::HasSubstr("Fourier"));
  EXPECT_THAT(feature_detail(fit_q(QRecipe{.method = QMethod::mb, .clusters = 4}, numbers)),
              ::testing::HasSubstr("4 clusters"));
  EXPECT_THROW(fit_q(QRecipe{.method = QMethod::mb, .features = QFeatures::mlp}, numbers), InvalidArgument);
}

TEST(FitQ, FoldsAreEvenAndCoverAllEpisodes) {
  const std::vector<std::int64_t> fold = fold_of_episodes(23, 5, Seed{2});
  for (std::int64_t k = 0; k < 5; ++k) {
    const auto size = std::count(fold.begin(), fold.end(), k);
    EXPECT_TRUE(size == 4 || size == 5);
  }
  EXPECT_NE(fold, fold_of_episodes(23, 5, Seed{3}));
  EXPECT_THROW(fold_of_episodes(4, 5, Seed{}), InvalidArgument);
}

// With cross-fitting an episode's own rewards must not move its own Q, and do move the Q of other folds.
TEST(FitQ, CrossFittingNeverUsesAnEpisodeForItself) {
  const Dataset data = testing::tabular_logs({.episodes = 20, .states = 2, .actions = 2, .longest = 4}, Seed{4});
  const QLogs before(make_problem(data), "dr");
  const std::vector<std::int64_t> fold = fold_of_episodes(20, 4, Seed{6});
  // The same logs with 100 more in every reward of the episodes of fold 2.
  Columns c = data.columns();
  std::vector<double> rewards;
  for (std::int64_t i = 0; i < 20; ++i) {
    for (std::int64_t row = data.first_step(i); row < data.first_step(i + 1); ++row)
      rewards.push_back(c.rewards[row] + (fold[i] == 2 ? 100.0 : 0.0));
  }
  c.rewards = std::move(rewards);
  const QLogs after(make_problem(Dataset(std::move(c))), "dr");
  for (const QMethod method : {QMethod::fqe, QMethod::qreg, QMethod::mrdr, QMethod::mb}) {
    const QRecipe recipe{.method = method, .seed = Seed{6}};
    const QFit a = fit_q(recipe, before, {.folds = 4}), b = fit_q(recipe, after, {.folds = 4});
    bool others_moved = false;
    for (std::int64_t i = 0; i < 20; ++i) {
      for (std::int64_t row = data.first_step(i); row < data.first_step(i + 1); ++row) {
        for (std::size_t action = 0; action < 2; ++action) {
          const double moved = std::abs(a.values.at(row)[action] - b.values.at(row)[action]);
          if (fold[i] == 2) {
            EXPECT_EQ(moved, 0.0);
          } else {
            others_moved = others_moved || moved > 1.0;
          }
        }
      }
    }
    EXPECT_TRUE(others_moved) << name(method);
  }
}

TEST(FitQ, AGivenTableIsNotFitted) {
  const QLogs logs(testing::tabular_problem({.states = 2, .actions = 2}, Seed{1}), "dr");
  const QFit fit = fit_q(QTable{.actions = 2, .state = {0, 1}, .q = {1, 2, 3, 4}, .source = "q.csv"}, logs);
  ASSERT_TRUE(fit.influence);
  EXPECT_THAT(fit.influence(start_slope(logs)).of_episode, ::testing::Each(0.0));
}

}  // namespace
}  // namespace starope
