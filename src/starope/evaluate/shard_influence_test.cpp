#include "starope/evaluate/shard_influence.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"
#include "starope/evaluate.hpp"

namespace starope {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr const char* that_add_up = "naive,is,pdis,wis,wpdis,star(clusters=4,clip=2),star(phi=grid,bins=2,clip=none)";

Dataset logs() {
  return starope::testing::random_logs({.episodes = 300, .longest = 5}, Seed{7});
}

struct Counted {
  ShardStatistics total;
  ShardInfluence influence{};
};

// In parts of these episodes, counted like a first pass over all of them. Checks of parts are not those of the whole.
Counted in_parts(const Dataset& data, const ProblemOptions& question, const std::string& list,
                 const std::vector<std::int64_t>& bounds) {
  const ShardStatistics recipe = count(dataset_source(data), question, parse_estimators(list));
  const CountOptions unchecked{.checks = false};
  Counted made{.total = count(dataset_source(data.take(bounds[0], bounds[1])), recipe, unchecked)};
  for (std::size_t i = 2; i < bounds.size(); ++i)
    made.total += count(dataset_source(data.take(bounds[i - 1], bounds[i])), recipe, unchecked);
  made.influence = influence(dataset_source(data.take(bounds[0], bounds[1])), made.total);
  for (std::size_t i = 2; i < bounds.size(); ++i)
    made.influence += influence(dataset_source(data.take(bounds[i - 1], bounds[i])), made.total);
  return made;
}

// Everything that an evaluation says, to rounding: values, errors, intervals, differences, groups.
TEST(ShardInfluence, PartsSayWhatEvaluateSays) {
  const Dataset data = logs();
  const ProblemOptions question{.discount = Discount{0.9}};
  std::vector<std::string> wards;
  for (std::int64_t i = 0; i < data.episodes(); ++i) wards.emplace_back(i % 3 == 0 ? "east" : "west");
  const EvaluateOptions options{.checks = false, .influence = true, .groups = make_grouping("ward", wards)};
  const Evaluation direct = evaluate(make_problem(data, question), parse_estimators(that_add_up), options);
  const Counted parts = in_parts(data, question, that_add_up, {0, 40, 41, 300});
  const Evaluation merged = finish(parts.total, parts.influence, options);
  ASSERT_EQ(merged.estimates.size(), direct.estimates.size());
  for (std::size_t i = 0; i < direct.estimates.size(); ++i) {
    const auto &a = std::get<Estimate>(merged.estimates[i].result), &b = std::get<Estimate>(direct.estimates[i].result);
    const double unit = *b.std_error;
    EXPECT_NEAR(a.value, b.value, 1e-12 * (std::abs(b.value) + unit)) << b.estimator;
    EXPECT_NEAR(*a.std_error, *b.std_error, 1e-12 * unit * 10) << b.estimator;
    EXPECT_EQ(a.interval->method, b.interval->method);
    EXPECT_NEAR(a.interval->lower, b.interval->lower, 1e-10 * unit) << b.estimator;
    EXPECT_NEAR(a.interval->upper, b.interval->upper, 1e-10 * unit) << b.estimator;
    ASSERT_EQ(a.influence.size(), b.influence.size());
    for (std::size_t e = 0; e < b.influence.size(); ++e)
      ASSERT_NEAR(a.influence[e], b.influence[e], 1e-10 * unit * 17.0) << b.estimator << " " << e;
    EXPECT_EQ(a.findings.size(), b.findings.size()) << b.estimator;
  }
  ASSERT_TRUE(merged.difference && direct.difference);
  EXPECT_NEAR(merged.difference->value, direct.difference->value, 1e-11);
  EXPECT_NEAR(*merged.difference->std_error, *direct.difference->std_error, 1e-11);
  EXPECT_EQ(merged.difference->interval->method, direct.difference->interval->method);
  EXPECT_EQ(merged.verdict->grade, direct.verdict->grade);
  ASSERT_EQ(merged.groups.size(), direct.groups.size());
  ASSERT_EQ(merged.groups.size(), 2U);
}

// A sample that the model is fitted to, and all episodes scored: the errors are those of scores, as where auto takes a
// sample by itself.
TEST(ShardInfluence, AutoOnASampleScoresAllEpisodes) {
  const Dataset data = starope::testing::random_logs({.episodes = 300, .longest = 5, .truncated = 0.0}, Seed{8});
  const auto estimators = parse_estimators("auto(seeds=2)");
  const ShardStatistics whole = count(dataset_source(data), {}, parse_estimators("naive"));
  // None of the sampled episodes is as long as the longest: the horizon is that of all.
  std::vector<std::int64_t> shorter;
  for (std::int64_t i = 0; i < data.episodes(); ++i)
    if (data.length(i) < data.longest()) shorter.push_back(i);
  const ShardStatistics recipe = count(dataset_source(data.take(shorter)), {}, estimators, {.whole = whole});
  const ShardStatistics total = count(dataset_source(data), recipe);
  const ShardInfluence moved = influence(dataset_source(data), total);
  double sum = 0.0;
  for (const double x : moved.estimators.front()) sum += x;
  EXPECT_EQ(moved.estimators.front().size(), 300U);
  EXPECT_NEAR(sum / 300.0, 0.0, 1e-10) << "the value is the mean score";
  const Evaluation merged = finish(total, moved, {});
  const auto& estimate = std::get<Estimate>(merged.estimates.front().result);
  EXPECT_TRUE(estimate.std_error.has_value());
  EXPECT_EQ(estimate.interval->method, "influence");
}

TEST(ShardInfluence, AnotherNumberOfEpisodesIsRefused) {
  const Dataset data = logs();
  const Counted parts = in_parts(data, {}, "wis", {0, 100, 300});
  ShardInfluence half = influence(dataset_source(data.take(0, 100)), parts.total);
  EXPECT_THAT([&] { finish(parts.total, half, {}); }, ThrowsMessage<InvalidArgument>(HasSubstr("100 episodes")));
  EXPECT_THROW(half += ShardInfluence{}, InvalidArgument);
}

// Whoever has no answer has no influence either, and the others go on.
TEST(ShardInfluence, AnEstimatorWithoutAnAnswer) {
  Columns columns = logs().columns();
  columns.target = columns.behavior;
  columns.target->values = Column<double>(std::vector<double>(columns.rewards.size(), 0.0));
  columns.target->scale = LoggedProbabilities::Scale::linear;
  const Dataset never(std::move(columns));
  const Counted parts = in_parts(never, {}, "star(clusters=2),naive", {0, 120, 300});
  EXPECT_TRUE(parts.influence.estimators[0].empty());
  EXPECT_EQ(parts.influence.estimators[1].size(), 300U);
  const Evaluation merged = finish(parts.total, parts.influence, {});
  EXPECT_TRUE(std::holds_alternative<Failure>(merged.estimates[0].result));
  EXPECT_TRUE(std::holds_alternative<Estimate>(merged.estimates[1].result));
}

// Two parts with the same sums are two parts where they have names.
TEST(ShardInfluence, PartsThatAreAlikeHaveNames) {
  const Dataset data = logs();
  const ShardStatistics one = count(dataset_source(data), {}, parse_estimators("naive"), {.part = "1"});
  ShardStatistics total = one;
  total += count(dataset_source(data), one, {.part = "2"});
  EXPECT_EQ(total.episodes(), 600);
  EXPECT_THROW(total += one, InvalidArgument);
}

}  // namespace
}  // namespace starope
