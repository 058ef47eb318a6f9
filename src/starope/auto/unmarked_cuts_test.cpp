#include "starope/auto/unmarked_cuts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "starope/data/log_vectors.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

// Two groups of steps, and episodes that are given by the groups of their steps.
struct Grouped {
  Problem problem;
  Labels groups{};
};
Grouped grouped(const std::vector<std::vector<std::int64_t>>& episodes) {
  testing::LogVectors columns;
  std::vector<std::int64_t> all;
  Labels groups{.cells = 2};
  for (const auto& episode : episodes) {
    for (const std::int64_t g : episode) {
      all.push_back(g);
      groups.of_row.push_back(static_cast<Label>(g));
      columns.rewards.push_back(1.0);
      columns.behavior.push_back(0.5);
      columns.target.push_back(0.5);
    }
    columns.end_episode();
  }
  columns.states = make_discrete_states(all);
  return {.problem = make_problem(std::move(columns).dataset()), .groups = std::move(groups)};
}

// At the first step four of eight are in group 0, and just those end; the others end together at the second step, which
// says nothing.
TEST(UnmarkedCuts, TestIsALogRankTest) {
  const Grouped logs = grouped({{0}, {0}, {0}, {0}, {1, 0}, {1, 0}, {1, 1}, {1, 1}});
  const EndsTest test = test_ends(logs.problem, std::span(&logs.groups, 1));
  EXPECT_EQ(test.ends, 4);
  // Of either group two are expected to end; of group 0 all four do, with a hypergeometric variance.
  const double excess = 2.0, variance = 4.0 * 0.5 * 0.5 * 4.0 / 7.0;
  // Both groups say the same: one degree of freedom. By Wilson and Hilferty:
  const double v = 2.0 / 9.0;
  EXPECT_NEAR(test.dependence, (std::cbrt(excess * excess / variance) - (1.0 - v)) / std::sqrt(v), 1e-12);
  // Either half of the episodes tells the other that group 1 is the calm one: two ends are expected and none comes.
  EXPECT_DOUBLE_EQ(test.calm_expected, 2.0);
  EXPECT_DOUBLE_EQ(test.calm_ends, 0.0);
  EXPECT_EQ(test.clock, 0.0);
}

// One group: nothing to depend on. The calmer half are the first steps in order, of which there are three per episode.
TEST(UnmarkedCuts, ClockComparesTheStepsThatEndWithThoseThatAreThere) {
  const Grouped logs = grouped({{0, 0, 0}, {0, 0, 0}, {0, 0}, {0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}});
  const EndsTest test = test_ends(logs.problem, std::span(&logs.groups, 1));
  EXPECT_EQ(test.ends, 2);
  EXPECT_EQ(test.dependence, 0.0);
  // Only second steps tell anything: all calm ones are such, and have no spread.
  EXPECT_DOUBLE_EQ(test.calm_expected, 1.0);
  EXPECT_EQ(test.clock, 0.0);
}

enum class End { at_a_wall, by_chance, with_a_prize, after_an_action, at_a_wall_or_late, marked };

// A walk; it ends at a wall, by chance with every seventh step, with a prize, or after one of three actions.
struct Walk {
  Problem problem;
  Labels cells{};
};
Walk walk(End why, int episodes = 120, std::uint64_t seed = 31) {
  Random random(Seed{6}, Stream::test_data, seed);
  testing::LogVectors columns;
  columns.action_count = 3;
  std::vector<std::int64_t> places;
  for (int i = 0; i < episodes; ++i) {
    std::int64_t place = 4;
    bool over = false;
    for (int t = 0; t < 30 && !over; ++t) {
      const auto action = static_cast<std::int32_t>(random.below(3));
      const bool chance = random.uniform() < 0.15, wall = place == 0 || place == 8;
      places.push_back(place);
      over = why == End::at_a_wall           ? wall
             : why == End::at_a_wall_or_late ? wall || (t >= 8 && chance)
             : why == End::after_an_action   ? action == 2 && chance
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

UnmarkedCuts look(const Walk& logs) {
  return find_unmarked_cuts(logs.problem, std::span(&logs.cells, 1));
}

TEST(UnmarkedCuts, AreEndsThatNothingExplains) {
  EXPECT_TRUE(look(walk(End::by_chance)).suspected);
  EXPECT_FALSE(look(walk(End::at_a_wall)).suspected);
  EXPECT_FALSE(look(walk(End::with_a_prize)).suspected);
  EXPECT_FALSE(look(walk(End::after_an_action)).suspected);
  EXPECT_FALSE(look(walk(End::marked)).suspected);
}

// Some ends have a reason, the others come with the clock.
TEST(UnmarkedCuts, AreSeenAmongOtherEnds) {
  const UnmarkedCuts found = look(walk(End::at_a_wall_or_late, 400));
  EXPECT_TRUE(found.test.depend());
  EXPECT_TRUE(found.suspected);
  EXPECT_LT(found.test.calm_ends, 0.9 * found.test.calm_expected);
  // All that end early are taken as cut where the question is what that would change.
  const Problem& problem = walk(End::at_a_wall_or_late, 400).problem;
  const Problem cut = with_ends(problem, found.ends);
  for (std::int64_t i = 0; i < cut.episodes(); ++i)
    EXPECT_EQ(cut.episode(i).end == EpisodeEnd::truncated, cut.episode(i).length() < problem.longest()) << i;
}

// Among walks that end by chance, hardly any seems to have a reason.
TEST(UnmarkedCuts, AreSeenInNearlyAllRecordings) {
  int missed = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    missed += look(walk(End::by_chance, 60, 1000 + seed)).suspected ? 0 : 1;
  EXPECT_LE(missed, 3);
}

// Groups that are too coarse to show the walls do not speak against finer ones that do.
TEST(UnmarkedCuts, AreLookedForOnEveryLevel) {
  const Walk logs = walk(End::at_a_wall);
  Labels coarse{.cells = 2};
  for (const Label place : logs.cells.of_row) coarse.of_row.push_back(place % 2);
  const std::vector<Labels> levels{coarse, logs.cells};
  EXPECT_FALSE(find_unmarked_cuts(logs.problem, levels).suspected);
}

TEST(UnmarkedCuts, NeedEnoughEnds) {
  const Walk logs = walk(End::by_chance);
  std::vector<std::int64_t> few(20);
  for (std::size_t i = 0; i < few.size(); ++i) few[i] = static_cast<std::int64_t>(i);
  EXPECT_FALSE(find_unmarked_cuts(logs.problem.take(few), std::span(&logs.cells, 1)).suspected);
}

}  // namespace
}  // namespace starope
