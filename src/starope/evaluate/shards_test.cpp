#include "starope/shards.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"
#include "starope/evaluate.hpp"
#include "starope/evaluate/shard_sums.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr const char* that_sum = "naive,is,pdis,wis,wpdis,star(clusters=4,clip=2),star(phi=grid,bins=2,truncation=end)";

Dataset logs(std::int64_t episodes = 400) {
  return starope::testing::random_logs({.episodes = episodes, .longest = 4}, Seed{3});
}

std::vector<NamedEstimator> named(const std::string& list) {
  return parse_estimators(list);
}

const Estimate& estimate_of(const Evaluation& evaluation, std::size_t i) {
  return std::get<Estimate>(evaluation.estimates.at(i).result);
}

// Values are those of `evaluate`; the standard errors estimate the same thing another way.
TEST(Shards, OnePartSaysWhatEvaluateSays) {
  const Dataset data = logs();
  const ProblemOptions question{.discount = Discount{0.9}};
  const Evaluation direct = evaluate(make_problem(data, question), named(that_sum));
  const Evaluation counted = finish(count(dataset_source(data), question, named(that_sum)));
  ASSERT_EQ(counted.estimates.size(), direct.estimates.size());
  EXPECT_EQ(counted.data.episodes, direct.data.episodes);
  EXPECT_EQ(counted.data.steps, direct.data.steps);
  EXPECT_EQ(counted.data.truncated, direct.data.truncated);
  EXPECT_NEAR(counted.data.ess, direct.data.ess, 1e-9 * direct.data.ess);
  for (std::size_t i = 0; i < direct.estimates.size(); ++i) {
    const Estimate &a = estimate_of(counted, i), &b = estimate_of(direct, i);
    EXPECT_EQ(a.estimator, b.estimator);
    EXPECT_NEAR(a.value, b.value, 1e-11 * std::abs(b.value)) << a.estimator;
    EXPECT_NEAR(*a.ess, *b.ess, 1e-9 * *b.ess) << a.estimator;
    EXPECT_NEAR(*a.std_error / *b.std_error, 1.0, 0.5) << a.estimator;
    EXPECT_EQ(a.interval->method, "jackknife");
    EXPECT_LT(a.interval->lower, a.value);
  }
}

// The mean of returns: the standard error of 64 groups against the textbook one, over many samples of logs.
TEST(Shards, StandardErrorsAreRightOnAverage) {
  Moments quotients;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Dataset data = starope::testing::random_logs({.episodes = 300, .longest = 3}, Seed{seed});
    const auto estimators = named("wpdis");
    const Evaluation counted = finish(count(dataset_source(data), {}, estimators, {.threads = Threads{1}}));
    const Evaluation direct = evaluate(make_problem(data), estimators, {.threads = Threads{1}});
    quotients.add(*estimate_of(counted, 0).std_error / *estimate_of(direct, 0).std_error);
  }
  EXPECT_NEAR(quotients.mean(), 1.0, 4.0 * quotients.standard_error() + 0.03);
}

TEST(Shards, PartsAddUpToTheWhole) {
  const Dataset data = logs();
  const ShardStatistics whole = count(dataset_source(data), {}, named(that_sum));
  ShardStatistics first = count(dataset_source(data.take(0, 150)), whole);
  const ShardStatistics second = count(dataset_source(data.take(150, 400)), whole);
  EXPECT_EQ(first.episodes(), 150);
  first += second;
  EXPECT_EQ(first.parts(), 2);
  const Evaluation merged = finish(first), direct = finish(whole);
  EXPECT_EQ(merged.data.steps, direct.data.steps);
  for (std::size_t i = 0; i < merged.estimates.size(); ++i) {
    EXPECT_NEAR(estimate_of(merged, i).value, estimate_of(direct, i).value, 1e-11);
    EXPECT_NEAR(*estimate_of(merged, i).std_error, *estimate_of(direct, i).std_error, 1e-9);
  }
}

TEST(Shards, TheSameBitsForAnyThreadsAndTheSameThroughBytes) {
  const Dataset data = logs();
  const Source blocks = dataset_source(data, 100);
  const ShardStatistics one = count(blocks, {}, named(that_sum), {.threads = Threads{1}});
  EXPECT_EQ(one, count(blocks, {}, named(that_sum), {.threads = Threads{3}}));
  EXPECT_EQ(one, ShardStatistics::from_bytes(one.to_bytes()));
  EXPECT_EQ(to_json(finish(one)), to_json(finish(ShardStatistics::from_bytes(one.to_bytes()))));
}

