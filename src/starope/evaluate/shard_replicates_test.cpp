#include "starope/evaluate/shard_replicates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"
#include "starope/evaluate.hpp"
#include "starope/inference/sum_replicates.hpp"

namespace starope {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr const char* all = "naive,is,pdis,wis,wpdis,star(clusters=4,clip=2),star(phi=grid,bins=2,clip=none)";
const IntervalRecipe percentile{.method = IntervalMethod::bootstrap_percentile, .replicates = 150, .seed = Seed{11}};

Dataset logs() {
  return starope::testing::random_logs({.episodes = 300, .longest = 5}, Seed{7});
}

struct Parts {
  ShardStatistics total;
  ShardInfluence influence{};
  std::vector<ShardReplicates> replicates{};  // one per part
};

Parts in_parts(const Dataset& data, const ProblemOptions& question, const std::string& list,
               const std::vector<std::int64_t>& bounds, const IntervalRecipe& recipe) {
  const ShardStatistics like = count(dataset_source(data), question, parse_estimators(list));
  const auto part = [&](std::size_t i) { return dataset_source(data.take(bounds[i - 1], bounds[i])); };
  Parts made{.total = count(part(1), like, {.checks = false})};
  for (std::size_t i = 2; i < bounds.size(); ++i) made.total += count(part(i), like, {.checks = false});
  made.influence = influence(part(1), made.total);
  for (std::size_t i = 2; i < bounds.size(); ++i) made.influence += influence(part(i), made.total);
  for (std::size_t i = 1; i < bounds.size(); ++i)
    made.replicates.push_back(count_replicates(part(i), made.total, recipe));
  return made;
}

// Runs of replicates are added up part by part, as bytes, each by itself, and put behind each other.
ReplicateAnswers added_up(const Parts& parts, std::int64_t run) {
  std::vector<std::vector<ShardReplicates>> runs;
  for (const ShardReplicates& each : parts.replicates) runs.push_back(each.split(run));
  ReplicateAnswers answers;
  for (std::size_t r = 0; r < runs.front().size(); ++r) {
    ShardReplicates sum = ShardReplicates::from_bytes(runs.front()[r].to_bytes());
    for (std::size_t p = 1; p < runs.size(); ++p) sum += ShardReplicates::from_bytes(runs[p][r].to_bytes());
    const ReplicateAnswers solved = solve_replicates(sum, parts.total);
    if (r == 0) answers = solved;
    if (r > 0) answers += solved;
  }
  return answers;
}

TEST(ShardReplicates, PartsGiveTheIntervalsOfOneMachine) {
  const Dataset data = logs();
  const ProblemOptions question{.discount = Discount{0.9}};
  for (const IntervalMethod method : {IntervalMethod::bootstrap_percentile, IntervalMethod::bootstrap_bca}) {
    IntervalRecipe recipe = percentile;
    recipe.method = method;
    const EvaluateOptions options{.interval = recipe, .checks = false};
    const Evaluation direct = evaluate(make_problem(data, question), parse_estimators(all), options);
    const Parts parts = in_parts(data, question, all, {0, 40, 41, 300}, recipe);
    const Evaluation merged = finish(parts.total, parts.influence, added_up(parts, 64), options);
    ASSERT_EQ(merged.estimates.size(), direct.estimates.size());
    for (std::size_t i = 0; i < direct.estimates.size(); ++i) {
      const auto &a = std::get<Estimate>(merged.estimates[i].result),
                 &b = std::get<Estimate>(direct.estimates[i].result);
      ASSERT_TRUE(a.interval && b.interval) << b.estimator;
      EXPECT_EQ(a.interval->method, name(method));
      EXPECT_NEAR(a.interval->lower, b.interval->lower, 1e-10 * (1.0 + std::abs(b.value))) << b.estimator;
      EXPECT_NEAR(a.interval->upper, b.interval->upper, 1e-10 * (1.0 + std::abs(b.value))) << b.estimator;
      EXPECT_EQ(a.findings.size(), b.findings.size()) << b.estimator;
    }
  }
}

// The draws are functions of the ids of episodes: the same replicates, one by one, however the logs are divided.
TEST(ShardReplicates, AreThoseOfMemoryOneByOne) {
  const Dataset data = logs();
  const Parts parts = in_parts(data, {}, "wpdis,naive", {0, 1, 170, 300}, percentile);
  const ReplicateAnswers found = added_up(parts, 40);
  const ReplicateOptions some{.replicates = 150, .seed = Seed{11}, .threads = Threads{1}};
  const Problem problem = make_problem(data, ProblemOptions{});
  const Replicates wpdis = replicates(ImportanceSampling{.weighted = true, .per_decision = true}, problem, some);
  const Replicates naive = replicates(Naive{}, problem, some);
  ASSERT_EQ(found.estimators[0].values.size(), 150U);
  for (std::size_t b = 0; b < 150; ++b) {
    ASSERT_NEAR(found.estimators[0].values[b], wpdis.values[b], 1e-12 * (1.0 + std::abs(wpdis.values[b])));
    ASSERT_NEAR(found.estimators[1].values[b], naive.values[b], 1e-12 * (1.0 + std::abs(naive.values[b])));
  }
}

TEST(ShardReplicates, RunsAndThreadsChangeNoBit) {
  const Dataset data = logs();
  const Parts parts = in_parts(data, {}, all, {0, 170, 300}, percentile);
  const ReplicateAnswers once = added_up(parts, 150), often = added_up(parts, 7);
  const ShardReplicates one = count_replicates(dataset_source(data), parts.total, percentile, Threads{1});
  const ShardReplicates three = count_replicates(dataset_source(data), parts.total, percentile, Threads{3});
  EXPECT_EQ(one.to_bytes(), three.to_bytes());
  for (std::size_t i = 0; i < once.estimators.size(); ++i) {
    EXPECT_EQ(once.estimators[i].values, often.estimators[i].values);
    EXPECT_EQ(once.estimators[i].failed, often.estimators[i].failed);
  }
}

// auto is fitted to all logs or to none: it has no replicates, and says so.
TEST(ShardReplicates, AutoHasNone) {
  const Dataset data = starope::testing::random_logs({.episodes = 200, .longest = 5, .truncated = 0.0}, Seed{8});
  const Parts parts = in_parts(data, {.horizon = Horizon{5}}, "auto(seeds=1),wis", {0, 120, 200}, percentile);
  const ReplicateAnswers found = added_up(parts, 150);
  EXPECT_TRUE(found.estimators[0].values.empty());
  EXPECT_EQ(found.estimators[1].values.size(), 150U);
  const Evaluation merged = finish(parts.total, parts.influence, found, {.interval = percentile});
  const auto& automatic = std::get<Estimate>(merged.estimates[0].result);
  EXPECT_FALSE(automatic.interval.has_value());
  EXPECT_THAT(automatic.findings, ::testing::Contains(::testing::Field(&Finding::code, "no_interval")));
}

TEST(ShardReplicates, StrangersAndHalvesAreRefused) {
  const Dataset data = logs();
  const Parts parts = in_parts(data, {}, "wis", {0, 100, 300}, percentile);
  EXPECT_THAT([&] { solve_replicates(parts.replicates[0], parts.total); },
              ThrowsMessage<InvalidArgument>(HasSubstr("replicates of 100 episodes")));
  IntervalRecipe other = percentile;
  other.seed = Seed{12};
  ShardReplicates sum = parts.replicates[0];
  EXPECT_THAT([&] { sum += count_replicates(dataset_source(data.take(100, 300)), parts.total, other); },
              ThrowsMessage<InvalidArgument>(HasSubstr("seed 12")));
  EXPECT_THROW(sum += parts.replicates[1].split(10).front(), InvalidArgument);
  const Parts strangers = in_parts(data, {}, "wpdis", {0, 100, 300}, percentile);
  EXPECT_THROW(sum += strangers.replicates[1], InvalidArgument);
  sum += parts.replicates[1];
  EXPECT_THROW(solve_replicates(sum, strangers.total), InvalidArgument);
  EXPECT_NO_THROW(solve_replicates(sum, parts.total));
  EXPECT_THROW(sum.split(0), InvalidArgument);
  const ReplicateAnswers some = solve_replicates(sum.split(100).front(), parts.total);
  EXPECT_THAT([&] { finish(parts.total, parts.influence, some, {.interval = percentile}); },
              ThrowsMessage<InvalidArgument>(HasSubstr("150 replicates")));
}

TEST(ShardReplicates, WhatIsNoSumIsRefused) {
  const Dataset data = logs();
  const ShardStatistics total = count(dataset_source(data), {}, parse_estimators("wis"));
  for (const char* text : {"influence", "bootstrap-studentized", "bootstrap-percentile(refit=yes)"}) {
    EXPECT_THAT([&] { count_replicates(dataset_source(data), total, parse_interval(text)); },
                ThrowsMessage<InvalidArgument>(HasSubstr("bootstrap-percentile and bootstrap-bca")))
        << text;
  }
}

TEST(ShardReplicates, DamagedBytesAreRefused) {
  const Dataset data = logs();
  const ShardStatistics total = count(dataset_source(data), {}, parse_estimators("wis,star(clusters=2)"));
  Bytes bytes = count_replicates(dataset_source(data), total, percentile).to_bytes();
  EXPECT_NO_THROW(ShardReplicates::from_bytes(bytes));
  bytes[bytes.size() / 2] ^= std::byte{1};
  EXPECT_THROW(ShardReplicates::from_bytes(bytes), DataError);
  bytes.resize(bytes.size() / 3);
  EXPECT_THROW(ShardReplicates::from_bytes(bytes), DataError);
  EXPECT_THROW(ShardReplicates::from_bytes(total.to_bytes()), DataError);
}

}  // namespace
}  // namespace starope
