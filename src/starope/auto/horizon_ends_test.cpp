#include "starope/auto/horizon_ends.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "starope/data/log_vectors.hpp"

namespace starope {
namespace {

struct Told {
  std::vector<std::int64_t> ids;
  EpisodeEnd end = EpisodeEnd::terminated;
};

Problem problem_of(const std::vector<Told>& episodes, std::int64_t horizon) {
  testing::LogVectors columns;
  std::vector<std::int64_t> ids;
  for (const Told& episode : episodes) {
    ids.insert(ids.end(), episode.ids.begin(), episode.ids.end());
    columns.rewards.assign(ids.size(), 1.0);
    columns.end_episode(episode.end);
  }
  columns.behavior.assign(ids.size(), 0.5);
  columns.target = columns.behavior;
  columns.states = make_discrete_states(ids);
  return make_problem(std::move(columns).dataset(), {.horizon = Horizon{horizon}});
}

HorizonEnds ends_of(const Problem& problem) {
  const auto& code = std::get<DiscreteStates>(problem.data().states()).code;
  return horizon_ends(problem, {code.begin(), code.end()});
}

constexpr EpisodeEnd cut_off = EpisodeEnd::truncated;

// A state that is left with probability 1/2 by the logged policy and, by its ratios, 1/4 by the target policy. After k
// steps 2^-k and (3/4)^k of the episodes are still there.
TEST(LongerThanLogged, IsWhatTheTargetPolicyGoesOnMoreThanTheLoggedOne) {
  testing::LogVectors columns;
  columns.rewards = {1.0, 1.0};
  columns.behavior = {0.5, 0.5};
  columns.target = {0.75, 0.25};
  columns.end_episode(EpisodeEnd::terminated);
  columns.states = make_discrete_states(std::vector<std::int64_t>{0, 0});
  const Dataset logs = std::move(columns).dataset();
  for (const std::int64_t steps : {2, 9}) {
    const Problem problem = make_problem(logs, {.horizon = Horizon{steps}});
    const auto k = static_cast<double>(steps);
    EXPECT_NEAR(longer_than_logged(problem, {0, 0}), std::pow(0.75, k) - std::pow(0.5, k), 1e-15);
  }
}

TEST(LongerThanLogged, IsNothingWhereStatesEndEpisodesOrPoliciesAreTheSame) {
  // State 2 ends every episode, whatever was done before.
  const Problem in_layers = problem_of({{{0, 1, 2}}, {{0, 0, 2}}, {{1, 1, 2}}}, 3);
  EXPECT_EQ(longer_than_logged(in_layers, {0, 1, 2, 0, 0, 2, 1, 1, 2}), 0.0);
  EXPECT_EQ(longer_than_logged(in_layers, std::vector<Label>(9, 0)), 0.0);  // all states as one
}

TEST(HorizonEnds, OfTheClockComeInStatesThatElseGoOn) {
  const Problem problem = problem_of({{{0, 1, 0}}, {{1, 0, 1}}, {{0, 0, 0}}}, 3);
  const HorizonEnds ends = ends_of(problem);
  EXPECT_EQ(ends.ended, 3);
  EXPECT_EQ(ends.expected, 0.0);
  EXPECT_TRUE(ends.mislead());
  EXPECT_EQ(without_misleading_ends(problem, ends).episode(0).end, cut_off);
}

TEST(HorizonEnds, AreExplainedByStatesThatEndEarlierOrAreNew) {
  // State 7 ended two of its four visits before step 2; state 9 comes at the end only.
  const std::vector<Told> episodes{{{0, 7, 7}}, {{7}}, {{0, 7}}, {{0, 7, 9}}, {{0, 1, 9}}};
  const HorizonEnds ends = ends_of(problem_of(episodes, 3));
  EXPECT_EQ(ends.ended, 3);
  EXPECT_DOUBLE_EQ(ends.expected, 0.5 + 1.0 + 1.0);
  EXPECT_FALSE(ends.mislead());
  const Problem problem = problem_of(episodes, 3);
  EXPECT_EQ(without_misleading_ends(problem, ends).episode(0).end, EpisodeEnd::terminated);
}

TEST(HorizonEnds, MisleadWhereContinuationsAreNotShown) {
  const HorizonEnds hidden = ends_of(problem_of({{{0, 7, 7}}, {{7}}, {{0, 7}}, {{0, 7, 0}, cut_off}}, 3));
  EXPECT_EQ(hidden.unknown, 1);
  EXPECT_TRUE(hidden.mislead());
  // No end is seen, so none misleads.
  EXPECT_FALSE(ends_of(problem_of({{{0, 7, 7}, cut_off}, {{0, 7, 0}, cut_off}}, 3)).mislead());
  // Logs that go on beyond the horizon show both.
  const HorizonEnds shown = ends_of(problem_of({{{0, 1, 0}}, {{1, 0, 1}}, {{0, 0, 0, 1}}}, 3));
  EXPECT_EQ(shown.went_on, 1);
  EXPECT_FALSE(shown.mislead());
}

TEST(HorizonEnds, OfSingleStepsAndOfOneEpisodeAreTheStates) {
  EXPECT_FALSE(ends_of(problem_of({{{0}}, {{1}}, {{0}}}, 1)).mislead());
  EXPECT_FALSE(ends_of(problem_of({{{0, 0, 0}}}, 3)).mislead());
}

TEST(FinestStates, AreIdsWhereThereAreAny) {
  Bag bag;
  bag.members.push_back({.cells = 2, .of_row = {0, 1, 1}});
  EXPECT_EQ(finest_states(bag), (std::vector<Label>{0, 1, 1}));
  bag.point_of_row = {2, 0, 1};
  EXPECT_EQ(finest_states(bag), (std::vector<Label>{2, 0, 1}));
}

}  // namespace
}  // namespace starope
