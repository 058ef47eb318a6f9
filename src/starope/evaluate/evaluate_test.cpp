#include "starope/evaluate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"
#include "starope/inference/influence_interval.hpp"
#include "starope/q/testing.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

Problem dense_problem() {
  testing::RandomLogsOptions options;
  options.episodes = 60;
  return testing::random_problem(options, Seed{5});
}

TEST(Evaluate, EqualTheEstimatesMadeOneByOne) {
  const Problem problem = dense_problem();
  const std::vector<NamedEstimator> estimators = parse_estimators(
      "wpdis,star(clusters=3,clip=1),star(clusters=5,clip=2),star(clusters=3,clip=2),naive,"
      "star(clusters=3,clip=1,horizon=2),star(clusters=3,clip=1,seed=9),star(phi=random,clusters=3),"
      "star(clusters=3,clip=1,horizon=2,truncation=censor),star(clusters=3,time=indexed),star(clusters=3,init=kmeans++"
      ")",
      {}, Seed{11});
  const std::vector<Answer> shared =
      evaluate(problem, estimators, {.level = Level{0.9}, .interval_findings = false, .seconds = true}).estimates;
  ASSERT_EQ(shared.size(), estimators.size());
  for (std::size_t i = 0; i < shared.size(); ++i) {
    const Estimate alone = estimate(estimators[i].estimator, problem);
    const auto* made = std::get_if<Estimate>(&shared[i].result);
    ASSERT_NE(made, nullptr) << estimators[i].text;
    EXPECT_EQ(made->value, alone.value) << estimators[i].text;
    EXPECT_EQ(made->std_error, alone.std_error) << estimators[i].text;
    EXPECT_EQ(made->interval->lower, influence_interval(alone, Level{0.9})->lower);
    EXPECT_EQ(made->findings, alone.findings);
    EXPECT_EQ(made->estimator, estimators[i].text);
    EXPECT_GE(shared[i].seconds.value(), 0.0);
  }
}

// Real-valued states and the distributions of both policies: all that Q-functions need.
Problem with_distributions() {
  return testing::tabular_problem({.episodes = 40, .states = 30, .dense = true}, Seed{7});
}

void expect_as_alone(const std::vector<NamedEstimator>& estimators, const Problem& problem) {
  const std::vector<Answer> shared =
      evaluate(problem, estimators, {.interval_findings = false, .seconds = true}).estimates;
  ASSERT_EQ(shared.size(), estimators.size());
  for (std::size_t i = 0; i < shared.size(); ++i) {
    const Estimate alone = estimate(estimators[i].estimator, problem);
    const auto* made = std::get_if<Estimate>(&shared[i].result);
    ASSERT_NE(made, nullptr) << estimators[i].text;
    EXPECT_EQ(made->value, alone.value) << estimators[i].text;
    EXPECT_EQ(made->std_error, alone.std_error) << estimators[i].text;
    EXPECT_EQ(made->findings, alone.findings) << estimators[i].text;
    EXPECT_GE(shared[i].seconds.value(), 0.0);
  }
}

TEST(Evaluate, OneFitOfAQFunctionServesAll) {
  const Problem problem = with_distributions();
  const std::vector<NamedEstimator> estimators = parse_estimators(
      "mb(clusters=4),dr(q=mb,clusters=4),wdr(q=mb(clusters=4)),magic(q=mb,clusters=4),dr(q=mb,clusters=4,folds=2),"
      "qreg(features=linear),dr(q=qreg,features=linear),dr(q=qreg,features=linear,seed=5)",
      {}, Seed{3});
  expect_as_alone(estimators, problem);
}

// A model over clusters uses the labels of a star, whoever comes first, and regressions use one another's features.
TEST(Evaluate, OneLabelingServesStarsAndModels) {
  const Problem problem = with_distributions();
  const std::vector<NamedEstimator> estimators = parse_estimators(
      "star(clusters=4,clip=1,horizon=none),mb(clusters=4),star(clusters=4,clip=2,seed=8),dr(q=mb,clusters=4,seed=8),"
      "fqe(features=rbf),qreg(features=rbf),mrdr(features=rbf),wdr(q=mrdr,features=rbf,seed=8)",
      {}, Seed{3});
  expect_as_alone(estimators, problem);
}

// Tables made in memory have no file to be told apart by: what they hold counts.
TEST(Evaluate, TablesWithTheSameSourceAreNotTheSame) {
  const CentroidTable near{.dimension = 2, .values = {-1.0, 0.0, 1.0, 0.0}, .source = ""};
  const CentroidTable far{.dimension = 2, .values = {0.0, -3.0, 0.0, 3.0}, .source = ""};
  expect_as_alone({{.text = "near", .estimator = Star{.phi = near}}, {.text = "far", .estimator = Star{.phi = far}}},
                  dense_problem());
  const LookupTable coarse{.state = {0, 1, 2, 3}, .z = {0, 0, 0, 0}, .source = ""};
  const LookupTable fine{.state = {0, 1, 2, 3}, .z = {0, 1, 2, 3}, .source = ""};
  expect_as_alone(
      {{.text = "coarse", .estimator = Star{.phi = coarse}}, {.text = "fine", .estimator = Star{.phi = fine}}},
      testing::random_problem({.episodes = 60, .discrete_states = 4}, Seed{5}));
}

