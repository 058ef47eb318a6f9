#include "starope/auto/diagonal.hpp"

#include <gtest/gtest.h>

#include "starope/auto/oracle.hpp"
#include "starope/auto/pooled_scores.hpp"
#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

using testing::mean_of;

class WithoutDiagonal : public ::testing::Test {
 protected:
  double pairs_of(const std::vector<std::size_t>& members) const {
    return testing::oracle_pairs(bag, members, logs, all);
  }

  Problem logs = testing::random_problem({.episodes = 25, .longest = 9, .truncated = 0.4, .final_states = 0.5}, Seed{5},
                                         ProblemOptions{.discount = Discount{0.9}, .horizon = Horizon{7}});
  Bag bag = testing::random_bag(logs, {2, 3, 6}, 2, Seed{2});
  std::vector<std::int64_t> all = testing::all_episodes(logs);
  PooledTables tables = pooled_tables(bag, logs, all);
};

TEST_F(WithoutDiagonal, LeavesTheMeanOverPairsOfDifferentMembers) {
  const CoalitionScores scores =
      without_diagonal(pooled_scores(bag, tables, logs, all, Coalitions::nested_and_seeds), bag, tables.plain);
  EXPECT_NEAR(mean_of(scores.nested[0]), pairs_of({0, 3}), 1e-9);
  EXPECT_NEAR(mean_of(scores.nested[1]), pairs_of({0, 1, 3, 4}), 1e-9);
  EXPECT_NEAR(mean_of(scores.whole()), pairs_of({0, 1, 2, 3, 4, 5}), 1e-9);
  EXPECT_NEAR(mean_of(scores.by_seed[1]), pairs_of({3, 4, 5}), 1e-9);
}

TEST_F(WithoutDiagonal, IsTheSameForTheWholeBagAlone) {
  const CoalitionScores scores =
      without_diagonal(pooled_scores(bag, tables, logs, all, Coalitions::whole_bag), bag, tables.plain);
  EXPECT_NEAR(mean_of(scores.whole()), pairs_of({0, 1, 2, 3, 4, 5}), 1e-9);
}

TEST_F(WithoutDiagonal, LeavesAMemberOnItsOwnAlone) {
  bag = testing::random_bag(logs, {4}, 1, Seed{1});
  tables = pooled_tables(bag, logs, all);
  const CoalitionScores scores = pooled_scores(bag, tables, logs, all, Coalitions::nested_and_seeds);
  EXPECT_EQ(without_diagonal(scores, bag, tables.plain).whole(), scores.whole());
}

}  // namespace
}  // namespace starope
