#include "starope/auto/indexed_scores.hpp"

#include <gtest/gtest.h>

#include "starope/arp/influence.hpp"
#include "starope/auto/oracle.hpp"
#include "starope/auto/pooled_scores.hpp"
#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

using testing::all_episodes;
using testing::mean_of;
using testing::random_bag;
using testing::random_problem;

struct Case {
  double gamma;
  std::int64_t horizon;
  double truncated, final_states, zero_target;
};

class IndexedScores : public ::testing::TestWithParam<Case> {
 protected:
  Problem problem() const {
    const Case c = GetParam();
    return random_problem({.episodes = 60,
                           .longest = 9,
                           .zero_target = c.zero_target,
                           .truncated = c.truncated,
                           .final_states = c.final_states},
                          Seed{9}, ProblemOptions{.discount = Discount{c.gamma}, .horizon = Horizon{c.horizon}});
  }
};

CoalitionScores scores(const Bag& bag, const Problem& problem) {
  const auto all = all_episodes(problem);
  return indexed_scores(bag, indexed_tables(bag, problem, all), problem, all, Coalitions::nested_and_seeds);
}

// A pooled model on cells (z, t) is the time-indexed model: labels that contain the time, spread over the state rows.
Bag with_time(const Bag& bag, const Problem& problem) {
  Bag timed = bag;
  for (Labels& labels : timed.members) {
    const auto cells = static_cast<Label>(labels.cells);
    for (std::int64_t i = 0; i < problem.data().episodes(); ++i) {
      for (std::int64_t t = 0; t < problem.data().length(i); ++t) {
        labels.of_row[static_cast<std::size_t>(problem.data().first_step(i) + t)] += static_cast<Label>(t) * cells;
      }
      if (const auto row = problem.data().final_row(i)) {
        labels.of_row[static_cast<std::size_t>(*row)] += static_cast<Label>(problem.data().length(i)) * cells;
      }
    }
    labels.cells *= problem.data().longest() + 1;
  }
  return timed;
}

TEST_P(IndexedScores, OfOneMemberAreTheValueOfTheIndexedProcessAndItsInfluenceFunction) {
  const Problem logs = problem();
  const Bag bag = random_bag(logs, {3}, 1, Seed{1});
  const std::vector<double> s = scores(bag, logs).whole();
  const ArpFold recipe(bag.members[0], logs,
                       {.clip = Clip::last(1), .truncation = TruncationRule::censor, .time = TimeModel::indexed});
  const ArpStatistic statistic = fold(recipe, logs);
  const ArpModel model = make_model(statistic);
  const ArpSolution solution = solve(model, logs.discount(), std::nullopt);
  const std::vector<double> influence = influence_values(recipe, statistic, model, solution, logs);
  EXPECT_NEAR(mean_of(s), solution.value, 1e-9);
  for (std::size_t i = 0; i < s.size(); ++i) EXPECT_NEAR(s[i] - mean_of(s), influence[i], 1e-9) << i;
}

TEST_P(IndexedScores, AreThePooledScoresOnCellsThatKnowTheTime) {
  const Problem logs = problem();
  const Bag bag = random_bag(logs, {2, 4}, 2, Seed{2});
  const Bag timed = with_time(bag, logs);
  const auto all = all_episodes(logs);
  const CoalitionScores pooled =
      pooled_scores(timed, pooled_tables(timed, logs, all), logs, all, Coalitions::nested_and_seeds);
  const CoalitionScores indexed = scores(bag, logs);
  for (std::size_t l = 0; l < 2; ++l) EXPECT_NEAR(mean_of(indexed.nested[l]), mean_of(pooled.nested[l]), 1e-9);
  for (std::size_t s = 0; s < 2; ++s) EXPECT_NEAR(mean_of(indexed.by_seed[s]), mean_of(pooled.by_seed[s]), 1e-9);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_NEAR(indexed.whole()[i], pooled.whole()[i], 1e-9) << i;
}

INSTANTIATE_TEST_SUITE_P(Data, IndexedScores,
                         ::testing::Values(Case{1.0, 9, 0.0, 0.0, 0.0}, Case{1.0, 7, 0.4, 0.0, 0.0},
                                           Case{0.9, 7, 0.4, 0.5, 0.2}, Case{0.5, 20, 0.3, 0.0, 0.5},
                                           Case{1.0, 1, 0.4, 0.5, 0.0}));

}  // namespace
}  // namespace starope
