#include "starope/auto/wave_family.hpp"

#include <gtest/gtest.h>

#include "starope/auto/half_splits.hpp"
#include "starope/auto/oracle.hpp"
#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

TEST(Waves, OfAHalfAreTheModelsOfItsEpisodes) {
  const Problem problem = testing::random_problem({.episodes = 60}, Seed{1}, {.horizon = Horizon{7}});
  const BagFeatures features{.dimension = 2, .values = testing::state_numbers(problem)};
  const HalfSplits splits(60, 2, Seed{1});
  const WaveOptions options{.draws = 2, .waves = 20};
  const WaveSolve how{.horizon = 7};
  const Waves waves = fit_waves(features, problem, options, splits.groups());
  const std::vector<WaveModel> half = wave_models(waves, splits.groups_of(1, 0), how);
  const std::vector<std::int64_t> episodes = splits.episodes_of(1, 0);
  ASSERT_EQ(half.size(), 2u);
  for (std::size_t draw = 0; draw < 2; ++draw) {
    const WaveModel direct = solve(wave_sums(waves.rows, draw, problem, episodes), how);
    EXPECT_LT((half[draw].values - direct.values).norm(), 1e-9 * direct.values.norm());
    EXPECT_LT((half[draw].occupancy - direct.occupancy).norm(), 1e-9 * direct.occupancy.norm());
  }
}

TEST(Waves, AreTheSameForAnyNumberOfThreads) {
  const Problem problem = testing::random_problem({.episodes = 60}, Seed{1}, {.horizon = Horizon{7}});
  const BagFeatures features{.dimension = 2, .values = testing::state_numbers(problem)};
  const HalfSplits splits(60, 2, Seed{1});
  const Waves one = fit_waves(features, problem, {.draws = 2}, splits.groups(), Threads{1});
  const Waves three = fit_waves(features, problem, {.draws = 2}, splits.groups(), Threads{3});
  for (std::size_t g = 0; g < one.of_group.size(); ++g) {
    EXPECT_EQ(one.of_group[g][1].here, three.of_group[g][1].here);
    EXPECT_EQ(one.of_group[g][1].moves, three.of_group[g][1].moves);
  }
}

}  // namespace
}  // namespace starope
