#include "starope/auto/auto_fold.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/auto/automatic.hpp"
#include "starope/data/random_logs.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

const Auto small{.seeds = 2};

Dataset logs(std::int64_t ids = 0) {
  return testing::random_logs(
      {.episodes = 600, .longest = 9, .discrete_states = ids, .truncated = 0.4, .final_states = 0.6}, Seed{5});
}

void expect_same(const Estimate& a, const Estimate& b) {
  EXPECT_EQ(a.value, b.value);
  EXPECT_EQ(a.std_error, b.std_error);
  EXPECT_EQ(a.ess, b.ess);
  EXPECT_EQ(a.findings, b.findings);
  EXPECT_EQ(a.families, b.families);
  ASSERT_EQ(a.range.has_value(), b.range.has_value());
  EXPECT_EQ(a.range->lower, b.range->lower);
  EXPECT_EQ(a.range->upper, b.range->upper);
  ASSERT_EQ(a.details.size(), b.details.size());
  for (std::size_t i = 0; i < a.details.size(); ++i)
    EXPECT_EQ(a.details[i].value, b.details[i].value) << a.details[i].name;
}

TEST(AutoSample, TakesAllOfFewStepsAndThenAsMany) {
  const AutoSample sample{.all_up_to = 100};
  EXPECT_TRUE(sample.takes_all(100));
  EXPECT_FALSE(sample.takes_all(101));
  EXPECT_EQ(sample.steps_of(70), 70);
  EXPECT_EQ(sample.steps_of(100), 100);
  EXPECT_EQ(sample.steps_of(101), 100);
  EXPECT_EQ(sample.steps_of(200), 100);
  EXPECT_EQ(sample.steps_of(2'000'000), 100);
}

// Logs in blocks are the logs in memory, to the bit: where all of them are fitted, and where a sample is.
TEST(AutoFold, BlocksHaveTheBitsOfMemory) {
  const ProblemOptions question{.discount = Discount{0.95}, .horizon = Horizon{7}};
  for (const std::int64_t ids : {0, 9}) {
    const Dataset data = logs(ids);
    const Problem problem = make_problem(data, question);
    const Estimate whole = estimate(small, problem);
    expect_same(estimate(small, dataset_source(data), question, {.threads = Threads{3}}), whole);
    const AutoSample sample{.all_up_to = 500};
    ASSERT_FALSE(sample.takes_all(problem.steps()));
    const Estimate sampled = estimate_on_sample(small, problem, {.threads = Threads{1}}, sample);
    expect_same(estimate(small, dataset_source(data), question, {.threads = Threads{3}}, sample), sampled);
    EXPECT_NE(sampled.value, whole.value);
    // Who wants the influence of every episode gets it.
    const EstimateOptions keeping{.keep_influence = true};
    EXPECT_EQ(estimate(small, dataset_source(data), question, keeping).influence, whole.influence);
    EXPECT_EQ(estimate(small, dataset_source(data), question, keeping, sample).influence, sampled.influence);
    const Estimate moments_only = estimate(small, dataset_source(data), question, {}, sample);
    EXPECT_TRUE(moments_only.influence.empty());
    EXPECT_EQ(moments_only.spread->episodes, 600);
  }
}

// Smaller blocks are sums in another order.
TEST(AutoFold, OtherBlocksChangeNothingButRounding) {
  const ProblemOptions question{.horizon = Horizon{7}};
  const Dataset data = logs();
  const AutoSample sample{.all_up_to = 500};
  const Estimate memory = estimate_on_sample(small, make_problem(data, question), {}, sample);
  for (const std::int64_t steps : {1, 200}) {
    const Estimate blocks = estimate(small, dataset_source(data, steps), question, {}, sample);
    EXPECT_NEAR(blocks.value, memory.value, 1e-10 * std::abs(memory.value));
    EXPECT_NEAR(*blocks.std_error, *memory.std_error, 1e-9 * *memory.std_error);
  }
}

// A model of a sample and scores of all episodes: near the answer of all of them, with the sampling error of all.
TEST(AutoFold, OnASampleIsNearTheAnswerOfAll) {
  const Problem problem = make_problem(logs(), ProblemOptions{.horizon = Horizon{7}});
  const AutoFit whole = fit(small, problem);
  const AutoSample sample{.all_up_to = 1000};
  const Estimate sampled = estimate_on_sample(small, problem, {}, sample);
  EXPECT_NEAR(sampled.value, whole.estimate.value, 3.0 * *whole.estimate.std_error);
  ASSERT_EQ(sampled.influence.size(), 600u);
  EXPECT_NEAR(moments(sampled.influence).mean(), 0.0, 1e-9);
  EXPECT_GE(*sampled.std_error, 0.99 * moments(sampled.influence).standard_error());
  EXPECT_EQ(sampled.ess, whole.estimate.ess);
  double weights = 0.0, value = 0.0;
  for (const FamilyAnswer& family : sampled.families) {
    weights += family.weight;
    value += family.weight * family.value;
  }
  EXPECT_NEAR(weights, 1.0, 1e-12);
  EXPECT_NEAR(value, sampled.value, 1e-9 * std::abs(sampled.value));
}

// Steps behind the horizon do not count: the sample is as large as if they were not there.
TEST(AutoFold, TheSampleIsMeasuredInStepsThatCount) {
  const Dataset data = logs();
  const ProblemOptions question{.horizon = Horizon{2}};
  const Problem problem = make_problem(data, question);
  const AutoSample sample{.all_up_to = 400};
  ASSERT_LT(2 * problem.steps(), data.steps());
  const Estimate found =
      estimate(Auto{.history = History::off, .seeds = 1}, dataset_source(data), question, {}, sample);
  ASSERT_EQ(found.details.back().name, "fitted_steps");
  EXPECT_NEAR(std::get<double>(found.details.back().value), static_cast<double>(sample.steps_of(problem.steps())),
              0.1 * static_cast<double>(sample.steps_of(problem.steps())));
}

// A sample of all logs is enough: the model is that of all of them, to the bit, wherever the rest is.
TEST(AutoFold, ASampleGivesTheModelOfTheWhole) {
  const Dataset data = logs();
  const Source all = dataset_source(data);
  for (const ProblemOptions& question :
       {ProblemOptions{.horizon = Horizon{5}}, ProblemOptions{.horizon = Horizon{9}}}) {
    const SeenLogs seen = seen_logs(all, question, Threads{1});
    const AutoSample rule{.all_up_to = 500};
    const Source some = dataset_source(sample_episodes(all, 1800).episodes);
    ASSERT_GT(data.steps(), 1800);
    const FittedAuto whole = fit_model(small, all, question, {.threads = Threads{1}}, rule);
    const FittedAuto sampled = fit_model_to_sample(small, some, question, {.threads = Threads{1}},
                                                   {.seen = seen, .steps = data.steps()}, rule);
    EXPECT_LT(whole.model.fitted().steps, seen.survey.steps);
    EXPECT_EQ(whole.model.fingerprint(), sampled.model.fingerprint());
  }
}

}  // namespace
}  // namespace starope
