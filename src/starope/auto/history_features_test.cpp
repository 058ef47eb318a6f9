#include "starope/auto/history_features.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "starope/auto/two_episodes.hpp"

namespace starope {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;
using testing::two_episodes;

TEST(WithHistory, HoldsTheLastStateAndAction) {
  const Problem problem =
      make_problem(Dataset(two_episodes(DenseStates{.dimension = 1, .values = {1, 2, 3, 4, 5, 6}})));
  const BagFeatures state{.dimension = 1, .values = {1, 2, 3, 4, 5, 6}};
  const BagFeatures both = with_history(state, problem);
  ASSERT_EQ(both.dimension, 4);
  EXPECT_THAT(both.values,
              Pointwise(DoubleNear(1e-12), std::vector<double>{1, 0.0, 0, 0,     //
                                                               2, 0.7, 1, 0,     //
                                                               3, 0.0, 0, 0,     //
                                                               4, 2.1, 0, 1,     //
                                                               5, 2.8, 1, 0,     //
                                                               6, 1.4, 0, 1}));  // the state after the first episode
}

TEST(WithHistory, FollowsThePointsOfIds) {
  const Problem problem =
      make_problem(Dataset(two_episodes(make_discrete_states(std::vector<std::int64_t>{7, 8, 7, 9, 8, 9}))));
  const BagFeatures state{.dimension = 1, .values = {70, 80, 90}, .point_of_row = {0, 1, 0, 2, 1, 2}};
  const BagFeatures both = with_history(state, problem);
  EXPECT_TRUE(both.point_of_row.empty());
  EXPECT_DOUBLE_EQ(both.values[4 * 3 + 0], 90.0);
  EXPECT_DOUBLE_EQ(both.values[4 * 3 + 1], 0.7 * 70.0);
}

TEST(WithTraces, RemembersStatesActionsAndRewardsLessAndLess) {
  Columns columns = two_episodes(DenseStates{.dimension = 1, .values = {1, 2, 3, 4, 5, 6}});
  columns.rewards = std::vector<double>{1, 3, 1, 3, 2};  // mean 2, variance 1
  const Problem problem = make_problem(Dataset(std::move(columns)));
  const BagFeatures state{.dimension = 1, .values = {1, 2, 3, 4, 5, 6}};
  const BagFeatures traced = with_traces(state, problem, 0.6);
  ASSERT_EQ(traced.dimension, 5);  // state, traces of state, of two actions, of the reward
  const auto row = [&](std::size_t i) {
    return std::vector<double>(traced.values.begin() + static_cast<std::ptrdiff_t>(5 * i),
                               traced.values.begin() + static_cast<std::ptrdiff_t>(5 * i + 5));
  };
  const auto near = [](std::vector<double> expected) { return Pointwise(DoubleNear(1e-12), expected); };
  EXPECT_THAT(row(0), near({1, 0, 0, 0, 0}));
  EXPECT_THAT(row(1), near({2, 1.3 * 0.4 * 0.7, 1.3 * 0.4, 0, -1.3 * 0.4 * 0.7}));
  // The state after the cut of the first episode has seen both of its steps.
  EXPECT_THAT(row(5), near({6, 1.3 * (0.6 * 0.4 * 0.7 + 0.4 * 0.7 * 2), 1.3 * 0.6 * 0.4, 1.3 * 0.4,
                            1.3 * 0.7 * (-0.6 * 0.4 + 0.4)}));
  EXPECT_THAT(row(2), near({3, 0, 0, 0, 0}));  // the next episode has seen nothing
}

TEST(WithTraces, BringsSlowFeaturesToOneSize) {
  const Problem problem =
      make_problem(Dataset(two_episodes(make_discrete_states(std::vector<std::int64_t>{7, 8, 7, 9, 8, 9}))));
  BagFeatures state{.dimension = 1, .values = {70, 80, 90}, .point_of_row = {0, 1, 0, 2, 1, 2}, .prefixes = {1}};
  const BagFeatures traced = with_traces(state, problem, 0.8);
  for (double& x : state.values) x *= 100.0;
  EXPECT_THAT(with_traces(state, problem, 0.8).values, Pointwise(DoubleNear(1e-12), traced.values));
}

}  // namespace
}  // namespace starope
