#include "starope/auto/cell_family.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/auto/oracle.hpp"
#include "starope/data/random_logs.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

using testing::all_episodes;

Problem logs(std::int64_t episodes = 80) {
  return testing::random_problem({.episodes = episodes}, Seed{3}, {.horizon = Horizon{9}});
}

TEST(CellFamily, IsTheMeanOverAllPairsOfDifferentMembers) {
  const Problem problem = logs();
  const CellFamily family = fit_cells(testing::random_bag(problem, {3, 5}, 2, Seed{4}), problem, all_episodes(problem));
  double sum = 0.0;
  for (const Labels& a : family.bag.members) {
    for (const Labels& b : family.bag.members) {
      if (&a == &b) continue;
      sum += testing::oracle_pair(a, testing::oracle_model(a, problem, all_episodes(problem)), b,
                                  testing::oracle_model(b, problem, all_episodes(problem)), problem,
                                  all_episodes(problem));
    }
  }
  EXPECT_NEAR(family.value(), sum / 12.0, 1e-9);
  EXPECT_EQ(family.by_levels.size(), 2u);
  EXPECT_EQ(family.by_seed.size(), 2u);
}

TEST(CellFamily, OnAllEpisodesAgainSaysTheSame) {
  const Problem problem = logs();
  const CellFamily family = fit_cells(testing::random_bag(problem, {3, 5}, 2, Seed{4}), problem, all_episodes(problem));
  EXPECT_NEAR(cells_value(family.bag, problem, all_episodes(problem), family.tables, Threads{1}), family.value(),
              1e-5 * std::abs(family.value()));
}

TEST(CellFamily, SaysOfHalvesWhatModelsOfTheseAloneSay) {
  const Problem problem = logs();
  const CellFamily family = fit_cells(testing::random_bag(problem, {3, 5}, 2, Seed{4}), problem, all_episodes(problem));
  const HalfSplits splits(problem.episodes(), 3, Seed{5});
  const std::vector<double> values = half_values(family, problem, splits, Threads{2});
  ASSERT_EQ(values.size(), 6u);
  for (std::size_t job = 0; job < values.size(); ++job) {
    const std::vector<std::int64_t> half = splits.episodes_of(job / 2, job % 2);
    const PooledTables tables = pooled_tables(family.bag, problem, half, Threads{1});
    EXPECT_EQ(values[job], cells_value(family.bag, problem, half, tables, Threads{1})) << job;
  }
  EXPECT_NE(values[0], values[1]);
}

TEST(CellFamily, KeepsTheFinestLevelsInOrder) {
  const Problem problem = logs(10);
  const Bag bag = testing::random_bag(problem, {2, 4, 8}, 2, Seed{1});
  const Bag fine = finest_of(bag);
  EXPECT_EQ(fine.ladder, (std::vector<std::int64_t>{4, 8}));
  ASSERT_EQ(fine.members.size(), 4u);
  EXPECT_EQ(fine.members[0], bag.members[0]);
  EXPECT_EQ(fine.members[1], bag.members[1]);
  EXPECT_EQ(fine.members[2], bag.members[3]);
}

// Values depend on a number in [0, 1); coarse cells smear what fine ones see.
TEST(CellFamily, LeavesOutCoarseLevelsThatTheFineOnesContradict) {
  Random random(Seed{6}, Stream::test_data, 3);
  Columns columns;
  std::vector<std::int64_t> offsets{0};
  std::vector<EpisodeEnd> ends;
  std::vector<double> states, rewards, behavior, target;
  for (int i = 0; i < 4000; ++i) {
    const double x = random.uniform();
    const bool act = random.uniform() < 0.5;
    states.push_back(x);
    rewards.push_back(act == (x < 0.5) ? 1.0 : 0.0);
    behavior.push_back(0.5);
    // The target acts where x is small: the ratio and the reward agree within fine cells alone.
    target.push_back(act == (x < 0.5) ? 0.9 : 0.1);
    offsets.push_back(i + 1);
    ends.push_back(EpisodeEnd::terminated);
  }
  columns.offsets = std::move(offsets);
  columns.ends = std::move(ends);
  columns.states = DenseStates{.dimension = 1, .values = std::vector<double>(states)};
  columns.rewards = std::move(rewards);
  columns.behavior = LoggedProbabilities{.values = std::move(behavior)};
  columns.target = LoggedProbabilities{.values = std::move(target)};
  const Problem problem = make_problem(Dataset(std::move(columns)), {.horizon = Horizon{1}});
  Bag bag{.ladder = {1, 2, 4, 8, 16}, .seeds = 1};
  for (const std::int64_t cells : {16, 8, 4, 2, 1}) {
    Labels labels{.cells = cells};
    // Cells of a single member on each level: coarse ones mix x at random, fine ones cut it.
    for (std::size_t row = 0; row < states.size(); ++row) {
      labels.of_row.push_back(cells >= 8 ? static_cast<Label>(states[row] * static_cast<double>(cells))
                                         : static_cast<Label>(row % static_cast<std::size_t>(cells)));
    }
    bag.members.push_back(std::move(labels));
  }
  const CellFamily family = fit_cells(bag, problem, all_episodes(problem));
  EXPECT_NEAR(family.value(), 0.9, 0.03);
  EXPECT_EQ(family.drift.significant, family.bag.levels() == 2);
}

TEST(CellFamily, GapIsTheMeanDistanceOfPlainValues) {
  const Problem problem = logs();
  const CellFamily family = fit_cells(testing::random_bag(problem, {3, 5}, 2, Seed{4}), problem, all_episodes(problem));
  const double value = moments(family.raw.whole()).mean();
  const double coarse = 0.5 * (family.tables.plain[1] + family.tables.plain[3]);
  const double fine = 0.5 * (family.tables.plain[0] + family.tables.plain[2]);
  EXPECT_NEAR(family.gap(), 0.5 * (std::abs(value - coarse) + std::abs(value - fine)), 1e-12);
}

}  // namespace
}  // namespace starope
