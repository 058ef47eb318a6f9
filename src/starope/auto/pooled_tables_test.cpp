#include "starope/auto/pooled_tables.hpp"

#include <gtest/gtest.h>

#include "starope/auto/oracle.hpp"
#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

using testing::all_episodes;
using testing::OracleModel;

TEST(PooledTables, HoldTheModelsOfTheMembers) {
  const Problem problem = testing::random_problem({.episodes = 30, .zero_target = 0.2}, Seed{2},
                                                  ProblemOptions{.discount = Discount{0.9}, .horizon = Horizon{9}});
  const Bag bag = testing::random_bag(problem, {3, 7}, 2, Seed{1});
  const auto all = all_episodes(problem);
  const PooledTables tables = pooled_tables(bag, problem, all);
  double going_on = 0.0;
  for (std::size_t m = 0; m < bag.members.size(); ++m) {
    const OracleModel model = testing::oracle_model(bag.members[m], problem, all);
    EXPECT_NEAR(tables.plain[m], model.plain, 1e-10);
    for (std::size_t z = 0; z < static_cast<std::size_t>(bag.members[m].cells); ++z) {
      const std::size_t cell = tables.first_cell[m] + z;
      EXPECT_NEAR(tables.reward[cell], model.reward[z], 1e-12);
      EXPECT_NEAR(tables.per_visit[cell] * model.visit[z], 30.0, 1e-9);
      EXPECT_NEAR(tables.per_seen[cell] * model.seen[z], 30.0, 1e-9);
      double total = 0.0;
      for (std::size_t k = 0; k < 9; ++k) {
        EXPECT_NEAR(tables.values[cell * tables.value_stride + k], model.values[k][z], 1e-10);
        EXPECT_NEAR(tables.mass[cell * tables.mass_stride + k], model.mass[k][z], 1e-12);
        total += model.mass[k][z];
      }
      EXPECT_NEAR(tables.total_mass[cell], total, 1e-12);
      for (std::size_t k = 9; k < tables.mass_stride; ++k) EXPECT_EQ(tables.mass[cell * tables.mass_stride + k], 0.0);
      going_on += model.mass[4][z] / 4.0;
    }
  }
  EXPECT_NEAR(tables.mass_of_step[4], going_on, 1e-12);
}

// One episode s0 -> s1, cut off in s1: nobody saw what follows s1, and the target policy surely gets there.
TEST(PooledTables, CountTheMassThatEntersCellsWithoutOutcomes) {
  Columns columns;
  columns.offsets = {0, 2};
  columns.rewards = {1.0, 2.0};
  columns.behavior = LoggedProbabilities{.values = {0.5, 0.5}};
  columns.target = columns.behavior;
  columns.ends = {EpisodeEnd::truncated};
  columns.states = make_discrete_states(std::vector<std::int64_t>{0, 1});
  const Problem problem = make_problem(Dataset(std::move(columns)), ProblemOptions{.horizon = Horizon{5}});
  const Bag bag{.ladder = {2}, .seeds = 1, .members = {{.cells = 2, .of_row = {0, 1}}}};
  const PooledTables tables = pooled_tables(bag, problem, all_episodes(problem));
  EXPECT_DOUBLE_EQ(tables.unsupported, 1.0);
  EXPECT_DOUBLE_EQ(tables.plain[0], 3.0);  // what follows counts as zero
  // At the horizon nothing would follow anyway.
  const Problem shorter = problem.with({.discount = problem.discount(), .horizon = Horizon{2}});
  EXPECT_DOUBLE_EQ(pooled_tables(bag, shorter, all_episodes(shorter)).unsupported, 0.0);
}

}  // namespace
}  // namespace starope
