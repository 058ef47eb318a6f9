#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/data/random_logs.hpp"
#include "starope/evaluate.hpp"

namespace starope {
namespace {

Dataset some_logs(std::int64_t discrete_states = 0) {
  return testing::random_logs(
      {.episodes = 300, .longest = 9, .discrete_states = discrete_states, .truncated = 0.4, .final_states = 0.5},
      Seed{5});
}

// The whole answer, with its intervals, findings and effective sample sizes: not a bit differs from memory.
TEST(EvaluateSource, SaysWhatMemorySays) {
  for (const bool discounted : {false, true}) {
    ProblemOptions question;
    if (discounted) question = {.discount = Discount{0.9}, .horizon = Horizon{6}};
    for (const std::int64_t ids : {0, 6}) {
      const Dataset data = some_logs(ids);
      const std::vector<NamedEstimator> estimators = parse_estimators(
          "naive,is,pdis,wis,wpdis,star(clusters=4,clip=2),star(clusters=4,clip=1),star(clusters=4,seed=3),"
          "star(clusters=3,time=indexed),star(clusters=4,horizon=3,truncation=censor),star(phi=time),"
          "star(clusters=4,rollouts=50),star(clusters=900),auto(seeds=2)");
      Evaluation memory =
          evaluate(make_problem(data, question), estimators, {.details = true, .influence = true, .file = "logs"});
      memory.processes.clear();
      // With the blocks of memory, all of it one block here.
      const Evaluation blocks =
          evaluate(dataset_source(data), question, estimators, {.details = true, .influence = true, .file = "logs"});
      EXPECT_EQ(to_json(blocks), to_json(memory));
      ASSERT_EQ(blocks.estimates.size(), memory.estimates.size());
      for (std::size_t i = 0; i < blocks.estimates.size(); ++i) {
        const auto* a = std::get_if<Estimate>(&blocks.estimates[i].result);
        const auto* b = std::get_if<Estimate>(&memory.estimates[i].result);
        ASSERT_EQ(a == nullptr, b == nullptr) << estimators[i].text;
        if (a == nullptr) continue;
        EXPECT_EQ(a->influence, b->influence) << estimators[i].text;
      }
    }
  }
}

TEST(EvaluateSource, EndsSoonAfterItIsAskedToStop) {
  int questions = 0;
  const EvaluateOptions options{.threads = Threads{1}, .stop = [&] { return ++questions > 10; }};
  EXPECT_THROW(evaluate(dataset_source(some_logs(), 50), {}, parse_estimators("wpdis,auto"), options), Interrupted);
  EXPECT_LT(questions, 20);
}

TEST(EvaluateSource, SmallerBlocksChangeNothingButRounding) {
  const Dataset data = some_logs();
  const std::vector<NamedEstimator> estimators = parse_estimators("naive,wis,wpdis,star(clusters=4,clip=2)");
  const Evaluation memory = evaluate(make_problem(data), estimators);
  const Evaluation blocks = evaluate(dataset_source(data, 50), {}, estimators);
  EXPECT_EQ(blocks.data.episodes, 300);
  for (std::size_t i = 0; i < estimators.size(); ++i) {
    const auto &a = std::get<Estimate>(blocks.estimates[i].result), &b = std::get<Estimate>(memory.estimates[i].result);
    EXPECT_NEAR(a.value, b.value, 1e-12 * std::abs(b.value)) << estimators[i].text;
    EXPECT_NEAR(a.interval->upper, b.interval->upper, 1e-9 * std::abs(b.interval->upper)) << estimators[i].text;
  }
}

TEST(EvaluateSource, WhatNeedsMemorySaysSoAndLeavesTheOthersAlone) {
  const std::vector<RequestedEstimator> requested{
      {.text = "mb(model=mlp)", .estimator = LearnedModel{}},
      {.text = "star(centroids=bad.csv)", .estimator = Failure{.code = "file_error", .message = "no file"}},
      {.text = "lookup", .estimator = Star{.phi = LookupTable{}}},
      {.text = "naive", .estimator = Naive{}}};
  std::vector<std::string> seen;
  const Evaluation evaluation =
      evaluate(dataset_source(some_logs()), {}, requested,
               {.seconds = true, .progress = [&](const EvaluateProgress& at) { seen.push_back(at.estimator); }});
  EXPECT_EQ(std::get<Failure>(evaluation.estimates[0].result).code, "needs_memory");
  EXPECT_EQ(std::get<Failure>(evaluation.estimates[1].result).message, "no file");
  EXPECT_TRUE(std::holds_alternative<Failure>(evaluation.estimates[2].result));
  EXPECT_TRUE(std::holds_alternative<Estimate>(evaluation.estimates[3].result));
  EXPECT_GE(evaluation.estimates[3].seconds.value(), 0.0);
  EXPECT_THAT(seen, ::testing::ElementsAre("mb(model=mlp)", "star(centroids=bad.csv)", "lookup", "naive"));
}

TEST(EvaluateSource, WhichEstimatorsTakeBlocks) {
  for (const char* text : {"naive", "is", "wpdis", "star(clusters=3)", "auto"})
    EXPECT_TRUE(takes_blocks(parse_estimator(text).estimator)) << text;
  for (const char* text : {"mb", "dr", "magic"}) EXPECT_FALSE(takes_blocks(parse_estimator(text).estimator)) << text;
}

TEST(EvaluateSource, TakesEstimatorsAsValues) {
  const Source source = dataset_source(some_logs());
  EXPECT_EQ(to_json(evaluate(source, {}, std::vector<Estimator>{Naive{}, Star{Clusters{3}}})),
            to_json(evaluate(source, {}, parse_estimators("naive,star(clusters=3)"))));
}

}  // namespace
}  // namespace starope