// Replicates of sums and of fits are those of the rooms below; here it matters that everybody has an interval.
TEST(Evaluate, EveryEstimatorHasAnIntervalByBootstrap) {
  const Problem problem = with_distributions();
  const auto estimators = parse_estimators(
      "naive,is,wis,pdis,wpdis,star(clusters=3),star(phi=value,clusters=3),star(clusters=3,time=indexed),"
      "mb(clusters=3),dr(q=mb,clusters=3),qreg(features=linear)");
  for (const char* method : {"bootstrap-percentile", "bootstrap-bca", "bootstrap-studentized"}) {
    const Evaluation evaluation = evaluate(
        problem, estimators,
        {.interval = parse_interval(std::string(method) + "(replicates=30)"), .checks = false, .threads = Threads{1}});
    for (const Answer& answer : evaluation.estimates) {
      const auto* made = std::get_if<Estimate>(&answer.result);
      ASSERT_NE(made, nullptr) << answer.estimator;
      ASSERT_TRUE(made->interval.has_value()) << answer.estimator << " " << method;
      EXPECT_EQ(made->interval->method, method);
      EXPECT_LT(made->interval->lower, made->interval->upper) << answer.estimator;
    }
  }
}

// A standard error that takes a network as exact is no basis of an interval; replicates that train it anew are.
TEST(Evaluate, NetworksHaveIntervalsByBootstrapOnly) {
  const Problem problem = with_distributions();
  const auto estimators = parse_estimators("fqe(features=mlp,hidden=4)");
  const auto interval = [&](const char* method) {
    const Evaluation evaluation = evaluate(problem, estimators, {.interval = parse_interval(method), .checks = false});
    return std::get<Estimate>(evaluation.estimates[0].result).interval;
  };
  EXPECT_FALSE(interval("influence"));
  EXPECT_FALSE(interval("t"));
  EXPECT_TRUE(interval("bootstrap-percentile(replicates=10)"));
}

TEST(Evaluate, BoundsAnswerForMeansAndAreRefusedElsewhere) {
  const Evaluation evaluation =
      evaluate(dense_problem(), parse_estimators("naive,wis,star(clusters=3)"),
               {.interval = parse_interval("anderson(lower=-100,upper=100)"), .checks = false});
  EXPECT_EQ(std::get<Estimate>(evaluation.estimates[0].result).interval->method, "anderson");
  for (const std::size_t i : {1U, 2U}) {
    const auto& made = std::get<Estimate>(evaluation.estimates[i].result);
    EXPECT_FALSE(made.interval);
    EXPECT_EQ(std::count_if(made.findings.begin(), made.findings.end(),
                            [](const Finding& finding) { return finding.code == "no_interval"; }),
              1);
  }
}

TEST(Evaluate, SaysWhatTheDataAre) {
  const Evaluation evaluation = evaluate(dense_problem(), parse_estimators("naive"), {.file = "logs.csv"});
  EXPECT_EQ(evaluation.data.file, "logs.csv");
  EXPECT_EQ(evaluation.data.episodes, 60);
  EXPECT_EQ(evaluation.level, 0.95);
  EXPECT_FALSE(evaluation.estimates[0].seconds.has_value());
  EXPECT_TRUE(std::get<Estimate>(evaluation.estimates[0].result).influence.empty());
  EXPECT_TRUE(evaluation.ess_by_step.empty());
  EXPECT_FALSE(evaluate(dense_problem(), parse_estimators("naive"), {.level = std::nullopt}).level.has_value());
}

TEST(Evaluate, DetailsStandInTheOrderOfTheEstimators) {
  const Problem problem = dense_problem();
  const Evaluation evaluation =
      evaluate(problem, parse_estimators("star(clusters=3,clip=1),star(phi=one),star(clusters=3,clip=2)"),
               {.details = true, .influence = true});
  ASSERT_EQ(evaluation.processes.size(), 3U);
  EXPECT_EQ(evaluation.processes[0].estimator, "star(clusters=3,clip=1)");
  EXPECT_EQ(evaluation.processes[1].estimator, "star(phi=one)");
  EXPECT_EQ(evaluation.processes[1].cells, 1);
  EXPECT_EQ(evaluation.processes[2].cells, 3);
  EXPECT_EQ(evaluation.ess_by_step.size(), static_cast<std::size_t>(problem.longest()));
  EXPECT_EQ(std::get<Estimate>(evaluation.estimates[0].result).influence.size(), 60U);
}

