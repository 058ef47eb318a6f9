#include "starope/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"
#include "starope/rng/random.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

using ::testing::ElementsAre;

// An evaluation whose estimator is a mean of given numbers, one per episode.
PolicyEvaluation policy(const char* name, const std::vector<double>& scores, const std::vector<double>& returns) {
  const auto mean_of = [](const std::vector<double>& x) {
    const Moments all = moments(x);
    Estimate estimate{.value = all.mean(), .std_error = all.standard_error(), .influence = x};
    for (double& e : estimate.influence) e -= all.mean();
    return estimate;
  };
  PolicyEvaluation made{.policy = name};
  made.evaluation.data.episodes = static_cast<std::int64_t>(scores.size());
  made.evaluation.estimates = {{.estimator = "wis", .result = mean_of(scores)},
                               {.estimator = "naive", .result = mean_of(returns)}};
  made.evaluation.answer = 0;
  return made;
}

struct DrawnSteps {
  std::vector<double> returns{};
  std::vector<std::vector<double>> scores{};
};
// Scores of policies with these values; half of their variance is that of the returns.
DrawnSteps draws(const std::vector<double>& values, int episodes, std::uint64_t item) {
  Random random(Seed{21}, Stream::test_data, item);
  DrawnSteps made{.scores = std::vector<std::vector<double>>(values.size())};
  for (int i = 0; i < episodes; ++i) {
    const double common = random.normal();
    made.returns.push_back(common);
    for (std::size_t k = 0; k < values.size(); ++k) made.scores[k].push_back(values[k] + common + random.normal());
  }
  return made;
}
std::vector<PolicyEvaluation> policies(const DrawnSteps& from) {
  std::vector<PolicyEvaluation> all;
  for (std::size_t k = 0; k < from.scores.size(); ++k)
    all.push_back(policy(std::string(1, static_cast<char>('a' + k)).c_str(), from.scores[k], from.returns));
  return all;
}

TEST(Compare, RanksPoliciesAndTellsThemApart) {
  const Comparison comparison = compare(policies(draws({0.0, 1.0, 1.05}, 400, 0)));
  ASSERT_EQ(comparison.policies.size(), 4U);
  EXPECT_EQ(comparison.policies[0].policy, "logged");
  EXPECT_EQ(comparison.policies[0].answer.estimator, "naive");
  EXPECT_THAT(std::vector<std::size_t>(comparison.ranking.begin() + 2, comparison.ranking.end()),
              ::testing::UnorderedElementsAre(0, 1));
  // Against the logged policy, then the pairs in the order given.
  ASSERT_EQ(comparison.differences.size(), 6U);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const PolicyDifference& each : comparison.differences) pairs.emplace_back(each.first, each.second);
  EXPECT_EQ(pairs, (std::vector<std::pair<std::size_t, std::size_t>>{{1, 0}, {2, 0}, {3, 0}, {1, 2}, {1, 3}, {2, 3}}));
  EXPECT_FALSE(comparison.differences[0].told_apart);
  EXPECT_TRUE(comparison.differences[1].told_apart);
  EXPECT_FALSE(comparison.differences[5].told_apart);
  EXPECT_EQ(comparison.not_told_apart.size(), 2U);
  double total = 0.0;
  for (const ComparedPolicy& each : comparison.policies) total += each.probability_best.value();
  EXPECT_NEAR(total, 1.0, 1e-12);
}

// Differences are those of the episodes, and their errors too; simultaneous intervals are wider than single ones.
TEST(Compare, PairsEpisodes) {
  const DrawnSteps from = draws({0.3, 0.0}, 100, 1);
  const Comparison comparison = compare(policies(from));
  std::vector<double> difference;
  for (std::size_t i = 0; i < 100; ++i) difference.push_back(from.scores[0][i] - from.scores[1][i]);
  const Difference& found = comparison.differences.back().difference;
  EXPECT_NEAR(found.value, moments(difference).mean(), 1e-12);
  EXPECT_NEAR(found.std_error.value(), moments(difference).standard_error(), 1e-9);
  EXPECT_GT(found.interval->upper, found.value + 1.97 * found.std_error.value());
  EXPECT_EQ(found.interval->level, 0.95);
  EXPECT_EQ(found.interval->method, "influence, max-t");
}

TEST(Compare, TheSamePolicyTwiceIsNoDifference) {
  const DrawnSteps from = draws({0.3}, 100, 2);
  const Comparison comparison =
      compare({policy("a", from.scores[0], from.returns), policy("b", from.scores[0], from.returns)});
  const PolicyDifference& pair = comparison.differences.back();
  EXPECT_EQ(pair.difference.value, 0.0);
  EXPECT_EQ(pair.difference.std_error, 0.0);
  EXPECT_FALSE(pair.told_apart);
  EXPECT_NEAR(*comparison.policies[1].probability_best, *comparison.policies[2].probability_best, 1e-12);
}

