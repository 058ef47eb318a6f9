#include "starope/problem.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

Columns two_episodes() {
  Columns c;
  c.offsets = {0, 3, 5};
  c.states = make_discrete_states(std::vector<std::int64_t>{0, 1, 2, 0, 1});
  c.actions = DiscreteActions{.id = {0, 1, 0, 1, 1}, .count = 2};
  c.rewards = {1, 2, 3, 4, 5};
  c.behavior = LoggedProbabilities{.values = {0.5, 0.5, 0.5, 0.5, 0.5}};
  c.target = LoggedProbabilities{.values = {0.9, 0.1, 0.9, 0.1, 0.0}};
  c.ends = {EpisodeEnd::terminated, EpisodeEnd::truncated};
  return c;
}

TEST(Problem, RatiosAreTargetOverBehavior) {
  const Problem problem = make_problem(Dataset(two_episodes()));
  const LoggedEpisode second = problem.episode(1);
  EXPECT_EQ(second.length(), 2);
  EXPECT_EQ(second.ratios[0], 0.1 / 0.5);
  EXPECT_EQ(second.ratios[1], 0.0);
  EXPECT_EQ(second.rewards[1], 5.0);
  EXPECT_EQ(second.first_row, 3);
  EXPECT_EQ(second.end, EpisodeEnd::truncated);
  EXPECT_DOUBLE_EQ(problem.ratio_log2_bound(), std::log2(5.0));  // the zero ratio does not count
}

TEST(Problem, LogarithmsGiveTheSameRatiosEvenWhereProbabilitiesUnderflow) {
  Columns c = two_episodes();
  for (auto* p : {&*c.behavior, &*c.target}) {
    p->scale = LoggedProbabilities::Scale::logarithm;
    std::vector<double> logarithms = p->values.to_vector();
    for (double& x : logarithms) x = std::log(x) - 900.0;  // exp(-900) is no double
    p->values = std::move(logarithms);
  }
  const Problem problem = make_problem(Dataset(std::move(c)));
  EXPECT_NEAR(problem.episode(0).ratios[0], 1.8, 1e-12);
  EXPECT_EQ(problem.episode(1).ratios[1], 0.0);
}

TEST(Problem, AHorizonCutsLongEpisodesAndKnowsTheirNextState) {
  const Problem problem = make_problem(Dataset(two_episodes()), {.discount = Discount{0.9}, .horizon = Horizon{2}});
  EXPECT_EQ(problem.steps(), 4);
  EXPECT_EQ(problem.longest(), 2);
  const LoggedEpisode first = problem.episode(0);
  EXPECT_EQ(first.length(), 2);
  EXPECT_EQ(first.end, EpisodeEnd::truncated);
  EXPECT_EQ(first.final_row, 2);
  EXPECT_EQ(problem.episode(1).final_row, std::nullopt);
}

TEST(Problem, ATerminationAtTheHorizonIsATermination) {
  const Problem problem = make_problem(Dataset(two_episodes()), {.horizon = Horizon{3}});
  EXPECT_EQ(problem.episode(0).end, EpisodeEnd::terminated);
}

TEST(Problem, CanHideWhatFollowsTheHorizon) {
  Columns columns = two_episodes();
  columns.states = make_discrete_states(std::vector<std::int64_t>{0, 1, 2, 0, 1, 7});
  columns.has_final_state = {false, true};
  const Problem problem =
      make_problem(Dataset(std::move(columns)), {.horizon = Horizon{3}, .hide_beyond_horizon = true});
  EXPECT_EQ(problem.episode(0).end, EpisodeEnd::truncated);  // it reaches the horizon
  EXPECT_EQ(problem.episode(0).length(), 3);
  EXPECT_EQ(problem.episode(1).final_row, 5);  // it does not
  const Problem shorter = problem.with({.horizon = Horizon{2}, .hide_beyond_horizon = true});
  EXPECT_EQ(shorter.episode(0).final_row, std::nullopt);
  EXPECT_EQ(shorter.episode(1).final_row, std::nullopt);
}

TEST(Problem, APolicyFunctionGivesRatiosAndFullDistributions) {
  const Policy policy = [](const StateView& state, std::span<double> p) {
    p[0] = *state.id == 1 ? 0.25 : 0.9;
    p[1] = 1.0 - p[0];
  };
  const Problem problem = make_problem(Dataset(two_episodes()), policy);
  EXPECT_EQ(problem.episode(0).ratios[0], 0.9 / 0.5);
  EXPECT_EQ(problem.episode(0).ratios[1], 0.75 / 0.5);
  ASSERT_TRUE(problem.target_distribution());
  EXPECT_EQ(problem.target_distribution()->values[2], 0.25);
}

TEST(Problem, RefusesAPolicyThatIsNoDistribution) {
  const Policy policy = [](const StateView&, std::span<double> p) { p[0] = p[1] = 0.4; };
  EXPECT_THROW(make_problem(Dataset(two_episodes()), policy), InvalidArgument);
}

