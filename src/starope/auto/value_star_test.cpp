#include "starope/auto/value_star.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "starope/data/log_vectors.hpp"
#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

// One step each. The first column decides the reward, the second nothing.
Problem rewards_by_first_column(std::int64_t episodes) {
  Random random(Seed{1}, Stream::test_data, 3);
  testing::LogVectors columns;
  std::vector<double> states;
  for (std::int64_t i = 0; i < episodes; ++i) {
    const double x = random.uniform() < 0.5 ? 0.0 : 1.0;
    states.push_back(x + 0.1 * random.normal());
    states.push_back(random.normal());
    columns.rewards.push_back(x > 0.5 ? 10.0 : -10.0);
    columns.behavior.push_back(0.5);
    columns.target.push_back(0.5);
    columns.end_episode();
  }
  columns.states = DenseStates{.dimension = 2, .values = std::move(states)};
  return make_problem(std::move(columns).dataset());
}

TEST(ValueStar, PutsStatesOfEqualWorthIntoOneCell) {
  const Problem problem = rewards_by_first_column(400);
  const FittedAbstraction cells = value_abstraction({.clusters = 2, .seed = Seed{1}}, problem);
  ASSERT_EQ(cells.labels.cells, 2);
  std::int64_t agree = 0;
  for (std::int64_t i = 0; i < 400; ++i) {
    agree += (cells.labels.of_row[i] == 0) == (problem.episode(i).rewards[0] > 0.0) ? 1 : 0;
  }
  EXPECT_GT(std::max(agree, 400 - agree), 390);
}

TEST(ValueStar, IsAStarOnThoseCells) {
  const Problem problem = testing::random_problem({.episodes = 60, .truncated = 0.0}, Seed{2});
  const ValueStar value{.clusters = 5, .seed = Seed{4}, .star = Star{.clip = Clip::last(2)}};
  const StarFit found = fit(value, problem);
  EXPECT_EQ(found.labels.cells, 5);
  const StarFit again = fit(value.star, FittedAbstraction{.labels = found.labels}, problem);
  EXPECT_EQ(found.estimate.value, again.estimate.value);
  EXPECT_EQ(found.estimate.std_error, again.estimate.std_error);
}

// On-policy, and without cuts, every abstraction gives the mean return: also this one.
TEST(ValueStar, OnPolicyIsTheMeanReturn) {
  const Problem problem = testing::random_problem({.episodes = 50, .on_policy = true, .truncated = 0.0}, Seed{3});
  double mean = 0.0;
  for (const double r : problem.data().rewards()) mean += r / 50.0;
  EXPECT_NEAR(estimate(ValueStar{.clusters = 6}, problem).value, mean, 1e-9);
}

// A walk of fixed length, marked as ended or as cut: the clock ends it, so the states are worth the same.
Problem walks_of_twelve_steps(EpisodeEnd end) {
  Random random(Seed{6}, Stream::test_data, 5);
  testing::LogVectors columns;
  std::vector<double> states;
  for (std::int64_t i = 0; i < 80; ++i) {
    double x = random.normal();
    for (int t = 0; t < 12; ++t) {
      states.push_back(x);
      columns.rewards.push_back(x);
      const bool up = random.uniform() < 0.5;
      columns.behavior.push_back(0.5);
      columns.target.push_back(up ? 0.7 : 0.3);
      x += up ? 0.5 : -0.5;
    }
    columns.end_episode(end);
  }
  columns.states = DenseStates{.dimension = 1, .values = std::move(states)};
  return make_problem(std::move(columns).dataset());
}

TEST(ValueStar, IsNotMisledByEpisodesThatTheClockEnds) {
  const ValueStar recipe{.clusters = 12, .seed = Seed{1}};
  EXPECT_EQ(value_abstraction(recipe, walks_of_twelve_steps(EpisodeEnd::terminated)).labels.of_row,
            value_abstraction(recipe, walks_of_twelve_steps(EpisodeEnd::truncated)).labels.of_row);
}

TEST(ValueStar, DoesNotDependOnThreads) {
  const Problem problem = testing::random_problem({.episodes = 60, .truncated = 0.0}, Seed{2});
  EXPECT_EQ(estimate(ValueStar{.clusters = 5}, problem, {.threads = Threads{1}}).value,
            estimate(ValueStar{.clusters = 5}, problem, {.threads = Threads{3}}).value);
}

}  // namespace
}  // namespace starope
