#include "starope/auto/family_views.hpp"

#include <gtest/gtest.h>

#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

BagFeatures features_of(const Problem& problem) {
  return fit_features(problem, Threads{1}).apply(problem.data(), Threads{1});
}

Problem some_logs() {
  return testing::random_problem({.episodes = 80, .longest = 9}, Seed{4}, {.horizon = Horizon{9}});
}

TEST(FamilyViews, OfFewColumnsAreThePlainOnesWithAllSeeds) {
  const Problem problem = some_logs();
  const BagFeatures states = features_of(problem);
  const Reference reference = make_reference(states, problem, {.seeds = 5});
  EXPECT_FALSE(reference.rotated);
  ASSERT_EQ(reference.views.size(), 1U);
  EXPECT_EQ(reference.views.front().seeds, 5);
  EXPECT_EQ(reference.features->values, states.values);
}

// The ladder is so short that k-means cannot cut every column in two.
TEST(FamilyViews, OfMoreColumnsThanTheLadderCutsAreInTheMetricOfValues) {
  const Problem problem = some_logs();
  const BagFeatures states = features_of(problem);
  const FamilyOptions options{.ladder = {2}, .seeds = 5};
  const Reference reference = make_reference(states, problem, options);
  ASSERT_TRUE(reference.rotated);
  ASSERT_EQ(reference.views.size(), 2U);
  EXPECT_EQ(reference.views[0].seeds + reference.views[1].seeds, 5);
  const auto others = other_views(states, reference, CellFamily{}, problem, options);
  ASSERT_TRUE(others.has_value());
  EXPECT_EQ(others->front().seeds, 5);
}

TEST(FamilyViews, OfOtherCellsAreAskedForWhereFinerCellsSaySomethingElse) {
  const Problem problem = some_logs();
  const BagFeatures states = features_of(problem);
  const Reference reference = make_reference(states, problem, {});
  CellFamily cells;
  cells.drift = {.drift = 2.9, .drift_se = 1.0, .significant = false};
  EXPECT_FALSE(other_views(states, reference, cells, problem, {}).has_value());
  cells.drift.drift = -3.1;
  EXPECT_TRUE(other_views(states, reference, cells, problem, {}).has_value());
}

// 80 episodes of 10 steps: ten visits for each of up to 80 ids.
TEST(FamilyViews, OfIdsNeedTenVisitsForEachAndCellsThatIdsShare) {
  const auto cells = [](std::int64_t ids, std::int64_t coarsest) {
    const Problem problem = testing::random_problem(
        {.episodes = 80, .shortest = 10, .longest = 10, .discrete_states = ids}, Seed{4}, {.horizon = Horizon{11}});
    return ids_are_cells(features_of(problem), problem, {.ladder = {coarsest, 64}});
  };
  EXPECT_TRUE(cells(40, 8));
  EXPECT_FALSE(cells(40, 40));  // no cell has two of them
  EXPECT_FALSE(cells(200, 8));  // four visits
  const Problem numbers = some_logs();
  EXPECT_FALSE(ids_are_cells(features_of(numbers), numbers, {}));
}

TEST(FamilyViews, ThatRememberHaveMoreColumns) {
  const Problem problem = some_logs();
  const BagFeatures states = features_of(problem);
  const Reference reference = make_reference(states, problem, {});
  const Views traces = traced_views(reference, problem), lags = lagged_views(reference, problem, {.seeds = 3});
  ASSERT_EQ(traces.size(), 2U);
  EXPECT_EQ(lags.front().seeds, 3);
  for (const FeatureView& view : {traces[0].view, traces[1].view, lags[0].view})
    EXPECT_GT(view.apply(states, problem.data()).dimension, states.dimension);
}

TEST(FamilyViews, MakeBagsWithTheLadderOfTheOptions) {
  const Problem problem = some_logs();
  const BagFeatures states = features_of(problem);
  const FamilyOptions options{.ladder = {2, 4}, .seeds = 2, .threads = Threads{1}};
  const Reference reference = make_reference(states, problem, {.seeds = 2});
  EXPECT_EQ(make_bag(reference.views, states, problem, options).ladder, options.ladder);
}

}  // namespace
}  // namespace starope
