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
  EXPECT_TRUE(scores.healthy());
  EXPECT_FALSE((AnchorScores{.ess = 14.0, .effective = 12.0}).healthy());
  EXPECT_FALSE((AnchorScores{.ess = 20.0, .effective = 9.0}).healthy());
  // The episodes that carry the target policy's weight were not drawn: all others look equal.
  EXPECT_FALSE((AnchorScores{.ess = 20.0, .effective = 12.0, .least_weight = 0.2}).healthy());
  EXPECT_FALSE((AnchorScores{.ess = 20.0, .effective = 12.0, .greatest_weight = 4.0}).healthy());
}

TEST(Anchor, SeesThatFewEpisodesCarryTheWeight) {
  const Problem problem =
      random_problem({.episodes = 60, .shortest = 12, .truncated = 0.0}, Seed{7}, {.horizon = Horizon{12}});
  const AnchorScores found = Anchor(problem, true).scores();
  EXPECT_LT(found.ess, 20.0);  // products of twelve ratios from 0.1 to 9
  EXPECT_GT(found.ess, 1.0);
}

}  // namespace
}  // namespace starope
