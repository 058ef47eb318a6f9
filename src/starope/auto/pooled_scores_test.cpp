#include "starope/auto/pooled_scores.hpp"

#include <gtest/gtest.h>

#include "starope/arp/influence.hpp"
#include "starope/auto/oracle.hpp"
#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

using testing::all_episodes;
using testing::mean_of;
using testing::oracle_darp;
using testing::random_bag;
using testing::random_problem;

struct Case {
  double gamma;
  std::int64_t horizon;
  double truncated, final_states, zero_target;
};

class PooledScores : public ::testing::TestWithParam<Case> {
 protected:
  Problem problem() const {
    const Case c = GetParam();
    return random_problem({.episodes = 25,
                           .longest = 9,
                           .zero_target = c.zero_target,
                           .truncated = c.truncated,
                           .final_states = c.final_states},
                          Seed{5}, ProblemOptions{.discount = Discount{c.gamma}, .horizon = Horizon{c.horizon}});
  }
  CoalitionScores scores(const Bag& bag, const Problem& problem, Coalitions coalitions) const {
    const auto all = all_episodes(problem);
    return pooled_scores(bag, pooled_tables(bag, problem, all), problem, all, coalitions);
  }
};

TEST_P(PooledScores, OfOneMemberAreThePlainValueAndItsInfluenceFunction) {
  const Problem logs = problem();
  const Bag bag = random_bag(logs, {4}, 1, Seed{1});
  const std::vector<double> s = scores(bag, logs, Coalitions::whole_bag).whole();
  const ArpFold recipe(bag.members[0], logs, {.clip = Clip::last(1), .truncation = TruncationRule::censor});
  const ArpStatistic statistic = fold(recipe, logs);
  const ArpModel model = make_model(statistic);
  const ArpSolution solution = solve(model, logs.discount(), logs.horizon());
  const std::vector<double> influence = influence_values(recipe, statistic, model, solution, logs);
  EXPECT_NEAR(mean_of(s), solution.value, 1e-9);
  for (std::size_t i = 0; i < s.size(); ++i) EXPECT_NEAR(s[i] - mean_of(s), influence[i], 1e-9) << i;
}

TEST_P(PooledScores, AreTheMeanOverAllPairsOfMembers) {
  const Problem logs = problem();
  const Bag bag = random_bag(logs, {2, 3, 6}, 2, Seed{2});
  const auto all = all_episodes(logs);
  const CoalitionScores s = scores(bag, logs, Coalitions::nested_and_seeds);
  ASSERT_EQ(s.nested.size(), 3u);
  ASSERT_EQ(s.by_seed.size(), 2u);
  // Members: seed by seed, finest first.
  EXPECT_NEAR(mean_of(s.nested[0]), oracle_darp(bag, {0, 3}, logs, all), 1e-9);
  EXPECT_NEAR(mean_of(s.nested[1]), oracle_darp(bag, {0, 1, 3, 4}, logs, all), 1e-9);
  EXPECT_NEAR(mean_of(s.whole()), oracle_darp(bag, {0, 1, 2, 3, 4, 5}, logs, all), 1e-9);
  EXPECT_NEAR(mean_of(s.by_seed[0]), oracle_darp(bag, {0, 1, 2}, logs, all), 1e-9);
  EXPECT_NEAR(mean_of(s.by_seed[1]), oracle_darp(bag, {3, 4, 5}, logs, all), 1e-9);
}

TEST_P(PooledScores, OfAHalfUseOnlyTheHalf) {
  const Problem logs = problem();
  const Bag bag = random_bag(logs, {2, 5}, 2, Seed{3});
  const std::vector<std::int64_t> half{1, 2, 5, 8, 13, 21};
  const PooledTables tables = pooled_tables(bag, logs, half);
  const CoalitionScores s = pooled_scores(bag, tables, logs, half, Coalitions::whole_bag);
  ASSERT_EQ(s.whole().size(), half.size());
  EXPECT_NEAR(mean_of(s.whole()), oracle_darp(bag, {0, 1, 2, 3}, logs, half), 1e-9);
}

TEST_P(PooledScores, OfTheWholeBagAreTheSameWithAndWithoutItsParts) {
  const Problem logs = problem();
  const Bag bag = random_bag(logs, {2, 3, 6}, 3, Seed{4});
  EXPECT_EQ(scores(bag, logs, Coalitions::whole_bag).whole(), scores(bag, logs, Coalitions::nested_and_seeds).whole());
}

INSTANTIATE_TEST_SUITE_P(Data, PooledScores,
                         ::testing::Values(Case{1.0, 9, 0.0, 0.0, 0.0}, Case{1.0, 7, 0.4, 0.0, 0.0},
                                           Case{0.9, 7, 0.4, 0.5, 0.2}, Case{0.5, 20, 0.3, 0.0, 0.5},
                                           Case{1.0, 1, 0.4, 0.5, 0.0}, Case{1.0, 8, 1.0, 0.0, 1.0}));

TEST(PooledScoresThreads, GiveTheSameBits) {
  const Problem logs = random_problem({.episodes = 500, .longest = 12}, Seed{6},
                                      ProblemOptions{.discount = Discount{0.95}, .horizon = Horizon{10}});
  const Bag bag = random_bag(logs, {3, 9}, 2, Seed{6});
  const auto all = all_episodes(logs);
  const auto with = [&](int threads) {
    const PooledTables tables = pooled_tables(bag, logs, all, Threads{threads});
    return pooled_scores(bag, tables, logs, all, Coalitions::nested_and_seeds, Threads{threads});
  };
  const CoalitionScores one = with(1), three = with(3);
  EXPECT_EQ(one.nested, three.nested);
  EXPECT_EQ(one.by_seed, three.by_seed);
}

}  // namespace
}  // namespace starope
