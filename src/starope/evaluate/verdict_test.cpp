#include "starope/evaluate/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/evaluate/verdict_rules.hpp"

namespace starope {
namespace {

using ::testing::HasSubstr;

// 100 episodes whose returns have a standard error of 0.1, and an estimate with one of 0.2: worth 25 episodes.
Evaluation with_finding(std::vector<Finding> of_answer, std::vector<Finding> of_logs = {}) {
  Evaluation evaluation;
  evaluation.data.episodes = 100;
  evaluation.data.findings = std::move(of_logs);
  evaluation.estimates = {
      {.estimator = "naive", .result = Estimate{.value = 1.0}},
      {.estimator = "auto", .result = Estimate{.value = 2.0, .std_error = 0.2, .findings = std::move(of_answer)}}};
  evaluation.answer = 1;
  evaluation.difference = Difference{.value = 1.0, .logged = 1.0, .logged_std_error = 0.1};
  return evaluation;
}

// A finding of this code with every parameter that the sentence of the rule shows.
Finding finding_for(const VerdictRule& rule, double number) {
  Finding finding{.severity = rule.least, .code = std::string(rule.code)};
  for (const char* whole :
       {"episodes", "copies", "step", "states", "cells", "failed", "replicates", "groups", "repeats"})
    if (rule.code != "classes_disagree" || std::string_view(whole) != "cells")
      finding.parameters.push_back({.name = whole, .value = std::int64_t{7}});
  for (const char* real : {"mean", "ess", "steps", "probability", "scores", "distance", "cells", "waves", "anchor",
                           "worth", "shift", "digits", "share"})
    finding.parameters.push_back({.name = real, .value = number});
  for (const char* word : {"where", "action", "direction", "episode", "method"})
    finding.parameters.push_back({.name = word, .value = std::string("up")});
  return finding;
}

TEST(Verdict, EveryRuleDecidesAlone) {
  for (const VerdictRule& rule : verdict_rules()) {
    const Finding finding = finding_for(rule, rule.above + 0.01);
    for (const bool of_logs : {false, true}) {
      const Verdict verdict = of_logs ? judge(with_finding({}, {finding})) : judge(with_finding({finding}));
      EXPECT_EQ(verdict.grade, rule.grade) << rule.code;
      ASSERT_EQ(verdict.reasons.size(), 1U) << rule.code;
      EXPECT_EQ(verdict.reasons[0].code, rule.code);
      EXPECT_EQ(verdict.reasons[0].advice, rule.advice);
      EXPECT_EQ(verdict.reasons[0].reason.find('{'), std::string::npos) << verdict.reasons[0].reason;
    }
  }
}

// The same finding with smaller numbers is another rule.
TEST(Verdict, NumbersDecideAboutMissingSupport) {
  const auto grade = [](const char* code, const char* parameter, double x) {
    return judge(with_finding({{Severity::critical, code, {{parameter, x}}}})).grade;
  };
  EXPECT_EQ(grade("unsupported_steps", "steps", 0.9), Grade::doubtful);
  EXPECT_EQ(grade("unsupported_steps", "steps", 1.1), Grade::not_answerable);
  EXPECT_EQ(grade("unsupported_state", "probability", 0.2), Grade::doubtful);
  EXPECT_EQ(grade("unsupported_state", "probability", 0.3), Grade::not_answerable);
}

TEST(Verdict, TheWorstGradeDecidesAndItsFirstTwoRulesAreTheReasons) {
  const Verdict verdict = judge(with_finding({{Severity::warning, "no_spread"},
                                              {Severity::critical, "not_converged", {{"iterations", std::int64_t{3}}}},
                                              {Severity::critical, "unfinished_rollouts"}},
                                             {{Severity::critical, "impossible_value", {{"value", 3.0}}}}));
  EXPECT_EQ(verdict.grade, Grade::not_answerable);
  ASSERT_EQ(verdict.reasons.size(), 2U);
  EXPECT_EQ(verdict.reasons[0].code, "impossible_value");
  EXPECT_EQ(verdict.reasons[1].code, "not_converged");
}

TEST(Verdict, NotesDoNotCountAndFindingsWithoutARuleDo) {
  const Verdict good = judge(with_finding({{Severity::info, "same_policy"}}));
  EXPECT_EQ(good.grade, Grade::supported);
  EXPECT_THAT(good.reasons.at(0).reason, HasSubstr("worth about 25 episodes"));
  const Finding of_inspect{Severity::warning, "single_episode"};
  EXPECT_EQ(judge(with_finding({of_inspect})).grade, Grade::doubtful);
  EXPECT_EQ(judge(with_finding({of_inspect})).reasons.at(0).reason, text(of_inspect));
}

TEST(Verdict, AnAnswerIsWorthSoManyEpisodes) {
  Evaluation evaluation = with_finding({});
  EXPECT_NEAR(worth_of(evaluation).value(), 25.0, 1e-12);
  std::get<Estimate>(evaluation.estimates[1].result).std_error = 0.4;  // a quarter of that
  EXPECT_EQ(judge(evaluation).grade, Grade::doubtful);
  EXPECT_EQ(judge(evaluation).reasons.at(0).code, "worth_few_episodes");
  std::get<Estimate>(evaluation.estimates[1].result).std_error = 1.1;
  EXPECT_EQ(judge(evaluation).grade, Grade::not_answerable);
  std::get<Estimate>(evaluation.estimates[1].result).std_error = 0.0;
  EXPECT_FALSE(worth_of(evaluation));
}

Answer answer(const char* name, std::vector<Finding> findings = {}) {
  return {.estimator = name, .result = Estimate{.findings = std::move(findings)}};
}

TEST(Verdict, AutoAnswersOrElseTheFirstWithoutACriticalFinding) {
  const Finding critical{Severity::critical, "not_converged"};
  const Answer failed{.estimator = "auto", .result = Failure{}};
  EXPECT_EQ(choose_answer({answer("naive"), answer("wis"), answer("auto(seeds=2)", {critical})}), 2U);
  EXPECT_EQ(choose_answer({answer("naive"), answer("is", {critical}), answer("wpdis"), failed}), 2U);
  EXPECT_EQ(choose_answer({answer("naive"), answer("is", {critical}), answer("wis", {critical})}), 1U);
  EXPECT_EQ(choose_answer({answer("naive"), failed}), std::nullopt);
}

TEST(Verdict, NobodyAnswers) {
  Evaluation evaluation = with_finding({});
  evaluation.answer.reset();
  EXPECT_EQ(judge(evaluation).grade, Grade::not_answerable);
  EXPECT_EQ(judge(evaluation).reasons.at(0).code, "no_answer");
}

}  // namespace
}  // namespace starope
