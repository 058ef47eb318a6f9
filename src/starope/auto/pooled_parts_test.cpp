#include "starope/auto/pooled_parts.hpp"

#include <gtest/gtest.h>

#include "starope/auto/oracle.hpp"
#include "starope/auto/part_sweeps.hpp"
#include "starope/base/instruction_sets.hpp"
#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

using Parts = std::vector<std::vector<std::int64_t>>;

// Every part has some episodes that others have as well; the last is one episode alone.
Parts overlapping_parts(std::int64_t episodes, std::size_t count) {
  Parts parts(count);
  for (std::size_t p = 0; p + 1 < count; ++p) {
    for (std::int64_t i = 0; i < episodes; ++i) {
      if ((i * 7 + static_cast<std::int64_t>(p) * 3) % 5 < 2) parts[p].push_back(i);
    }
  }
  parts.back() = {episodes / 2};
  return parts;
}

void expect_same(const PooledTables& a, const PooledTables& b) {
  EXPECT_EQ(a.horizon, b.horizon);
  EXPECT_EQ(a.value_stride, b.value_stride);
  EXPECT_EQ(a.mass_stride, b.mass_stride);
  EXPECT_EQ(a.first_cell, b.first_cell);
  EXPECT_EQ(a.values, b.values);
  EXPECT_EQ(a.mass, b.mass);
  EXPECT_EQ(a.total_mass, b.total_mass);
  EXPECT_EQ(a.reward, b.reward);
  EXPECT_EQ(a.per_visit, b.per_visit);
  EXPECT_EQ(a.per_seen, b.per_seen);
  EXPECT_EQ(a.plain, b.plain);
  EXPECT_EQ(a.mass_of_step, b.mass_of_step);
  EXPECT_EQ(a.unsupported, b.unsupported);
}

void expect_tables_of_every_part(const Problem& problem, std::size_t count, Threads threads) {
  const Bag bag = testing::random_bag(problem, {3, 7, 20}, 2, Seed{1});
  const Parts parts = overlapping_parts(problem.episodes(), count);
  const std::vector<PooledTables> tables = pooled_tables_of_parts(bag, problem, parts, threads);
  ASSERT_EQ(tables.size(), count);
  for (std::size_t p = 0; p < count; ++p) {
    SCOPED_TRACE(p);
    expect_same(tables[p], pooled_tables(bag, problem, parts[p], Threads{1}));
  }
}

TEST(PooledParts, AreTheTablesOfEveryPartToTheBit) {
  const Problem problem = testing::random_problem({.episodes = 40, .zero_target = 0.2, .final_states = 0.5}, Seed{2},
                                                  ProblemOptions{.discount = Discount{0.9}, .horizon = Horizon{9}});
  testing::for_each_instruction_set([&] { expect_tables_of_every_part(problem, 3, Threads{1}); });
  expect_tables_of_every_part(problem, 2 * part_lanes + 3, Threads{1});
  expect_tables_of_every_part(problem, part_lanes, Threads{3});
}

TEST(PooledParts, KnowEndsThatTheHorizonHides) {
  const Problem problem = testing::random_problem({.episodes = 30}, Seed{5},
                                                  ProblemOptions{.horizon = Horizon{4}, .hide_beyond_horizon = true});
  expect_tables_of_every_part(problem, 4, Threads{1});
}

TEST(PooledParts, AreWalkedOnceEachWithTheirNumbers) {
  const Problem problem = testing::random_problem({.episodes = 30}, Seed{5}, ProblemOptions{.horizon = Horizon{4}});
  const Bag bag = testing::random_bag(problem, {3, 7}, 2, Seed{1});
  const Parts parts = overlapping_parts(problem.episodes(), part_lanes + 3);
  std::vector<int> seen(parts.size(), 0);
  for_tables_of_parts(bag, problem, parts, Threads{3}, [&](std::size_t p, const PooledTables& tables) {
    ++seen[p];
    expect_same(tables, pooled_tables(bag, problem, parts[p], Threads{1}));
  });
  EXPECT_EQ(seen, std::vector<int>(parts.size(), 1));
}

// Weights beyond the range of plain numbers take another way.
TEST(PooledParts, HaveWeightsOfAnySize) {
  Columns columns;
  columns.offsets = {0, 2, 4};
  columns.rewards = {1.0, 2.0, 3.0, 4.0};
  columns.behavior = LoggedProbabilities{.values = {1e-300, 0.5, 0.5, 1e-290}};
  columns.target = LoggedProbabilities{.values = {1.0, 0.5, 0.25, 1.0}};
  columns.ends = {EpisodeEnd::terminated, EpisodeEnd::truncated};
  columns.states = make_discrete_states(std::vector<std::int64_t>{0, 1, 1, 0});
  const Problem problem = make_problem(Dataset(std::move(columns)), ProblemOptions{.horizon = Horizon{3}});
  const Bag bag{.ladder = {2}, .seeds = 1, .members = {{.cells = 2, .of_row = {0, 1, 1, 0}}}};
  const Parts parts{{0}, {0, 1}, {1}};
  const std::vector<PooledTables> tables = pooled_tables_of_parts(bag, problem, parts);
  for (std::size_t p = 0; p < parts.size(); ++p) expect_same(tables[p], pooled_tables(bag, problem, parts[p]));
}

}  // namespace
}  // namespace starope