TEST(Compare, APolicyWithoutAnAnswerIsListedAndNotRanked) {
  std::vector<PolicyEvaluation> all = policies(draws({0.3}, 50, 3));
  PolicyEvaluation failed{.policy = "b"};
  failed.evaluation.data.episodes = 50;
  failed.evaluation.estimates = {{.estimator = "auto", .result = Failure{"x", "no states"}}};
  all.push_back(failed);
  const Comparison comparison = compare(all);
  EXPECT_EQ(comparison.ranking.size(), 2U);
  EXPECT_FALSE(comparison.policies[2].rank);
  EXPECT_EQ(std::get<Failure>(comparison.policies[2].answer.result).message, "no states");
}

// The largest number is of no use where it is none: it is not the best, not in doubt against others, and comes last.
TEST(Compare, ANumberThatIsNotAnAnswerIsNotTheBest) {
  std::vector<PolicyEvaluation> all = policies(draws({9.0, 1.0, 1.05}, 400, 0));
  all[0].evaluation.verdict = Verdict{.grade = Grade::not_answerable, .reasons = {{"a", "nothing was logged", ""}}};
  const Comparison comparison = compare(all);
  EXPECT_THAT(comparison.ranking, ElementsAre(3, 2, 0, 1));
  EXPECT_EQ(comparison.policies[1].rank, 4);
  EXPECT_FALSE(comparison.policies[1].probability_best);
  EXPECT_NEAR(*comparison.policies[0].probability_best + *comparison.policies[2].probability_best +
                  *comparison.policies[3].probability_best,
              1.0, 1e-12);
  EXPECT_THAT(comparison.not_told_apart, ElementsAre(ElementsAre(3, 2)));
  for (const PolicyDifference& each : comparison.differences) {
    const bool with_it = each.first == 1 || each.second == 1;
    EXPECT_EQ(each.told_apart, !with_it && each.second == 0) << each.first << " - " << each.second;
  }
}

// What was recorded of the logged policy is no return of the question; the targets are compared among themselves.
TEST(Compare, LeavesOutALoggedPolicyWhoseRecordingsWereCut) {
  std::vector<PolicyEvaluation> all = policies(draws({0.0, 1.0}, 200, 6));
  for (PolicyEvaluation& each : all) {
    each.evaluation.data.horizon = 50;
    each.evaluation.data.findings = {
        {Severity::info,
         "recordings_cut",
         {{"cut", std::int64_t{9}}, {"episodes", std::int64_t{200}}, {"steps", std::int64_t{50}}}}};
  }
  const Comparison comparison = compare(all);
  EXPECT_EQ(comparison.ranking, (std::vector<std::size_t>{2, 1}));
  ASSERT_EQ(comparison.differences.size(), 1U);
  EXPECT_EQ(comparison.differences[0].first + comparison.differences[0].second, 3U);
  EXPECT_NEAR(*comparison.policies[1].probability_best + *comparison.policies[2].probability_best, 1.0, 1e-12);
  EXPECT_NE(text(comparison).find("behavior_prob"), std::string::npos);
  EXPECT_EQ(text(comparison).find("more than"), std::string::npos);
}

// Returns that add up to no number are the trouble of the logged policy's mean, and nobody else's.
TEST(Compare, TheOthersAnswerWhereTheLoggedPolicyHasNoNumber) {
  std::vector<PolicyEvaluation> all = policies(draws({0.0, 1.0}, 200, 7));
  for (PolicyEvaluation& each : all)
    each.evaluation.estimates[1].result = Failure{.code = "degenerate_model", .message = "too large for a number"};
  const Comparison comparison = compare(all);
  EXPECT_EQ(comparison.ranking, (std::vector<std::size_t>{2, 1}));
  ASSERT_EQ(comparison.differences.size(), 1U);
  EXPECT_NE(text(comparison).find("too large for a number"), std::string::npos);
}

TEST(Compare, NobodyMayHaveAnAnswer) {
  std::vector<PolicyEvaluation> all = policies(draws({0.0, 1.0}, 20, 9));
  for (PolicyEvaluation& each : all) {
    each.evaluation.answer.reset();
    for (Answer& answer : each.evaluation.estimates) answer.result = Failure{.code = "x", .message = "no weights"};
  }
  const Comparison comparison = compare(all);
  EXPECT_TRUE(comparison.ranking.empty() && comparison.differences.empty());
  EXPECT_NE(text(comparison).find("no weights"), std::string::npos);
  EXPECT_NE(to_json(comparison).find("no weights"), std::string::npos);
}

