#include "starope/estimators/star.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "starope/arp/rollout.hpp"
#include "starope/data/log_vectors.hpp"
#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;

Problem discrete_problem(std::uint64_t seed, const testing::RandomLogsOptions& base = {}) {
  testing::RandomLogsOptions options = base;
  options.discrete_states = 4;
  return testing::random_problem(options, Seed{seed});
}

// Episodes: state ids, ratios and rewards; all terminated, or cut off.
struct Log {
  std::vector<std::int64_t> states;
  std::vector<double> ratios, rewards;
  EpisodeEnd end = EpisodeEnd::terminated;
};
Problem problem_with(const std::vector<Log>& logs) {
  testing::LogVectors c;
  std::vector<std::int64_t> ids;
  for (const Log& log : logs) {
    for (std::size_t t = 0; t < log.states.size(); ++t) {
      ids.push_back(log.states[t]);
      c.rewards.push_back(log.rewards[t]);
      c.behavior.push_back(0.125);
      c.target.push_back(0.125 * log.ratios[t]);
    }
    c.end_episode(log.end);
  }
  c.states = make_discrete_states(ids);
  return make_problem(std::move(c).dataset());
}

TEST(Star, HandComputedProcess) {
  // Start in 0. Weighted moves: 0 -> 1 with 2, 0 exits with 1; 1 exits with 3. Rewards 1 in 0, 10 in 1.
  const Problem problem = problem_with({{{0, 1}, {2, 3}, {1, 10}}, {{0}, {1}, {1}}});
  const Estimate e = estimate(Star{.phi = Identity{}}, problem);
  EXPECT_NEAR(e.value, 1 + 2.0 / 3 * 10, 1e-14);
  EXPECT_NEAR(*e.std_error, moments(e.influence).standard_error(), 1e-15);
  EXPECT_TRUE(e.findings.empty());
}

TEST(Star, ReportsStatesTheTargetPolicyEntersButTheLogsCannotJudge) {
  const Problem problem = problem_with({{{0, 1}, {1, 0}, {1, 10}}, {{0}, {1}, {1}}});
  const Estimate e = estimate(Star{.phi = Identity{}}, problem);
  EXPECT_NEAR(e.value, 1.0, 1e-14);  // state 1 counts as zero
  EXPECT_THAT(e.findings, Contains(Field(&Finding::code, "unsupported_state")));
  EXPECT_THAT(text(e.findings[0]), HasSubstr("probability 0.5"));
}

TEST(Star, NoExitIsAnErrorUnlessThereIsAHorizon) {
  // The only exits have weight zero.
  const Problem problem = problem_with({{{0, 0, 0}, {1, 1, 0}, {1, 1, 1}}});
  EXPECT_THROW(estimate(Star{.phi = Identity{}}, problem), DegenerateModel);
  EXPECT_NEAR(estimate(Star{.phi = Identity{}, .horizon = std::optional{Horizon{3}}}, problem).value, 3.0, 1e-14);
}

TEST(Star, AllWeightsZeroIsAnErrorInPlainWords) {
  const Problem problem = problem_with({{{0, 0}, {0, 0}, {1, 1}}});
  try {
    estimate(Star{.phi = One{}}, problem);
    FAIL();
  } catch (const DegenerateModel& error) {
    EXPECT_THAT(error.what(), HasSubstr("never takes any of the logged actions"));
  }
}

TEST(Star, CensoringInfersTheHorizonFromTheCommonLengthOfCutEpisodes) {
  const Log cut{{0, 0, 0}, {1, 1, 1}, {1, 1, 1}, EpisodeEnd::truncated};
  const Log ended{{0}, {1}, {1}, EpisodeEnd::terminated};
  const Star censor{.phi = One{}, .truncation = TruncationRule::censor};
  const Problem problem = problem_with({cut, cut, ended});
  EXPECT_EQ(horizon_of(censor, problem), Horizon{3});
  // Outcomes seen: 4 moves, 1 exit: P = 4/5. Over three steps 1 + 4/5 + 16/25.
  EXPECT_NEAR(estimate(censor, problem).value, 1 + 0.8 + 0.64, 1e-14);

  const Log shorter{{0, 0}, {1, 1}, {1, 1}, EpisodeEnd::truncated};
  const Problem mixed = problem_with({cut, shorter, ended});
  try {
    estimate(censor, mixed);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("--horizon"));
  }
  EXPECT_EQ(horizon_of(censor, mixed.with({.horizon = Horizon{9}})), Horizon{9});
  EXPECT_EQ(horizon_of(censor, problem_with({ended})), std::nullopt);  // nothing to censor
}