TEST(Shards, StrangersAreRefusedWithBothRecipes) {
  const Dataset data = logs();
  const Source source = dataset_source(data), other = dataset_source(data.take(0, 200));
  const auto refuses = [&](const ShardStatistics& a, const ShardStatistics& b, const char* mine, const char* theirs) {
    EXPECT_THAT(
        [&] {
          ShardStatistics total = a;
          total += b;
        },
        ThrowsMessage<InvalidArgument>(AllOf(HasSubstr(mine), HasSubstr(theirs))));
  };
  const auto estimators = named("naive");
  const ShardStatistics plain = count(source, {}, estimators);
  refuses(plain, count(other, {.discount = Discount{0.5}}, estimators), "gamma 1", "gamma 0.5");
  refuses(plain, count(other, {}, named("naive,wis")), "naive;", "wis");
  refuses(plain, count(other, {}, estimators, {.target = "abc"}), "naive", "target policy abc");
  // Cells that were fitted to another part are others.
  const auto stars = named("star(clusters=4)");
  refuses(count(source, {}, stars), count(other, {}, stars), "star(clusters=4) with the 4 cells", "against");
  EXPECT_THAT([&] { count(other, plain, {.target = "abc"}); }, ThrowsMessage<InvalidArgument>(HasSubstr("abc")));
}

TEST(Shards, APartCountsOnce) {
  const Dataset data = logs();
  ShardStatistics total = count(dataset_source(data), {}, named("naive"));
  const ShardStatistics same = total;
  EXPECT_THAT([&] { total += same; }, ThrowsMessage<InvalidArgument>(HasSubstr("count twice")));
}

// Parts that are not the same may still have episodes in common, which then count twice.
TEST(Shards, EpisodesThatAreInSeveralPartsAreFound) {
  const Dataset data = starope::testing::random_logs({.episodes = 400, .longest = 12}, Seed{3});
  const auto codes = [](const Evaluation& evaluation) {
    std::vector<std::string> all;
    for (const Finding& finding : evaluation.data.findings) all.push_back(finding.code);
    return all;
  };
  const ShardStatistics first = count(dataset_source(data.take(0, 250)), {}, named("naive,wpdis"));
  ShardStatistics apart = first, overlapping = first;
  apart += count(dataset_source(data.take(250, 400)), first);
  EXPECT_THAT(codes(finish(apart)), ::testing::Not(::testing::Contains("copied_episodes")));
  overlapping += count(dataset_source(data.take(200, 400)), first);
  EXPECT_THAT(codes(finish(ShardStatistics::from_bytes(overlapping.to_bytes()))),
              ::testing::Contains("copied_episodes"));
}

TEST(Shards, WhatOnlyTheWholeKnowsIsRefused) {
  const Source source = dataset_source(logs());
  const auto refuses = [&](const char* estimator, const char* said) {
    EXPECT_THAT([&] { count(source, {}, named(estimator)); }, ThrowsMessage<InvalidArgument>(HasSubstr(said)));
  };
  refuses("star(phi=time)", "wpdis");
  refuses("star(clusters=4,rollouts=10)", "rollouts");
  refuses("star(clusters=4,time=indexed)", "--horizon");
  refuses("fqe", "cannot be counted in parts");
  EXPECT_THROW(count(source, {}, {}), InvalidArgument);
  EXPECT_FALSE(counts_in_parts(DirectMethod{}));
  EXPECT_TRUE(counts_in_parts(Auto{}));
  EXPECT_TRUE(counts_in_parts(Star{}));
}

TEST(Shards, DiscreteStatesThatAPartNeverMet) {
  const auto discrete = [](std::vector<std::int64_t> ids) {
    Columns columns = starope::testing::random_logs({.episodes = 4, .longest = 1}, Seed{1}).columns();
    columns.states = make_discrete_states(ids);
    return Dataset(std::move(columns));
  };
  const Dataset monday = discrete({1, 2, 1, 2}), tuesday = discrete({1, 2, 3, 9});
  ShardStatistics total = count(dataset_source(monday), {}, named("star(phi=identity)"));
  total += count(dataset_source(tuesday), total);
  EXPECT_EQ(total.episodes(), 8);
  EXPECT_TRUE(any_answered(finish(total)));
}

ProblemOptions four_steps() {
  return {.discount = Discount{0.9}, .horizon = Horizon{4}};
}

