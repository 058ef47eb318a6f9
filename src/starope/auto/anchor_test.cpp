#include "starope/auto/anchor.hpp"

#include <gtest/gtest.h>

#include "starope/auto/oracle.hpp"
#include "starope/auto/wave_family.hpp"
#include "starope/data/random_logs.hpp"
#include "starope/estimators/importance_sampling.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

using testing::all_episodes;
using testing::random_problem;

// Values of a wave model, or of one that says zero everywhere.
struct Anchor {
  explicit Anchor(const Problem& logs, bool zero)
      : problem(logs),
        features{.dimension = 2, .values = testing::state_numbers(logs)},
        waves(fit_waves(features, problem, {.draws = 2, .waves = 20}, {all_episodes(problem)})),
        models(wave_models(waves, std::vector<std::size_t>{0},
                           {.gamma = problem.discount().gamma(), .horizon = problem.horizon()->steps()})),
        bag(testing::random_bag(problem, {3}, 1, Seed{1})),
        tables(pooled_tables(bag, problem, all_episodes(problem))) {
    if (zero) {
      for (WaveModel& model : models) model.values.setZero();
    }
  }
  AnchorScores scores(Threads threads = Threads{1}) const {
    const CrossSides sides = values_by_cells({&waves.rows}, {models}, bag, tables);
    return anchor_scores(sides.basis, sides.values.front(), problem, all_episodes(problem), threads);
  }

  Problem problem;
  BagFeatures features;
  Waves waves;
  std::vector<WaveModel> models;
  Bag bag;
  PooledTables tables;
};

TEST(Anchor, WithoutValuesIsWeightedPerDecisionImportanceSampling) {
  const Problem problem = random_problem({.episodes = 60, .zero_target = 0.05, .truncated = 0.0}, Seed{4},
                                         {.discount = Discount{0.9}, .horizon = Horizon{12}});
  const AnchorScores found = Anchor(problem, true).scores();
  const Estimate wpdis = estimate(ImportanceSampling{.weighted = true, .per_decision = true}, problem);
  EXPECT_NEAR(moments(found.scores).mean(), wpdis.value, 1e-10);
  // And the spread of its scores is that estimator's standard error.
  EXPECT_NEAR(moments(found.scores).standard_error(), *wpdis.std_error, 1e-9);
}

TEST(Anchor, IsTheMeanReturnWhereThePoliciesAgreeWhateverTheValues) {
  const Problem problem =
      random_problem({.episodes = 50, .on_policy = true, .truncated = 0.0}, Seed{5}, {.horizon = Horizon{12}});
  double mean = 0.0;
  for (std::int64_t i = 0; i < 50; ++i) {
    for (const double r : problem.episode(i).rewards) mean += r / 50.0;
  }
  for (const bool zero : {false, true}) {
    const AnchorScores found = Anchor(problem, zero).scores();
    EXPECT_NEAR(moments(found.scores).mean(), mean, 1e-8);
    EXPECT_NEAR(found.ess, 50.0, 1e-9);
    EXPECT_NEAR(found.least_weight, 1.0, 1e-12);
    EXPECT_NEAR(found.greatest_weight, 1.0, 1e-12);
  }
}

TEST(Anchor, IsTheSameForAnyNumberOfThreads) {
  const Problem problem = random_problem({.episodes = 150, .final_states = 0.5}, Seed{6}, {.horizon = Horizon{10}});
  const Anchor anchor(problem, false);
  EXPECT_EQ(anchor.scores(Threads{1}).scores, anchor.scores(Threads{3}).scores);
}

TEST(Anchor, KnowsWeightsThatCannotBeTrusted) {
  AnchorScores scores{.ess = 20.0, .effective = 12.0};
  EXPECT_TRUE(scores.healthy(false));
  EXPECT_FALSE((AnchorScores{.ess = 14.0, .effective = 12.0}).healthy(false));
  EXPECT_FALSE((AnchorScores{.ess = 20.0, .effective = 9.0}).healthy(false));
  // The episodes that carry the target policy's weight were not drawn: all others look equal.
  EXPECT_FALSE((AnchorScores{.ess = 20.0, .effective = 12.0, .least_weight = 0.2}).healthy(false));
  EXPECT_FALSE((AnchorScores{.ess = 20.0, .effective = 12.0, .greatest_weight = 4.0}).healthy(false));
  // Residuals of actions are small: fewer episodes will do, but the weights must not be lost.
  EXPECT_TRUE((AnchorScores{.ess = 9.0, .effective = 4.0}).healthy(true));
  EXPECT_FALSE((AnchorScores{.ess = 7.0, .effective = 12.0}).healthy(true));
  EXPECT_FALSE((AnchorScores{.ess = 20.0, .effective = 2.0}).healthy(true));
  EXPECT_FALSE((AnchorScores{.ess = 20.0, .effective = 12.0, .least_weight = 0.2}).healthy(true));
}

TEST(Anchor, SeesThatFewEpisodesCarryTheWeight) {
  const Problem problem =
      random_problem({.episodes = 60, .shortest = 12, .truncated = 0.0}, Seed{7}, {.horizon = Horizon{12}});
  const AnchorScores found = Anchor(problem, true).scores();
  EXPECT_LT(found.ess, 20.0);  // products of twelve ratios from 0.1 to 9
  EXPECT_GT(found.ess, 1.0);
}

// With Q and V: the definition, step by step.
TEST(Anchor, WithValuesOfActionsTakesTheResidualOfTheAction) {
  const Problem problem = random_problem({.episodes = 10, .truncated = 0.5, .final_states = 0.5}, Seed{8},
                                         {.discount = Discount{0.9}, .horizon = Horizon{7}});
  const Eigen::MatrixXd basis = Eigen::MatrixXd::Random(8, 3);
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const LoggedEpisode episode = problem.episode(i);
    ActionSide::Numbers numbers;
    for (int draw = 0; draw < 2; ++draw) {
      numbers.state.emplace_back(RowMatrix::Random(episode.length(), 8));
      numbers.taken.emplace_back(RowMatrix::Random(episode.length(), 8));
    }
    const AnchorEpisode found = anchor_episode(basis, numbers, episode, 0.9, 7);
    const auto mean = [&](const std::vector<RowMatrix>& of, Eigen::Index t, Eigen::Index k) {
      return 0.5 * (of[0].row(t).head(3) + of[1].row(t).head(3)).dot(basis.row(k));
    };
    EXPECT_NEAR(found.start, mean(numbers.state, 0, 0), 1e-12);
    // A state after the last step has no distribution: what leads there is lost, except at the horizon.
    const bool cut = episode.end == EpisodeEnd::truncated && episode.length() < 7;
    ASSERT_EQ(static_cast<std::int64_t>(found.residual.size()), episode.length() - (cut ? 1 : 0));
    EXPECT_EQ(found.lost_afterwards, cut);
    for (std::size_t t = 0; t < found.residual.size(); ++t) {
      const auto at = static_cast<Eigen::Index>(t);
      const double later = at + 1 < episode.length() ? 0.9 * mean(numbers.state, at + 1, at + 1) : 0.0;
      EXPECT_NEAR(found.residual[t], episode.rewards[t] + later - mean(numbers.taken, at, at), 1e-12);
    }
  }
}

}  // namespace
}  // namespace starope
