#include "starope/auto/indexed_tables.hpp"

#include <gtest/gtest.h>

#include "starope/auto/oracle.hpp"

namespace starope {
namespace {

// Three episodes in one cell, by hand: ratios and rewards below; the third is cut off after its first step.
//   i = 0: rho 2, 1   r 1, 3   terminated      i = 1: rho 1, 3   r 0, 5   terminated      i = 2: rho 1   r 4 truncated
TEST(IndexedTables, ByHand) {
  Columns columns;
  columns.offsets = {0, 2, 4, 5};
  columns.rewards = {1, 3, 0, 5, 4};
  columns.behavior = LoggedProbabilities{.values = {0.25, 0.25, 0.25, 0.25, 0.25}};
  columns.target = LoggedProbabilities{.values = {0.5, 0.25, 0.25, 0.75, 0.25}};
  columns.ends = {EpisodeEnd::terminated, EpisodeEnd::terminated, EpisodeEnd::truncated};
  columns.states = make_discrete_states(std::vector<std::int64_t>(5, 0));
  const Problem problem =
      make_problem(Dataset(std::move(columns)), ProblemOptions{.discount = Discount{0.5}, .horizon = Horizon{4}});
  const Bag bag{.ladder = {1}, .seeds = 1, .members = {{.cells = 1, .of_row = {0, 0, 0, 0, 0}}}};
  const IndexedTables tables = indexed_tables(bag, problem, testing::all_episodes(problem));
  // Step 1: r = (1*3 + 3*5) / 4 = 4.5, nothing follows. Step 0: r = (2*1 + 1*0 + 1*4) / 4 = 1.5; of the two outcomes
  // that were seen, all go on: V = 1.5 + 0.5 * 4.5. Mass: d_0 = 1, d_1 = 0.5.
  const IndexedCell& first = tables.at_step(0)[0];
  const IndexedCell& second = tables.at_step(1)[0];
  EXPECT_DOUBLE_EQ(second.reward, 4.5);
  EXPECT_DOUBLE_EQ(second.value, 4.5);
  EXPECT_DOUBLE_EQ(first.reward, 1.5);
  EXPECT_DOUBLE_EQ(first.value, 3.75);
  EXPECT_DOUBLE_EQ(tables.plain[0], 3.75);
  EXPECT_DOUBLE_EQ(first.per_visit, 3.0 * 1.0 / 4.0);
  EXPECT_DOUBLE_EQ(first.per_seen, 3.0 * 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(second.per_visit, 3.0 * 0.5 / 4.0);
  EXPECT_DOUBLE_EQ(tables.at_step(2)[0].value, 0.0);
}

}  // namespace
}  // namespace starope
