#include "starope/auto/families.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "starope/auto/oracle.hpp"
#include "starope/data.hpp"
#include "starope/data/random_logs.hpp"
#include "starope/estimators/star.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

using ::testing::ElementsAre;
using testing::random_problem;

std::vector<FamilyKind> kinds(const FittedFamilies& fitted) {
  std::vector<FamilyKind> result;
  for (const FamilyScores& family : fitted.scores) result.push_back(family.kind);
  return result;
}

Problem logs(std::int64_t dimension = 2) {
  return random_problem({.episodes = 60, .dimension = dimension}, Seed{3}, {.horizon = Horizon{9}});
}

TEST(Families, HaveAScorePerEpisodeAndAnswersOnHalves) {
  const FittedFamilies fitted = fit_families(logs(), {.seeds = 2});
  EXPECT_THAT(kinds(fitted), ElementsAre(FamilyKind::cells, FamilyKind::waves, FamilyKind::anchor, FamilyKind::traces));
  for (const FamilyScores& family : fitted.scores) {
    EXPECT_EQ(family.scores.size(), 60u);
    EXPECT_EQ(family.halves.size(), 6u);
    // Halves scatter round the whole.
    const Moments m = moments(family.scores);
    for (const auto& half : family.halves) {
      for (const double value : half) EXPECT_NEAR(value, m.mean(), 20.0 * m.standard_error()) << name_of(family.kind);
    }
  }
}

TEST(Families, ThatRememberAreLeftOutOnRequest) {
  EXPECT_THAT(kinds(fit_families(logs(), {.seeds = 2, .history = History::off})),
              ElementsAre(FamilyKind::cells, FamilyKind::waves, FamilyKind::anchor));
  EXPECT_THAT(
      kinds(fit_families(logs(), {.seeds = 2, .history = History::on})),
      ElementsAre(FamilyKind::cells, FamilyKind::waves, FamilyKind::anchor, FamilyKind::traces, FamilyKind::lags));
}

TEST(Families, HaveCellsInBothMetricsWhereThereAreManyColumns) {
  EXPECT_THAT(kinds(fit_families(logs(9), {.seeds = 2, .history = History::off})),
              ElementsAre(FamilyKind::cells, FamilyKind::waves, FamilyKind::anchor, FamilyKind::other_cells));
}

// A double process of one abstraction is that abstraction's process.
TEST(Families, HaveIdsAsCellsWhereEachIsSeenOftenAndSayWhatTheirProcessSays) {
  const Problem problem = random_problem({.episodes = 200, .shortest = 3, .longest = 8, .discrete_states = 30}, Seed{3},
                                         {.horizon = Horizon{9}});
  const FittedFamilies fitted = fit_families(problem, {.ladder = {4, 8}, .seeds = 2, .history = History::off});
  ASSERT_THAT(kinds(fitted),
              ElementsAre(FamilyKind::cells, FamilyKind::waves, FamilyKind::anchor, FamilyKind::other_cells));
  const double by_process =
      estimate(Star{.phi = Identity{}, .truncation = TruncationRule::censor}, fitted.problem).value;
  EXPECT_NEAR(moments(fitted.scores.back().scores).mean(), by_process, 1e-9);
  EXPECT_GT(std::abs(moments(fitted.scores.front().scores).mean() - by_process), 1e-6);  // cells of several ids differ
}

TEST(Families, AreTheSameForAnyNumberOfThreads) {
  const FittedFamilies one = fit_families(logs(9), {.seeds = 2, .threads = Threads{1}});
  const FittedFamilies three = fit_families(logs(9), {.seeds = 2, .threads = Threads{3}});
  ASSERT_EQ(kinds(one), kinds(three));
  for (std::size_t f = 0; f < one.scores.size(); ++f) {
    EXPECT_EQ(one.scores[f].scores, three.scores[f].scores) << name_of(one.scores[f].kind);
    EXPECT_EQ(one.scores[f].halves, three.scores[f].halves);
    EXPECT_EQ(one.scores[f].learning, three.scores[f].learning);
  }
}

// Half of the data says the same as all of it where the answer does not depend on how much there is.
TEST(Families, LearningCurveIsFlatWhereEveryRewardIsTheSame) {
  Problem problem = random_problem({.episodes = 40, .shortest = 5, .longest = 5, .truncated = 0.0}, Seed{3});
  Columns columns = problem.data().columns();
  columns.rewards = std::vector<double>(problem.steps(), 2.0);
  columns.states = make_discrete_states(std::vector<std::int64_t>(problem.steps(), 4));
  problem = make_problem(Dataset(std::move(columns)), {.horizon = Horizon{5}});
  const FittedFamilies fitted = fit_families(problem, {.seeds = 2});
  EXPECT_NEAR(fitted.curve.cells, 0.0, 1e-9);
  EXPECT_NEAR(fitted.scores[0].learning, 0.0, 1e-12);
}

}  // namespace
}  // namespace starope