TEST(Problem, SaysWhichColumnIsMissing) {
  Columns c = two_episodes();
  c.target.reset();
  try {
    make_problem(Dataset(std::move(c)));
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.code(), "missing_column");
    EXPECT_EQ(error.problem().at.column, "target_prob");
  }
}

TEST(Problem, RefusesRatiosThatOverflow) {
  Columns c = two_episodes();
  c.behavior->values = {0.5, 0.5, 0.5, 0.5, 1e-310};
  c.target->values = {0.9, 0.1, 0.9, 0.1, 1.0};
  try {
    make_problem(Dataset(std::move(c)));
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.code(), "ratio_overflow");
    EXPECT_EQ(error.problem().at.step, 1);
    EXPECT_EQ(error.problem().at.column, "behavior_prob");
    EXPECT_EQ(error.problem().value, "1e-310");
  }
}

TEST(RandomLogs, AreAFunctionOfTheSeed) {
  const Dataset a = testing::random_logs({.final_states = 0.5}, Seed{3});
  const Dataset b = testing::random_logs({.final_states = 0.5}, Seed{3});
  EXPECT_EQ(std::get<DenseStates>(a.states()), std::get<DenseStates>(b.states()));
  EXPECT_GT(a.state_rows(), a.steps());
}

// A model asks for its own horizon; what the question hides stays hidden.
TEST(Problem, AnotherHorizonLeavesTheOtherOptionsAlone) {
  const Problem problem = testing::random_problem({.episodes = 20, .shortest = 3}, Seed{1},
                                                  {.discount = Discount{0.5}, .hide_beyond_horizon = true});
  const Problem shorter = problem.with_horizon(Horizon{2});
  EXPECT_EQ(shorter.discount(), Discount{0.5});
  EXPECT_EQ(shorter.horizon(), Horizon{2});
  EXPECT_TRUE(shorter.options().hide_beyond_horizon);
  EXPECT_EQ(shorter.episode(0).length(), 2);
  EXPECT_EQ(shorter.episode(0).final_row, std::nullopt);
  EXPECT_EQ(problem.with_horizon({}).steps(), problem.steps());
}

TEST(Problem, WithoutStatesIsTheSameOtherwise) {
  const Problem problem = testing::random_problem({.truncated = 0.6, .final_states = 0.8}, Seed{2},
                                                  {.discount = Discount{0.9}, .horizon = Horizon{6}});
  const Problem bare = problem.without_states();
  EXPECT_TRUE(std::holds_alternative<std::monostate>(bare.data().states()));
  EXPECT_EQ(bare.survey(), problem.survey());
  EXPECT_EQ(bare.options(), problem.options());
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    EXPECT_EQ(bare.episode(i).final_row, problem.episode(i).final_row);
    EXPECT_EQ(bare.episode(i).first_row, problem.episode(i).first_row);
    EXPECT_EQ(bare.episode(i).ratios[0], problem.episode(i).ratios[0]);
  }
  EXPECT_EQ(bare.data().state_rows(), problem.data().state_rows());
}

TEST(Problem, TakesEpisodesWithTheirRatios) {
  // The target policy is a function: its ratios are in no column of the logs.
  const Policy policy = [](const StateView& state, std::span<double> p) {
    p[0] = *state.id == 0 ? 0.75 : 0.25;
    p[1] = 1.0 - p[0];
  };
  const Problem whole = make_problem(Dataset(two_episodes()), policy, {.horizon = Horizon{2}});
  const Problem part = whole.take(std::vector<std::int64_t>{1, 0, 1});
  ASSERT_EQ(part.episodes(), 3);
  EXPECT_EQ(part.horizon(), whole.horizon());
  for (const auto& [to, from] : {std::pair(0, 1), std::pair(1, 0), std::pair(2, 1)}) {
    const LoggedEpisode a = part.episode(to), b = whole.episode(from);
    EXPECT_TRUE(std::equal(a.ratios.begin(), a.ratios.end(), b.ratios.begin(), b.ratios.end()));
    EXPECT_TRUE(std::equal(a.rewards.begin(), a.rewards.end(), b.rewards.begin(), b.rewards.end()));
    EXPECT_EQ(a.end, b.end);
  }
  ASSERT_TRUE(part.target_distribution());
  EXPECT_EQ(part.target_distribution()->values,
            (std::vector<double>{0.75, 0.25, 0.25, 0.75, 0.75, 0.25, 0.25, 0.75, 0.25, 0.75, 0.75, 0.25, 0.25, 0.75}));
}

TEST(Survey, OfTheWholeIsMadeOfThoseOfTheParts) {
  const Dataset data = testing::random_logs({.episodes = 30}, Seed{2});
  const ProblemOptions question{.horizon = Horizon{5}};
  Survey whole = make_problem(data.take(0, 11), question).survey();
  whole += make_problem(data.take(11, 30), question).survey();
  EXPECT_EQ(whole, make_problem(data, question).survey());
  EXPECT_EQ(whole.longest, 5);
  EXPECT_GT(whole.ratio_log2_bound, 0.0);
}

}  // namespace
}  // namespace starope
