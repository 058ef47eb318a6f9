#include "starope/auto/block_scorer.hpp"

#include <gtest/gtest.h>

#include "starope/auto/action_logs.hpp"
#include "starope/auto/families.hpp"
#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

Problem logs() {
  return testing::random_problem({.episodes = 60, .dimension = 2, .truncated = 0.3, .final_states = 0.5}, Seed{5},
                                 {.discount = Discount{0.9}, .horizon = Horizon{6}});
}

// What the anchor needs does not depend on whether the episode was scored before.
TEST(BlockScorer, LooksAtAnEpisodeWithOrWithoutScoringIt) {
  for (const Problem& problem : {logs(), testing::with_all_actions(logs())}) {
    const FittedFamilies fit = fit_families(problem, {.seeds = 2, .history = History::off, .keep_models = true});
    const BagFeatures states = fit.models->states.apply(fit.problem.data(), Threads{1});
    BlockScorer scorer(*fit.models, fit.problem, states), looker(*fit.models, fit.problem, states);
    for (std::int64_t i = 0; i < fit.problem.episodes(); ++i) {
      const LoggedEpisode episode = fit.problem.episode(i);
      EXPECT_EQ(scorer.score(episode).size(), fit.models->actions.empty() ? 2U : 3U);
      const AnchorEpisode scored = scorer.anchor(episode), looked = looker.look(episode);
      EXPECT_EQ(scored.start, looked.start);
      EXPECT_EQ(scored.residual, looked.residual);
      EXPECT_EQ(scored.lost_afterwards, looked.lost_afterwards);
      ASSERT_EQ(scored.weight.size(), looked.weight.size());
    }
  }
}

// Windows leave their first steps to cumulative weights, no more.
TEST(BlockScorer, WindowsOpenWithTheFirstSteps) {
  const Problem problem = logs();
  const FittedFamilies fit = fit_families(problem, {.seeds = 2, .history = History::on, .keep_models = true});
  ASSERT_TRUE(fit.models->lags.has_value());
  const BagFeatures states = fit.models->states.apply(fit.problem.data(), Threads{1});
  std::int64_t visited = 0;
  for_windows(*fit.models->lags, fit.problem, states,
              [&](std::int64_t i, const AnchorEpisode& opening, const WindowScorer& scorer) {
                EXPECT_EQ(i, visited++);
                EXPECT_LE(static_cast<std::int64_t>(opening.weight.size()), scorer.opening());
                EXPECT_EQ(opening.weight.size(), opening.residual.size());
              });
  EXPECT_EQ(visited, fit.problem.episodes());
}

}  // namespace
}  // namespace starope
