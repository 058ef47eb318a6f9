#include "starope/auto/wave_scores.hpp"

#include <gtest/gtest.h>

#include "starope/auto/action_logs.hpp"
#include "starope/auto/half_splits.hpp"
#include "starope/auto/oracle.hpp"
#include "starope/auto/pooled_scores.hpp"
#include "starope/auto/wave_family.hpp"
#include "starope/data/random_logs.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

// One pass gives what every question would have got alone.
TEST(WaveScores, AreThoseOfEveryQuestionByItself) {
  const Problem problem = testing::random_problem({.episodes = 150, .truncated = 0.5, .final_states = 0.5}, Seed{3},
                                                  {.discount = Discount{0.95}, .horizon = Horizon{8}});
  const BagFeatures features{.dimension = 2, .values = testing::state_numbers(problem)};
  const std::vector<std::int64_t> all = testing::all_episodes(problem);
  const Bag bag = testing::random_bag(problem, {3, 6}, 2, Seed{5});
  const PooledTables tables = pooled_tables(bag, problem, all);
  const HalfSplits splits(150, 2, Seed{1});
  const WaveSolve how{.gamma = 0.95, .horizon = 8};
  const Waves waves = fit_waves(features, problem, {.draws = 2, .waves = 20}, splits.groups());
  std::vector<std::size_t> groups(splits.groups().size());
  std::iota(groups.begin(), groups.end(), std::size_t{0});
  const std::vector<WaveModel> models = wave_models(waves, groups, how);
  const CrossSides values = values_by_cells({&waves.rows}, {models}, bag, tables, fine_steps, CellValues::yes);
  const CrossSides moved = cells_by_waves(bag, tables, waves.rows, models);

  std::vector<std::array<CrossSides, 2>> halves;
  WaveQuestions questions{.values = values, .by_waves = {&moved}, .halves = halves};
  for (std::size_t split = 0; split < 2; ++split) {
    const auto side = [&](std::size_t s) {
      const std::vector<std::int64_t> half = splits.episodes_of(split, s);
      const StepTables own =
          step_tables(bag, pooled_tables(bag, problem, half), {wave_models(waves, splits.groups_of(split, s), how)},
                      CellValues::yes, fine_steps);
      return make_sides(own, bag, {&waves.rows}, Draws::mean);
    };
    halves.push_back({side(0), side(1)});
    auto& side_of = questions.side_of.emplace_back(150, std::uint8_t{0});
    for (const std::int64_t i : splits.episodes_of(split, 1)) side_of[i] = 1;
  }
  const WaveAnswers found = answer(questions, problem, Threads{1});

  CrossScores alone = cross_scores(values, problem, all);
  alone.scores.pop_back();  // of cells
  alone.start.pop_back();
  EXPECT_EQ(found.waves.scores, alone.scores);
  EXPECT_EQ(found.waves.start, alone.start);
  EXPECT_EQ(anchor_scores(found.anchor, 0.95, 8).scores,
            anchor_scores(values.basis, values.values.front(), problem, all).scores);
  const std::vector<double> by_waves = mean_over_draws(cross_scores(moved, problem, all).scores);
  for (std::size_t i = 0; i < by_waves.size(); ++i) EXPECT_NEAR(found.by_waves[0][i], by_waves[i], 1e-10);
  for (std::size_t split = 0; split < 2; ++split) {
    for (std::size_t s = 0; s < 2; ++s) {
      const std::vector<std::int64_t> half = splits.episodes_of(split, s);
      const CrossSides& sides = halves[split][s];
      const CrossScores of_half = cross_scores(sides, problem, half);
      EXPECT_NEAR(found.halves[split][s], moments(of_half.scores[0]).mean(), 1e-10);
      EXPECT_NEAR(found.cells[split][s], moments(of_half.scores[1]).mean(), 1e-10);
      // The corrections of the anchor's scores add up to nothing: its mean needs the sums alone.
      EXPECT_NEAR(found.anchors[split][s],
                  moments(anchor_scores(sides.basis, sides.values.front(), problem, half).scores).mean(), 1e-10);
    }
  }

  const WaveAnswers three = answer(questions, problem, Threads{3});
  EXPECT_EQ(three.halves, found.halves);
  EXPECT_EQ(three.anchors, found.anchors);
  EXPECT_EQ(three.by_waves, found.by_waves);
}

// Windows of one ratio are no windows: where every outcome was seen, the scores are those of the values themselves.
TEST(WaveScores, WithWindowsOfOneRatioAreTheScores) {
  const Problem problem = testing::with_all_actions(testing::random_problem(
      {.episodes = 90, .longest = 8, .truncated = 0.0}, Seed{3}, {.discount = Discount{0.95}, .horizon = Horizon{8}}));
  const BagFeatures features{.dimension = 2, .values = testing::state_numbers(problem)};
  const std::vector<std::int64_t> all = testing::all_episodes(problem);
  const Bag bag = testing::random_bag(problem, {3, 6}, 2, Seed{5});
  const PooledTables tables = pooled_tables(bag, problem, all);
  const Waves waves = fit_waves(features, problem, {.draws = 2, .waves = 20}, {all});
  const ActionValues actions = fit_actions(features, problem, {.draws = 2, .knees = 12}, {all});
  const std::array<std::size_t, 1> group{0};
  const SmoothModels models{.waves = wave_models(waves, group, {.gamma = 0.95, .horizon = 8}),
                            .actions = action_models(actions, group, {.gamma = 0.95, .horizon = 8})};
  const CrossSides values =
      values_by_cells({&waves.rows, &actions.rows}, models, bag, tables, fine_steps, CellValues::yes);
  const std::vector<std::array<CrossSides, 2>> halves;
  WaveQuestions questions{.values = values, .halves = halves};
  for (const std::int64_t length : {1, 3})
    questions.windows.push_back({length, window_mass(bag, tables, problem, length, values.basis)});
  const WaveAnswers found = answer(questions, problem, Threads{1});
  const std::vector<double> of_waves = mean_over_draws(found.waves.scores),
                            of_actions = mean_over_draws(found.actions.scores);
  ASSERT_EQ(found.waves_by_window.size(), 2U);
  ASSERT_EQ(found.cells_by_window.size(), 2U);
  ASSERT_EQ(found.actions_by_window.size(), 2U);
  const std::vector<double> of_cells = pooled_scores(bag, tables, problem, all, Coalitions::whole_bag).whole();
  const std::vector<double> of_three = windowed_scores(bag, tables, problem, 3, fine_steps);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_NEAR(found.waves_by_window[0][i], of_waves[i], 1e-9) << i;
    EXPECT_NEAR(found.actions_by_window[0][i], of_actions[i], 1e-9) << i;
    EXPECT_NEAR(found.cells_by_window[0][i], of_cells[i], 1e-9) << i;
    EXPECT_NEAR(found.cells_by_window[1][i], of_three[i], 1e-9) << i;
  }
  EXPECT_GT(std::abs(moments(found.waves_by_window[1]).mean() - moments(of_waves).mean()), 1e-9);
  EXPECT_EQ(answer(questions, problem, Threads{3}).actions_by_window, found.actions_by_window);
}

}  // namespace
}  // namespace starope
