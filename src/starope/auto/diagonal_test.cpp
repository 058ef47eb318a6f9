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
    return testing::oracle_pairs(bag_, members, logs_, all_);
  }

  Problem logs_ = testing::random_problem({.episodes = 25, .longest = 9, .truncated = 0.4, .final_states = 0.5},
                                          Seed{5}, ProblemOptions{.discount = Discount{0.9}, .horizon = Horizon{7}});
  Bag bag_ = testing::random_bag(logs_, {2, 3, 6}, 2, Seed{2});
  std::vector<std::int64_t> all_ = testing::all_episodes(logs_);
  PooledTables tables_ = pooled_tables(bag_, logs_, all_);
};

TEST_F(WithoutDiagonal, LeavesTheMeanOverPairsOfDifferentMembers) {
  const CoalitionScores scores =
      without_diagonal(pooled_scores(bag_, tables_, logs_, all_, Coalitions::nested_and_seeds), bag_, tables_.plain);
  EXPECT_NEAR(mean_of(scores.nested[0]), pairs_of({0, 3}), 1e-9);
  EXPECT_NEAR(mean_of(scores.nested[1]), pairs_of({0, 1, 3, 4}), 1e-9);
  EXPECT_NEAR(mean_of(scores.whole()), pairs_of({0, 1, 2, 3, 4, 5}), 1e-9);
  EXPECT_NEAR(mean_of(scores.by_seed[1]), pairs_of({3, 4, 5}), 1e-9);
}

TEST_F(WithoutDiagonal, IsTheSameForTheWholeBagAlone) {
  const CoalitionScores scores =
      without_diagonal(pooled_scores(bag_, tables_, logs_, all_, Coalitions::whole_bag), bag_, tables_.plain);
  EXPECT_NEAR(mean_of(scores.whole()), pairs_of({0, 1, 2, 3, 4, 5}), 1e-9);
}

TEST_F(WithoutDiagonal, LeavesAMemberOnItsOwnAlone) {
  bag_ = testing::random_bag(logs_, {4}, 1, Seed{1});
  tables_ = pooled_tables(bag_, logs_, all_);
  const CoalitionScores scores = pooled_scores(bag_, tables_, logs_, all_, Coalitions::nested_and_seeds);
  EXPECT_EQ(without_diagonal(scores, bag_, tables_.plain).whole(), scores.whole());
}

}  // namespace
}  // namespace starope
