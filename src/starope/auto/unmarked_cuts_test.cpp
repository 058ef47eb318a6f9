#include "starope/auto/unmarked_cuts.hpp"

#include <gtest/gtest.h>

#include "starope/data/log_vectors.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

// Two groups. At the first step four are at risk, two in each; one of group 0 ends. At the second, three are, one in
// group 0; one of group 1 ends. At the last all end, which says nothing.
TEST(UnmarkedCuts, TestIsALogRankTest) {
  testing::LogVectors columns;
  std::vector<std::int64_t> group;
  const auto episode = [&](std::vector<std::int64_t> groups) {
    for (const std::int64_t g : groups) {
      group.push_back(g);
      columns.rewards.push_back(1.0);
      columns.behavior.push_back(0.5);
      columns.target.push_back(0.5);
    }
    columns.end_episode();
  };
  episode({0});
  episode({0, 1});
  episode({1, 0, 0});
  episode({1, 1, 1});
  columns.states = make_discrete_states(group);
  const Problem problem = make_problem(std::move(columns).dataset());
  const EndsTest test = test_ends(problem, 2, [&](std::int64_t row) { return group[row]; });
  // Expected in group 0: 1/2 and 1/3, seen 1; variances 1/4 and 2/9. Group 1 mirrors it.
  const double excess = 1.0 - 1.0 / 2.0 - 1.0 / 3.0, variance = 1.0 / 4.0 + 2.0 / 9.0;
  EXPECT_EQ(test.freedom, 0);  // a variance below one half says nothing
  EXPECT_LT(variance, 0.5);
  // Three times the same data: the excess counts three times, the variance is that of twelve.
  const Problem thrice = problem.take(std::vector<std::int64_t>{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3});
  const auto& codes = std::get<DiscreteStates>(thrice.data().states()).code;
  const EndsTest more = test_ends(thrice, 2, [&](std::int64_t row) { return codes[row]; });
  const double v = 3.0 * 0.25 * 9.0 / 11.0 + 3.0 * (2.0 / 9.0) * 6.0 / 8.0;
  EXPECT_EQ(more.freedom, 1);
  EXPECT_NEAR(more.statistic, 9.0 * excess * excess / v, 1e-12);
  EXPECT_FALSE(more.depend());
}

enum class End { at_a_wall, by_chance, with_a_prize, after_an_action, marked };

// A walk; it ends at a wall, by chance with every fifth step, with a prize, or after one of three actions.
struct Walk {
  Problem problem;
  Labels cells{};
};
Walk walk(End why) {
  Random random(Seed{6}, Stream::test_data, 31);
  testing::LogVectors columns;
  columns.action_count = 3;
  std::vector<std::int64_t> places;
  for (int i = 0; i < 80; ++i) {
    std::int64_t place = 4;
    bool over = false;
    for (int t = 0; t < 30 && !over; ++t) {
      const auto action = static_cast<std::int32_t>(random.below(3));
      const bool chance = random.uniform() < 0.15;
      places.push_back(place);
      over = why == End::at_a_wall         ? place == 0 || place == 8
             : why == End::after_an_action ? action == 2 && chance
                                           : chance;
      columns.actions.push_back(action);
      columns.behavior.push_back(1.0 / 3.0);
      columns.target.push_back(1.0 / 3.0);
      columns.rewards.push_back(why == End::with_a_prize && over ? 5.0 : 1.0);
      place = std::clamp<std::int64_t>(place + action - 1, 0, 8);
    }
    columns.end_episode(why == End::marked ? EpisodeEnd::truncated : EpisodeEnd::terminated);
  }
  Labels cells{.cells = 9};
  for (const std::int64_t place : places) cells.of_row.push_back(static_cast<Label>(place));
  columns.states = make_discrete_states(places);
  return {.problem = make_problem(std::move(columns).dataset()), .cells = std::move(cells)};
}

TEST(UnmarkedCuts, AreEndsThatNothingExplains) {
  const auto look = [](End why) {
    const Walk logs = walk(why);
    return ends_look_like_cuts(logs.problem, std::span(&logs.cells, 1));
  };
  EXPECT_TRUE(look(End::by_chance));
  EXPECT_FALSE(look(End::at_a_wall));
  EXPECT_FALSE(look(End::with_a_prize));
  EXPECT_FALSE(look(End::after_an_action));
  EXPECT_FALSE(look(End::marked));
}

// Groups that are too coarse to show the walls do not speak against finer ones that do.
TEST(UnmarkedCuts, AreLookedForOnEveryLevel) {
  const Walk logs = walk(End::at_a_wall);
  Labels coarse{.cells = 2};
  for (const Label place : logs.cells.of_row) coarse.of_row.push_back(place % 2);
  const std::vector<Labels> levels{coarse, logs.cells};
  EXPECT_FALSE(ends_look_like_cuts(logs.problem, levels));
}

TEST(UnmarkedCuts, NeedEnoughEnds) {
  const Walk logs = walk(End::by_chance);
  std::vector<std::int64_t> few(20);
  for (std::size_t i = 0; i < few.size(); ++i) few[i] = static_cast<std::int64_t>(i);
  EXPECT_FALSE(ends_look_like_cuts(logs.problem.take(few), std::span(&logs.cells, 1)));
}

}  // namespace
}  // namespace starope
