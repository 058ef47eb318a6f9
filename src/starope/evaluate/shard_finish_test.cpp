#include "starope/evaluate/shard_finish.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "starope/data/random_logs.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

Dataset logs(Seed seed = Seed{3}) {
  return starope::testing::random_logs({.episodes = 600, .longest = 4}, seed);
}

Evaluation counted(const Dataset& data, const std::string& list) {
  return finish(count(dataset_source(data), {}, parse_estimators(list)).sums(), Level{0.95});
}

TEST(ShardFinish, ComparesWithTheLoggedPolicyAsEvaluateDoes) {
  const Dataset data = logs();
  const Evaluation merged = counted(data, "wpdis,star(clusters=4)");
  const Evaluation direct = evaluate(make_problem(data), parse_estimators("wpdis,star(clusters=4)"));
  ASSERT_TRUE(merged.answer && merged.difference && merged.verdict);
  EXPECT_EQ(merged.answer, direct.answer);
  EXPECT_NEAR(merged.difference->value, direct.difference->value, 1e-10);
  EXPECT_NEAR(merged.difference->logged, direct.difference->logged, 1e-10);
  EXPECT_NEAR(*merged.difference->std_error / *direct.difference->std_error, 1.0, 0.5);
  EXPECT_NEAR(*merged.difference->logged_std_error / *direct.difference->logged_std_error, 1.0, 0.5);
  EXPECT_EQ(merged.difference->interval->method, "jackknife");
  EXPECT_EQ(merged.verdict->grade, direct.verdict->grade);
  EXPECT_NEAR(*merged.difference->probability_better, *direct.difference->probability_better, 0.1);
}

// The logged policy compared with itself: a difference of zero, whose error is zero as well.
TEST(ShardFinish, NothingDiffersFromItself) {
  Columns columns = logs().columns();
  columns.target = columns.behavior;
  const Evaluation merged = counted(Dataset(std::move(columns)), "pdis");
  ASSERT_TRUE(merged.difference.has_value());
  EXPECT_EQ(merged.difference->value, 0.0);
  EXPECT_EQ(merged.difference->std_error, 0.0);
}

// Errors of differences are those of pairs: right on average, over many samples of logs.
TEST(ShardFinish, ErrorsOfDifferencesAreRightOnAverage) {
  Moments quotients;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Dataset data = logs(Seed{seed});
    const Evaluation merged = counted(data, "wpdis");
    const Evaluation direct = evaluate(make_problem(data), parse_estimators("wpdis"), {.threads = Threads{1}});
    quotients.add(*merged.difference->std_error / *direct.difference->std_error);
  }
  EXPECT_NEAR(quotients.mean(), 1.0, 4.0 * quotients.standard_error() + 0.03);
}

// What is wrong with one part is wrong with the whole, and decides the verdict.
TEST(ShardFinish, TheVerdictHearsWhatWasFoundInAnyPart) {
  const Dataset data = logs();
  const auto estimators = parse_estimators("wpdis");
  const CountOptions unchecked{.checks = false};
  ShardSums first = count(dataset_source(data.take(0, 300)), {}, estimators, unchecked).sums();
  const ShardSums second = count(dataset_source(data.take(300, 600)), {}, estimators, unchecked).sums();
  EXPECT_NE(finish(first, {}).verdict->grade, Grade::not_answerable);
  first.checked.push_back({Severity::critical, "no_answer", {}});
  first += second;
  const Evaluation whole = finish(first, {});
  EXPECT_EQ(whole.verdict->grade, Grade::not_answerable);
  EXPECT_EQ(whole.data.findings.front().code, "no_answer");
}

// Checksums can be made right: sums of other episodes are no reason to stop.
TEST(ShardFinish, SumsThatContradictEachOtherHaveNoDifference) {
  ShardSums sums = count(dataset_source(logs()), {}, parse_estimators("wpdis")).sums();
  const ScoreSums none = return_fold("naive", {}).identity();
  std::fill(sums.logged.begin(), sums.logged.begin() + 10, none);
  const Evaluation evaluation = finish(sums, Level{0.95});
  EXPECT_TRUE(any_answered(evaluation));
  EXPECT_FALSE(evaluation.difference.has_value());
}

TEST(ShardFinish, KnowsItsFolds) {
  for (const char* name : {"naive", "is", "pdis"}) {
    const ScoreFold<ReturnScore> fold = return_fold(name, {.discount = Discount{0.5}});
    EXPECT_EQ(return_fold(fold.identity()).recipe, fold.recipe);
  }
}

}  // namespace
}  // namespace starope
