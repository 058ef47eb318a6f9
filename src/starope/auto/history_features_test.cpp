#include "starope/auto/history_features.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "starope/auto/two_episodes.hpp"
#include "starope/error.hpp"

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
  const auto near = [](const std::vector<double>& expected) { return Pointwise(DoubleNear(1e-12), expected); };
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

// Logs of two episodes with many discrete actions.
Problem with_actions(std::vector<std::int32_t> id, std::int32_t count) {
  Columns columns = two_episodes(DenseStates{.dimension = 1, .values = {1, 2, 3, 4, 5, 6}});
  columns.actions = DiscreteActions{.id = std::move(id), .count = count};
  return make_problem(Dataset(std::move(columns)));
}

TEST(HistoryOfManyActions, NeedsNoColumnForEach) {
  const BagFeatures state{.dimension = 1, .values = {1, 2, 3, 4, 5, 6}};
  const BagFeatures few = with_history(state, with_actions({0, 1, 31, 0, 2}, 32));
  const BagFeatures many = with_history(state, with_actions({0, 1, 31, 0, 2}, 33));
  const BagFeatures very_many = with_history(state, with_actions({0, 1, 31, 0, 2}, 1'000'000));
  EXPECT_EQ(few.dimension, 2 + 32);
  EXPECT_EQ(many.dimension, 2 + 32);
  EXPECT_EQ(very_many.values, many.values);  // what an action is does not depend on how many others there are
  EXPECT_EQ(with_traces(state, with_actions({0, 1, 31, 0, 2}, 1000), 0.6).dimension, 1 + 1 + 32 + 1);
}

// Different actions are about as far apart as they are where each has a column, equal ones are the same.
TEST(HistoryOfManyActions, KeepsDistances) {
  std::vector<std::int32_t> id{0, 0, 1, 1, 1};
  const BagFeatures state{.dimension = 1, .values = std::vector<double>(6, 0.0)};
  double least = 4.0, greatest = 0.0, sum = 0.0;
  for (std::int32_t action = 2; action < 402; ++action) {
    id[2] = action;  // row 3 has seen it; row 1 has seen action 0
    const BagFeatures both = with_history(state, with_actions(id, 1000));
    const auto action_of = [&](std::int64_t row) { return both.values.data() + row * both.dimension + 2; };
    double apart = 0.0, size = 0.0, same = 0.0;
    for (std::int64_t j = 0; j < both.dimension - 2; ++j) {
      apart += std::pow(action_of(3)[j] - action_of(1)[j], 2);
      size += std::pow(action_of(3)[j], 2);
      same += std::pow(action_of(4)[j] - action_of(5)[j], 2);
    }
    EXPECT_NEAR(size, 1.0, 1e-12);
    EXPECT_GT(same, 0.0);  // rows 4 and 5 have seen actions 1 and 0
    least = std::min(least, apart);
    greatest = std::max(greatest, apart);
    sum += apart / 400.0;
  }
  EXPECT_GT(least, 0.5);
  EXPECT_LT(greatest, 3.5);
  EXPECT_NEAR(sum, 2.0, 0.1);
}

TEST(HistoryMap, IsAValueWithBytes) {
  const Problem problem = with_actions({0, 1, 31, 0, 2}, 40);
  const BagFeatures state{.dimension = 1, .values = {1, 2, 3, 4, 5, 6}};
  for (const HistoryMap& map : {fit_last_step(state, problem), fit_traces(state, problem, 0.8)}) {
    ByteWriter to;
    map.write(to);
    ByteReader from(to.bytes(), "history");
    EXPECT_EQ(HistoryMap::read(from), map);
    for (std::size_t kept = 0; kept < to.bytes().size(); kept += 8) {
      ByteReader cut(std::span(to.bytes()).first(kept), "history");
      EXPECT_THROW(HistoryMap::read(cut), DataError);
    }
  }
  HistoryMap wrong = fit_traces(state, problem, 0.8);
  wrong.fading = 1.0;
  ByteWriter to;
  wrong.write(to);
  ByteReader from(to.bytes(), "history");
  EXPECT_THROW(HistoryMap::read(from), DataError);
}

// A map sees only what it was fitted for: the features of one block of the logs are those it has among all of them.
TEST(HistoryMap, MakesTheFeaturesOfAnyPartOfTheLogs) {
  const Problem problem = with_actions({3, 1, 4, 1, 5}, 6);
  const BagFeatures state{.dimension = 1, .values = {1, 2, 3, 4, 5, 6}};
  const HistoryMap map = fit_traces(state, problem, 0.6);
  const BagFeatures all = map.apply(state, problem.data());
  const Dataset second = problem.data().take(1, 2);
  const BagFeatures part = map.apply({.dimension = 1, .values = {3, 4, 5}}, second);
  ASSERT_EQ(part.dimension, all.dimension);
  EXPECT_TRUE(std::equal(part.values.begin(), part.values.end(), all.values.begin() + 2 * all.dimension));
  EXPECT_THROW(map.apply({.dimension = 2, .values = std::vector<double>(6)}, second), InvalidArgument);
  Columns continuous = two_episodes(DenseStates{.dimension = 1, .values = {1, 2, 3, 4, 5, 6}});
  continuous.actions = ContinuousActions{.dimension = 1, .values = {1, 2, 3, 4, 5}};
  EXPECT_THROW(map.apply(state, Dataset(std::move(continuous))), InvalidArgument);
}

}  // namespace
}  // namespace starope
