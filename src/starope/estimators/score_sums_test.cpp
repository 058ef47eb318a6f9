#include "starope/estimators/score_sums.hpp"

#include <gtest/gtest.h>

#include "starope/data/random_logs.hpp"
#include "starope/fold/fold.hpp"

namespace starope {
namespace {

TEST(ScoreSums, AreTheMomentsOfTheScores) {
  const Problem problem = testing::random_problem({.episodes = 50}, Seed{1});
  const auto last = [](const LoggedEpisode& episode) { return episode.rewards.back(); };
  const ScoreFold<decltype(last)> op{.recipe = {.of = "last reward", .question = problem.options()}, .score = last};
  const ScoreSums sums = fold(op, problem, {.threads = Threads{1}});  // one block: scores in the order of the episodes
  Moments expected;
  for (std::int64_t i = 0; i < 50; ++i) expected.add(problem.episode(i).rewards.back());
  EXPECT_EQ(sums.scores.plain(), expected);
  EXPECT_EQ(sums.recipe.of, "last reward");
}

}  // namespace
}  // namespace starope