TEST(Star, ItsOwnHorizonGoesBeforeTheProblems) {
  const Problem problem = discrete_problem(1).with({.horizon = Horizon{6}});
  EXPECT_EQ(horizon_of(Star{.phi = One{}}, problem), Horizon{6});
  EXPECT_EQ(horizon_of(Star{.phi = One{}, .horizon = std::optional{Horizon{4}}}, problem), Horizon{4});
  EXPECT_EQ(horizon_of(Star{.phi = One{}, .horizon = std::optional<Horizon>{}}, problem), std::nullopt);
}

TEST(Star, SaysThatCutsCountAsEnds) {
  const Estimate e = estimate(Star{.phi = One{}}, discrete_problem(2));
  EXPECT_THAT(e.findings, Contains(Field(&Finding::code, "truncation_as_end")));
}

TEST(Star, CutsThatCountAsEndsAreAWarningUnlessTheyAreRareOrOnlyTheLastStep) {
  const auto severity = [](std::int64_t episodes, std::int64_t cut, std::int64_t common, std::int64_t horizon,
                           TimeModel time) {
    SeenLogs logs;
    logs.survey.episodes = episodes;
    logs.survey.longest = 50;
    logs.cut.episodes = cut;
    if (common > 0) logs.cut.common = common;
    if (horizon > 0) logs.recipe.question.horizon = Horizon{horizon};
    return cuts_as_ends(Star{.phi = One{}, .time = time}, logs)->severity;
  };
  using enum TimeModel;
  EXPECT_EQ(severity(1000, 10, 50, 50, pooled), Severity::warning);
  EXPECT_EQ(severity(1000, 9, 50, 50, pooled), Severity::info);
  EXPECT_EQ(severity(1, 1, 50, 0, pooled), Severity::warning);
  EXPECT_EQ(severity(1000, 900, 50, 50, indexed), Severity::info);
  EXPECT_EQ(severity(1000, 900, 50, 0, indexed), Severity::info);
  EXPECT_EQ(severity(1000, 900, 50, 60, indexed), Severity::warning);
  EXPECT_EQ(severity(1000, 900, 0, 50, indexed), Severity::warning);
}

TEST(Star, SaysThatTheClockEndsEpisodes) {
  const auto warned = [](const Star& star, const Problem& problem) {
    const Estimate e = estimate(star, problem);
    return std::any_of(e.findings.begin(), e.findings.end(), [](const Finding& f) { return f.code == "fixed_length"; });
  };
  const Star identity{.phi = Identity{}};
  // Both end in a state that also goes on.
  const Problem clock =
      problem_with({{{0, 0, 1, 0}, {1, 1, 1, 1}, {1, 1, 1, 1}}, {{1, 0, 0, 0}, {1, 1, 1, 1}, {1, 1, 1, 1}}});
  EXPECT_TRUE(warned(identity, clock));
  EXPECT_FALSE(warned(Star{.phi = Identity{}, .time = TimeModel::indexed}, clock));
  // The state itself says that the end has come.
  EXPECT_FALSE(warned(identity, problem_with({{{0, 1, 2}, {1, 1, 1}, {1, 1, 1}}, {{1, 0, 2}, {1, 1, 1}, {1, 1, 1}}})));
  // Lengths differ; one episode says nothing.
  EXPECT_FALSE(warned(identity, problem_with({{{0, 0, 0}, {1, 1, 1}, {1, 1, 1}}, {{0, 0}, {1, 1}, {1, 1}}})));
  EXPECT_FALSE(warned(identity, problem_with({{{0, 0, 0}, {1, 1, 1}, {1, 1, 1}}})));
}