// The value of `auto` is that of `evaluate` up to the tolerance with which a model tells its tables; errors of sampling
// are estimated another way, those of models are the same.
TEST(Shards, AutoInOnePartSaysWhatEvaluateSays) {
  const Dataset data = logs();
  const Evaluation direct = evaluate(make_problem(data, four_steps()), named("auto(seeds=2)"));
  const ShardStatistics statistics = count(dataset_source(data), four_steps(), named("auto(seeds=2)"));
  const Evaluation counted = finish(statistics);
  const Estimate &a = estimate_of(counted, 0), &b = estimate_of(direct, 0);
  EXPECT_NEAR(a.value, b.value, 1e-6 * std::abs(b.value));
  EXPECT_NEAR(*a.std_error / *b.std_error, 1.0, 0.3);
  EXPECT_NEAR(*a.ess, *b.ess, 1e-9 * *b.ess);
  ASSERT_EQ(a.families.size(), b.families.size());
  for (std::size_t f = 0; f < a.families.size(); ++f) {
    EXPECT_EQ(a.families[f].family, b.families[f].family);
    EXPECT_EQ(a.families[f].weight, b.families[f].weight);
    EXPECT_NEAR(a.families[f].value, b.families[f].value, 1e-5 * (1.0 + std::abs(b.families[f].value)));
  }
  EXPECT_EQ(counted.answer, direct.answer);
  EXPECT_EQ(counted.verdict->grade, direct.verdict->grade);
  EXPECT_EQ(to_json(finish(ShardStatistics::from_bytes(statistics.to_bytes()))), to_json(counted));
}

TEST(Shards, PartsOfAutoAddUpToTheWhole) {
  // Nothing was cut: of cut recordings it is not known what the logged policy would have earned.
  const Dataset data = starope::testing::random_logs({.episodes = 400, .longest = 4, .truncated = 0.0}, Seed{3});
  const ShardStatistics whole = count(dataset_source(data), four_steps(), named("auto(seeds=2),naive"));
  ShardStatistics sum = count(dataset_source(data.take(0, 150)), whole);
  sum += count(dataset_source(data.take(150, 400)), whole);
  const Evaluation merged = finish(sum), direct = finish(whole);
  EXPECT_NEAR(estimate_of(merged, 0).value, estimate_of(direct, 0).value, 1e-10);
  EXPECT_NEAR(*estimate_of(merged, 0).std_error, *estimate_of(direct, 0).std_error, 1e-9);
  ASSERT_TRUE(merged.difference && direct.difference);
  EXPECT_NEAR(merged.difference->value, direct.difference->value, 1e-10);
  EXPECT_NEAR(*merged.difference->std_error, *direct.difference->std_error, 1e-9);
}

TEST(Shards, ModelsOfOtherPartsAreStrangersAndHorizonsAreKept) {
  const Dataset data = logs();
  const auto estimators = named("auto(seeds=2)");
  ShardStatistics first = count(dataset_source(data.take(0, 200)), four_steps(), estimators);
  EXPECT_THAT([&] { first += count(dataset_source(data.take(200, 400)), four_steps(), estimators); },
              ThrowsMessage<InvalidArgument>(AllOf(HasSubstr("with the model"), HasSubstr("of 200 episodes"))));
  // Nobody gave a horizon, and another part has longer episodes than the one that auto was fitted to.
  const auto ending = [](std::int64_t longest) {
    return starope::testing::random_logs({.episodes = 120, .longest = longest, .truncated = 0.0},
                                         Seed{longest == 2 ? 1U : 2U});
  };
  const ShardStatistics brief = count(dataset_source(ending(2)), {}, estimators);
  EXPECT_THAT([&] { count(dataset_source(ending(6)), brief); },
              ThrowsMessage<InvalidArgument>(AllOf(HasSubstr("at most 2 steps"), HasSubstr("--horizon"))));
}

TEST(Shards, HostileBytes) {
  Bytes bytes = count(dataset_source(logs(20)), {}, named("naive,wpdis,star(clusters=2)")).to_bytes();
  for (std::size_t i = 0; i < bytes.size(); i += 97) {
    Bytes other = bytes;
    other[i] ^= std::byte{4};
    EXPECT_THROW(ShardStatistics::from_bytes(other), DataError);
    EXPECT_THROW(ShardStatistics::from_bytes(std::span(bytes).first(i)), DataError);
  }
}

}  // namespace
}  // namespace starope
