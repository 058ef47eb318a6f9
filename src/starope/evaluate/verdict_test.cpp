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
                           "worth", "shift", "digits", "share"}) {
    // A small mean ratio is more than a doubt.
    const bool large = rule.code == "ratio_mean" && rule.parameter.empty() && std::string_view(real) == "mean";
    finding.parameters.push_back({.name = real, .value = large ? 1.5 : number});
  }
  finding.parameters.push_back({.name = "cut", .value = std::int64_t{7}});
  for (const char* real : {"lower", "upper"}) finding.parameters.push_back({.name = real, .value = number});
  for (const char* word : {"where", "action", "direction", "episode", "method", "other", "estimator"})
    finding.parameters.push_back({.name = word, .value = std::string("up")});
  return finding;
}

// Two episodes that agree are no evidence.
TEST(Verdict, AHandfulOfEpisodesIsNotSupported) {
  Evaluation evaluation = with_finding({});
  EXPECT_EQ(judge(evaluation).grade, Grade::supported);
  evaluation.data.episodes = 9;
  evaluation.difference.reset();  // nothing is known of what it is worth
  const Verdict verdict = judge(evaluation);
  EXPECT_EQ(verdict.grade, Grade::doubtful);
  EXPECT_EQ(verdict.reasons.at(0).reason, "only 9 episodes were logged");
  evaluation.data.episodes = 10;
  EXPECT_EQ(judge(evaluation).grade, Grade::supported);
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
  // A mean ratio of 0.4: the logs hold two fifths of what the target policy does.
  for (const double mean : {0.4, 0.74, 0.76, 1.4}) {
    const Finding finding{Severity::warning, "ratio_mean", {{"mean", mean}, {"where", "all steps"}}};
    EXPECT_EQ(judge(with_finding({}, {finding})).grade, mean < 0.75 ? Grade::not_answerable : Grade::doubtful) << mean;
  }
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

// "Worth about 720,000,000,000 episodes" says nothing to anybody.
TEST(Verdict, AnErrorFarBelowThatOfTheLogsIsSaidInWords) {
  Evaluation evaluation = with_finding({});
  auto& error = *std::get<Estimate>(evaluation.estimates[1].result).std_error;
  error = 0.0101;  // 98 times as many as were logged
  EXPECT_THAT(judge(evaluation).reasons.at(0).reason, HasSubstr("worth about 9,80"));
  error = 1e-7;
  EXPECT_THAT(judge(evaluation).reasons.at(0).reason, HasSubstr("below a tenth of what as many episodes"));
  EXPECT_THAT(judge(evaluation).reasons.at(0).reason, ::testing::Not(HasSubstr("worth about")));
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

Evaluation with_estimates(std::vector<Answer> estimates) {
  Evaluation evaluation;
  evaluation.data.episodes = 100;
  evaluation.estimates = std::move(estimates);
  evaluation.answer = choose_answer(evaluation.estimates);
  return evaluation;
}

Answer between(const char* name, double lower, double upper, std::vector<Finding> findings = {}) {
  return {.estimator = name,
          .result = Estimate{.value = (lower + upper) / 2.0,
                             .std_error = (upper - lower) / 4.0,
                             .interval = Interval{.lower = lower, .upper = upper},
                             .findings = std::move(findings)}};
}

std::vector<std::string> codes(const Verdict& verdict) {
  std::vector<std::string> all;
  for (const VerdictReason& reason : verdict.reasons) all.push_back(reason.code);
  return all;
}

// A star with too few cells is off by a multiple of its standard error, which nothing in it sees.
TEST(Verdict, OneModelIsDoubtfulUntilSomethingWithoutAModelConfirmsIt) {
  const Answer star = between("star(clusters=32,clip=2)", 3.0, 5.0);
  const auto found = [&](std::vector<Answer> others) {
    others.insert(others.begin(), star);
    return codes(judge(with_estimates(std::move(others))));
  };
  const std::vector<std::string> untested{"untested_model"}, nothing{"nothing_against"};
  EXPECT_EQ(found({}), untested);
  EXPECT_EQ(found({between("naive", 3.0, 5.0)}), untested);            // says nothing of the target policy
  EXPECT_EQ(found({between("mb(clusters=32)", 3.0, 5.0)}), untested);  // may share the error
  EXPECT_EQ(found({between("wpdis", 0.0, 9.0)}), untested);            // would agree with nearly anything
  EXPECT_EQ(found({between("wpdis", 3.5, 6.0, {{Severity::warning, "low_ess"}})}), untested);
  EXPECT_EQ(found({between("wpdis", 3.5, 6.0)}), nothing);
  for (const char* model : {"mis(phi=identity)", "mb", "fqe(features=linear)", "qreg", "mrdr", "dice"})
    EXPECT_EQ(codes(judge(with_estimates({between(model, 3.0, 5.0)}))), untested) << model;
  for (const char* other : {"auto", "is", "pdis", "wis", "wpdis", "dr", "wdr", "magic"})
    EXPECT_EQ(codes(judge(with_estimates({between(other, 3.0, 5.0)}))), nothing) << other;
}

TEST(Verdict, EstimatesThatExcludeEachOtherAreDoubtful) {
  const std::vector<std::string> disagree{"estimators_disagree"}, nothing{"nothing_against"};
  const auto found = [&](std::vector<Answer> all) { return codes(judge(with_estimates(std::move(all)))); };
  const Answer wpdis = between("wpdis", 6.0, 8.0), star = between("star(clusters=32)", 6.0, 8.0);
  EXPECT_EQ(found({between("auto", 3.0, 5.0), wpdis}), disagree);
  EXPECT_EQ(found({between("auto", 3.0, 6.5), wpdis}), nothing);
  EXPECT_EQ(found({between("auto", 3.0, 5.0), star}), nothing);  // auto has weighed such models
  EXPECT_EQ(found({between("auto", 3.0, 5.0), between("wis", 6.0, 8.0, {{Severity::warning, "low_ess"}})}), nothing);
  EXPECT_EQ(found({between("star(clusters=8)", 3.0, 5.0), star}),
            (std::vector<std::string>{"estimators_disagree", "untested_model"}));
  const Verdict verdict = judge(with_estimates({between("auto", 3.0, 5.0), wpdis}));
  EXPECT_THAT(verdict.reasons.at(0).reason, HasSubstr("wpdis says 6 to 8"));
}

// What followed a cut was not recorded: estimators that add up rewards take it for nothing, models need not.
TEST(Verdict, CutRecordingsSpeakAgainstSumsOfRewards) {
  const auto found = [](const char* name) {
    Evaluation evaluation = with_estimates({between(name, 3.0, 5.0)});
    evaluation.data.horizon = 50;
    evaluation.data.findings = {
        {Severity::info,
         "recordings_cut",
         {{"cut", std::int64_t{9}}, {"episodes", std::int64_t{100}}, {"steps", std::int64_t{50}}}}};
    return codes(judge(evaluation));
  };
  for (const char* sum : {"is", "pdis", "wis", "wpdis", "dr", "wdr(q=mb)", "magic"})
    EXPECT_THAT(found(sum), ::testing::ElementsAre("only_recorded")) << sum;
  EXPECT_THAT(found("qreg"), ::testing::ElementsAre("only_recorded", "untested_model"));
  EXPECT_THAT(found("auto"), ::testing::ElementsAre("nothing_against"));
}

TEST(Verdict, NobodyAnswers) {
  Evaluation evaluation = with_finding({});
  evaluation.answer.reset();
  EXPECT_EQ(judge(evaluation).grade, Grade::not_answerable);
  EXPECT_EQ(judge(evaluation).reasons.at(0).code, "no_answer");
}

}  // namespace
}  // namespace starope