TEST(Evaluate, ProgressNamesEveryEstimatorThatBegins) {
  std::vector<std::string> seen;
  evaluate(dense_problem(), parse_estimators("naive,star(phi=one,clip=1),wis,star(phi=one,clip=2)"),
           {.progress = [&](const EvaluateProgress& progress) {
             EXPECT_EQ(progress.total, 4U);
             EXPECT_LE(progress.number, 4U);
             if (seen.empty() || seen.back() != progress.estimator) seen.push_back(progress.estimator);
           }});
  EXPECT_THAT(seen, ::testing::ElementsAre("naive", "star(phi=one,clip=1)", "star(phi=one,clip=2)", "wis"));
}

TEST(Evaluate, EndsSoonAfterItIsAskedToStop) {
  testing::RandomLogsOptions many;
  many.episodes = 3000;
  const Problem problem = testing::random_problem(many, Seed{5});
  for (const int threads : {1, 3}) {
    // Asked in the middle of an estimator, not between two: nobody may take that for the failure of this one.
    std::size_t begun = 0;
    std::atomic<int> questions{0};
    const EvaluateOptions options{.threads = Threads{threads},
                                  .progress = [&](const EvaluateProgress& at) { begun = at.number; },
                                  .stop = [&] { return begun == 2 && ++questions > 1; }};
    EXPECT_THROW(evaluate(problem, parse_estimators("naive,star(clusters=8),wis,wpdis"), options), Interrupted);
    EXPECT_EQ(begun, 2U);
    EXPECT_LE(questions, 2 + threads);
  }
}

TEST(Evaluate, AQuestionThatIsNeverAnsweredWithYesChangesNothing) {
  const Problem problem = dense_problem();
  const auto names = parse_estimators("auto,fqe(features=linear)");
  EXPECT_EQ(to_json(evaluate(problem, names)), to_json(evaluate(problem, names, {.stop = [] { return false; }})));
}

TEST(Evaluate, WhatIsNoEstimatorToBeginWithFailsAlone) {
  const std::vector<RequestedEstimator> requested{
      {.text = "star(centroids=bad.csv)", .estimator = Failure{.code = "file_error", .message = "no file"}},
      {.text = "naive", .estimator = Naive{}}};
  const Evaluation evaluation = evaluate(dense_problem(), requested);
  EXPECT_EQ(std::get<Failure>(evaluation.estimates[0].result).message, "no file");
  EXPECT_EQ(evaluation.estimates[0].estimator, "star(centroids=bad.csv)");
  EXPECT_TRUE(any_answered(evaluation));
}

TEST(Evaluate, AFailureLeavesTheOthersAlone) {
  const Problem problem = dense_problem();
  // Real-valued states have no table of ids.
  const std::vector<NamedEstimator> estimators =
      parse_estimators("star(lookup=t.csv,clip=1),naive,star(lookup=t.csv,clip=2)",
                       {.centroids = {}, .lookup = [](const std::string&) { return LookupTable{}; }});
  const std::vector<Answer> shared =
      evaluate(problem, estimators, {.interval_findings = false, .seconds = true}).estimates;
  for (const std::size_t i : {0U, 2U}) {
    const auto* failure = std::get_if<Failure>(&shared[i].result);
    ASSERT_NE(failure, nullptr);
    EXPECT_FALSE(failure->code.empty());
    EXPECT_FALSE(failure->message.empty());
  }
  EXPECT_TRUE(std::holds_alternative<Estimate>(shared[1].result));
}

TEST(Evaluate, NamesEstimatorsThatAreGivenAsValues) {
  const Problem problem = testing::random_problem({.episodes = 30}, Seed{5});
  const std::vector<Estimator> values{Naive{}, Star{Clusters{3}, Clip::last(2)}};
  const Evaluation given = evaluate(problem, values);
  const Evaluation named = evaluate(problem, parse_estimators("naive,star(clusters=3,clip=2)"));
  EXPECT_EQ(to_json(given), to_json(named));
  EXPECT_EQ(to_json(evaluate(problem, {Naive{}, Star{Clusters{3}, Clip::last(2)}})), to_json(named));
}

// Probabilities of 0.25 for actions that are taken every second time.
Problem misreported() {
  testing::RandomLogsOptions options;
  options.episodes = 200;
  options.actions = 2;
  Columns columns = testing::random_logs(options, Seed{5}).columns();
  const auto steps = static_cast<std::size_t>(columns.rewards.size());
  columns.behavior->values = std::vector<double>(steps, 0.25);
  columns.target->values = std::vector<double>(steps, 0.5);
  return make_problem(Dataset(std::move(columns)));
}