// One episode has all the weight of b: it has a value and no error, so that it is told apart from nothing.
TEST(Compare, APolicyWithoutSpreadIsNotToldApart) {
  std::vector<PolicyEvaluation> all = policies(draws({0.0, 9.0}, 100, 8));
  auto& estimate = std::get<Estimate>(all[1].evaluation.estimates[0].result);
  estimate.std_error = 0.0;
  std::fill(estimate.influence.begin(), estimate.influence.end(), 0.0);
  const Comparison comparison = compare(all);
  EXPECT_EQ(comparison.ranking.front(), 2U);
  EXPECT_FALSE(comparison.policies[2].probability_best);
  for (const PolicyDifference& each : comparison.differences) EXPECT_TRUE(each.first != 2 && each.second != 2);
}

TEST(Compare, RefusesOtherLogsAndEvaluationsWithoutNaive) {
  std::vector<PolicyEvaluation> all = policies(draws({0.3}, 50, 4));
  all.push_back(policies(draws({0.3}, 60, 5)).front());
  EXPECT_THROW(compare(all), InvalidArgument);
  all.pop_back();
  all[0].evaluation.estimates.pop_back();
  EXPECT_THROW(compare(all), InvalidArgument);
  EXPECT_THROW(compare(std::vector<PolicyProblem>{}, {}), InvalidArgument);
}

// From problems: the difference from the logged policy is that of an evaluation.
TEST(Compare, OfProblemsIsThatOfTheirEvaluations) {
  const Dataset data = testing::random_logs({.episodes = 100, .longest = 3}, Seed{9});
  const Problem target = make_problem(data), same = make_problem(data.with_target(*data.behavior()));
  const Comparison comparison = compare({{"target", target}, {"same", same}}, parse_estimators("wis"));
  const Evaluation alone = evaluate(target, parse_estimators("wis"));
  EXPECT_NEAR(comparison.differences[0].difference.value, alone.difference->value, 1e-12);
  EXPECT_NEAR(*comparison.differences[0].difference.std_error, *alone.difference->std_error, 1e-12);
  EXPECT_EQ(comparison.differences[1].difference.value, 0.0);
  EXPECT_EQ(comparison.differences[1].difference.std_error, 0.0);
}

// Whoever compares must know where the ratios come from.
TEST(Compare, KeepsHowTheBehaviorPolicyWasEstimated) {
  const Dataset data = testing::random_logs({.episodes = 60, .longest = 3, .discrete_states = 2}, Seed{9});
  const std::vector<RequestedEstimator> estimators = request_estimators({"wis,naive"}, {}, Seed{});
  const EvaluateOptions keeping{.influence = true};
  const Evaluation evaluation =
      evaluate(data, BehaviorRecipe{.method = BehaviorMethod::counts}, {}, estimators, keeping);
  const Comparison comparison = compare(std::vector<PolicyEvaluation>{{"target", evaluation}});
  const auto noted = [&](std::size_t policy) {
    const auto& findings = std::get<Estimate>(comparison.policies[policy].answer.result).findings;
    return std::count_if(findings.begin(), findings.end(),
                         [](const Finding& finding) { return finding.code == "behavior_estimated"; });
  };
  EXPECT_EQ(noted(0), 0);  // what the logged policy earned needs no ratios
  EXPECT_EQ(noted(1), 1);
  EXPECT_NE(text(comparison).find("Note: The behavior probabilities are estimates, by counts."), std::string::npos);
}

// Simulated truth, five policies: all fifteen differences are in their intervals in about 95 of 100 data sets.
TEST(Compare, CoversAllDifferencesAtOnce) {
  const std::vector<double> truth{0.0, 0.1, 0.2, -0.3, 0.4};
  constexpr int trials = 200;
  int covered = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const Comparison comparison = compare(policies(draws(truth, 100, 100 + static_cast<std::uint64_t>(trial))));
    bool all = true;
    for (const PolicyDifference& each : comparison.differences) {
      const auto value = [&](std::size_t place) { return place == 0 ? 0.0 : truth[place - 1]; };
      const double true_difference = value(each.first) - value(each.second);
      all = all && each.difference.interval->lower <= true_difference &&
            true_difference <= each.difference.interval->upper;
    }
    covered += all ? 1 : 0;
  }
  // Three standard errors of a share of 200: 0.046.
  EXPECT_NEAR(covered / static_cast<double>(trials), 0.95, 0.046);
}

}  // namespace
}  // namespace starope