TEST(Star, TheFitShowsTheProcess) {
  const Problem problem = problem_with({{{0, 1}, {2, 3}, {1, 10}}, {{0}, {1}, {1}}});
  const StarFit f = fit(Star{.phi = Identity{}}, problem);
  EXPECT_EQ(f.model.cells, 2);
  EXPECT_NEAR(f.model.exit[0], 1.0 / 3, 1e-15);
  EXPECT_NEAR(f.solution.values[1], 10.0, 1e-14);
  EXPECT_EQ(f.labels.of_row, (std::vector<Label>{0, 1, 0}));
}

TEST(Star, SameBitsForAnyNumberOfThreads) {
  const Problem problem = discrete_problem(3, {.episodes = 12000, .shortest = 5, .longest = 12});
  ASSERT_GT(problem.steps(), 65536);
  const Star star{.phi = Identity{}, .clip = Clip::last(2)};
  const Estimate one = estimate(star, problem, {.threads = Threads{1}});
  const Estimate many = estimate(star, problem, {.threads = Threads{4}});
  EXPECT_EQ(one.value, many.value);
  EXPECT_EQ(one.std_error, many.std_error);
  EXPECT_EQ(one.ess, many.ess);
}

// The process of a question that hides what lies behind the horizon must not see it either.
TEST(Star, KeepsWhatTheQuestionHidesHidden) {
  const Problem open =
      make_problem(testing::random_logs({.episodes = 200, .shortest = 3, .discrete_states = 4}, Seed{5}),
                   ProblemOptions{.horizon = Horizon{3}});
  ProblemOptions hiding = open.options();
  hiding.hide_beyond_horizon = true;
  const Problem hidden = open.with(hiding);
  const Star star{.phi = Identity{}, .truncation = TruncationRule::censor};
  const FittedAbstraction fitted = fit_abstraction(star.phi, hidden);
  const ArpStatistic seen = collect({&star, 1}, fitted.labels, hidden).front();
  double cut = 0.0;
  for (const double w : seen.cut) cut += w;
  double last_weights = 0.0;
  for (std::int64_t i = 0; i < hidden.episodes(); ++i) last_weights += hidden.episode(i).ratios.back();
  EXPECT_NEAR(cut, last_weights, 1e-9);  // all episodes reach the horizon, and nobody knows what follows
  EXPECT_NE(estimate(star, hidden).value, estimate(star, open).value);
}

TEST(Star, RolloutsComeToTheExactSolution) {
  const Problem problem = testing::random_problem({.episodes = 50}, Seed{4});
  for (const TimeModel time : {TimeModel::pooled, TimeModel::indexed}) {
    Star star{.phi = Clusters{.clusters = 4}, .time = time};
    const Estimate exact = estimate(star, problem);
    star.rollouts = 40'000;
    const Estimate rolled = estimate(star, problem);
    ASSERT_TRUE(rolled.std_error.has_value());
    // The Monte Carlo part of the error is what is left of the whole.
    const double monte_carlo = std::sqrt(*rolled.std_error * *rolled.std_error - *exact.std_error * *exact.std_error);
    EXPECT_GT(monte_carlo, 0.0);
    EXPECT_LT(monte_carlo, 0.2 * *exact.std_error);
    EXPECT_NE(rolled.value, exact.value);
    EXPECT_NEAR(rolled.value, exact.value, 5.0 * monte_carlo);
    EXPECT_EQ(rolled.influence, exact.influence);
    star.seed = Seed{1};
    EXPECT_NE(estimate(star, problem).value, rolled.value);
  }
}

TEST(Star, TheErrorOfRolloutsIsAddedToThatOfTheData) {
  const Problem problem = testing::random_problem({.episodes = 50}, Seed{4});
  const Estimate exact = estimate(Star{.phi = One{}}, problem);
  const StarFit few = fit(Star{.phi = One{}, .rollouts = 5, .seed = Seed{2}}, problem);
  const Moments returns = roll_out(few.model, problem.discount(), std::nullopt, {.rollouts = 5, .seed = Seed{2}});
  EXPECT_GT(returns.standard_error(), 0.0);
  EXPECT_DOUBLE_EQ(few.estimate.value, returns.mean());
  EXPECT_DOUBLE_EQ(few.estimate.std_error.value(), std::hypot(exact.std_error.value(), returns.standard_error()));
  EXPECT_FALSE(estimate(Star{.phi = One{}, .rollouts = 1}, problem).std_error.has_value());
}

}  // namespace
}  // namespace starope