TEST(Evaluate, LooksForWhatIsWrongWithTheLogs) {
  const std::vector<Estimator> naive = {Naive{}};
  const Evaluation checked = evaluate(misreported(), naive);
  ASSERT_FALSE(checked.data.findings.empty());
  EXPECT_EQ(checked.data.findings[0].code, "behavior_prob_wrong");
  EXPECT_EQ(checked.data.findings[0].severity, Severity::critical);
  const Evaluation unchecked = evaluate(misreported(), naive, {.checks = false});
  for (const Finding& finding : unchecked.data.findings) EXPECT_EQ(finding.severity, Severity::info) << finding.code;
  EXPECT_EQ(to_json(evaluation_from_json(to_json(checked))), to_json(checked));
}

// The decision is that of the parts: the estimate that answers, its paired difference, its findings.
TEST(Evaluate, DecidesWhatAnswersAndHowItCompares) {
  const Problem problem = make_problem(testing::random_logs({.episodes = 200, .longest = 3}, Seed{6}));
  const Evaluation evaluation = evaluate(problem, parse_estimators("naive,wis,wpdis"));
  ASSERT_EQ(evaluation.answer, 1U);
  const Estimate wis = estimate(ImportanceSampling{.weighted = true}, problem), naive = estimate(Naive{}, problem);
  ASSERT_TRUE(evaluation.difference);
  EXPECT_EQ(evaluation.difference->value, wis.value - naive.value);
  EXPECT_EQ(evaluation.difference->logged, naive.value);
  std::vector<double> paired = wis.influence;
  for (std::size_t i = 0; i < paired.size(); ++i) paired[i] -= naive.influence[i];
  EXPECT_NEAR(evaluation.difference->std_error.value(), moments(paired).standard_error(), 1e-12);
  ASSERT_TRUE(evaluation.verdict);
  const Evaluation without = evaluate(problem, parse_estimators("naive,wis"), {.decision = false});
  EXPECT_FALSE(without.answer || without.difference || without.verdict);
  EXPECT_EQ(evaluate(problem, parse_estimators("naive")).verdict->reasons.at(0).code, "no_answer");
}

TEST(Evaluate, AnswersForGroupsOfEpisodes) {
  const Problem problem = make_problem(testing::random_logs({.episodes = 200, .longest = 3}, Seed{6}));
  Grouping groups{.by = "half", .names = {"first", "second"}};
  for (int i = 0; i < 200; ++i) groups.group_of.push_back(i < 100 ? 0 : 1);
  const Evaluation memory = evaluate(problem, parse_estimators("wis,naive"), {.groups = groups});
  ASSERT_EQ(memory.groups.size(), 2U);
  EXPECT_NEAR(0.5 * (memory.groups[0].value + memory.groups[1].value), answer_of(memory)->value, 1e-12);
  EXPECT_NEAR(0.5 * (memory.groups[0].difference.value + memory.groups[1].difference.value), memory.difference->value,
              1e-12);
  const Evaluation blocks =
      evaluate(dataset_source(problem.data()), {}, parse_estimators("wis,naive"), {.groups = groups});
  EXPECT_EQ(to_json(blocks), to_json(memory));
  groups.group_of.pop_back();
  EXPECT_THROW(evaluate(problem, parse_estimators("wis"), {.groups = groups}), InvalidArgument);
}

// Both policies are one: recordings that were cut after 4 of 9 steps made it 9 / 4 times better than itself.
TEST(Evaluate, DoesNotCompareWithRecordingsThatWereCutShort) {
  const testing::RandomLogsOptions logs{
      .episodes = 100, .shortest = 4, .longest = 4, .discrete_states = 3, .on_policy = true, .truncated = 1.0};
  Grouping groups{.by = "half", .names = {"first", "second"}};
  for (int i = 0; i < 100; ++i) groups.group_of.push_back(i % 2);
  const auto asked = parse_estimators("star(phi=identity,truncation=censor)");
  const auto at = [&](std::int64_t steps) {
    return evaluate(testing::random_problem(logs, Seed{4}, {.horizon = Horizon{steps}}), asked, {.groups = groups});
  };
  EXPECT_TRUE(at(4).difference.has_value());
  const Evaluation cut = at(9);
  EXPECT_TRUE(answer_of(cut)->interval.has_value());
  EXPECT_FALSE(cut.difference.has_value());
  ASSERT_EQ(cut.groups.size(), 2U);
  EXPECT_FALSE(cut.groups[0].difference.interval.has_value());
  const std::string words = text(cut);
  EXPECT_NE(words.find("is not known"), std::string::npos) << words;
  EXPECT_EQ(words.find("better is"), std::string::npos) << words;
  EXPECT_EQ(words.find("more than"), std::string::npos) << words;
}

}  // namespace
}  // namespace starope
