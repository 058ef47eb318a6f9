#include "starope/risk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "starope/data/log_vectors.hpp"
#include "starope/error.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

// Two states. In state 0 action 1 pays 4 with probability 0.3, else 0; action 0 pays 1. It leads to state 1, where
// action 1 pays 2 and ends, action 0 pays -3 and ends. Behavior: both alike. Target: action 1 with 0.8 in state 0, and
// with 0.6 in state 1. Returns of the target: first 4 (0.24), 0 (0.56), 1 (0.2); then 2 (0.6), -3 (0.4).
Problem drawn(std::int64_t episodes, Seed seed) {
  testing::LogVectors c;
  c.action_count = 2;
  std::vector<std::int64_t> states;
  Random random(seed, Stream::test_data, 0);
  for (std::int64_t i = 0; i < episodes; ++i) {
    for (std::int64_t s = 0; s < 2; ++s) {
      const std::int32_t a = random.uniform() < 0.5 ? 1 : 0;
      const double high = s == 0 ? 0.8 : 0.6;
      states.push_back(s);
      c.actions.push_back(a);
      c.behavior.push_back(0.5);
      c.target.push_back(a == 1 ? high : 1.0 - high);
      if (s == 0) c.rewards.push_back(a == 1 ? (random.uniform() < 0.3 ? 4.0 : 0.0) : 1.0);
      if (s == 1) c.rewards.push_back(a == 1 ? 2.0 : -3.0);
    }
    c.end_episode();
  }
  c.states = make_discrete_states(states);
  return make_problem(std::move(c).dataset());
}

double exact_cdf(double x) {
  double sum = 0.0;
  for (const auto& [first, p] : {std::pair{4.0, 0.24}, {0.0, 0.56}, {1.0, 0.2}}) {
    for (const auto& [second, q] : {std::pair{2.0, 0.6}, {-3.0, 0.4}}) {
      if (first + second <= x) sum += p * q;
    }
  }
  return sum;
}

const ReturnDistribution& by(const std::vector<ReturnDistribution>& all, const std::string& method) {
  return *std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.method == method; });
}

TEST(Risk, FindsTheExactDistribution) {
  // Returns -3 (0.224), -2 (0.08), 1 (0.096), 2 (0.336), 3 (0.12), 6 (0.144). Worst tenth: -3. Worst 0.3: 0.224 of -3
  // and 0.076 of -2.
  const auto all = return_distributions(drawn(20'000, Seed{1}),
                                        {.quantiles = {0.1, 0.35, 0.5, 0.9}, .cvar = {0.1, 0.3}, .below = {1.0, 2.5}},
                                        {.level = std::nullopt, .threads = Threads{1}});
  ASSERT_EQ(all.size(), 4U);
  for (const char* method : {"wis", "arp", "dr"}) {
    const ReturnDistribution& found = by(all, method);
    for (std::size_t i = 0; i < found.points.size(); ++i)
      EXPECT_NEAR(found.cdf[i], exact_cdf(found.points[i]), 0.03) << method << " " << found.points[i];
    EXPECT_EQ(found.quantiles[0].value, -3.0) << method;
    EXPECT_EQ(found.quantiles[1].value, 1.0) << method;
    EXPECT_EQ(found.quantiles[2].value, 2.0) << method;
    EXPECT_EQ(found.quantiles[3].value, 6.0) << method;
    EXPECT_NEAR(found.cvar[0].value, -3.0, 1e-9) << method;
    EXPECT_NEAR(found.cvar[1].value, -(0.224 * 3 + 0.076 * 2) / 0.3, 0.08) << method;
    EXPECT_NEAR(found.below[0].value, 0.304, 0.03) << method;
    EXPECT_NEAR(found.below[1].value, 0.736, 0.03) << method;
    EXPECT_NEAR(found.mean, 0.24 * 4 + 0.2 + 1.2 - 1.2, 0.15) << method;
  }
  // The logged policy: -3 in half of the episodes that paid nothing (0.35), and so on.
  EXPECT_NEAR(by(all, "logged").below[0].value, 0.5 * (0.35 + 0.5), 0.02);
}

TEST(Risk, DistributionsNeverDecrease) {
  const auto all =
      return_distributions(drawn(40, Seed{2}), {.quantiles = {0.5}}, {.replicates = 20, .threads = Threads{1}});
  for (const ReturnDistribution& each : all) {
    EXPECT_TRUE(std::is_sorted(each.points.begin(), each.points.end())) << each.method;
    EXPECT_TRUE(std::is_sorted(each.cdf.begin(), each.cdf.end())) << each.method;
    EXPECT_GE(each.cdf.front(), 0.0);
    EXPECT_EQ(each.cdf.back(), 1.0);
  }
}

TEST(Risk, IntervalsHoldAboutAsOftenAsTheySay) {
  int wis = 0, dr = 0, arp = 0;
  constexpr int trials = 60;
  for (int trial = 0; trial < trials; ++trial) {
    const auto all = return_distributions(drawn(150, Seed{100 + static_cast<std::uint64_t>(trial)}), {.below = {1.5}},
                                          {.level = Level{0.9}, .replicates = 100, .threads = Threads{1}});
    const auto holds = [&](const char* method) {
      const Interval& interval = *by(all, method).below[0].interval;
      return interval.lower <= 0.4 && 0.4 <= interval.upper ? 1 : 0;  // 0.224 + 0.08 + 0.096
    };
    wis += holds("wis");
    dr += holds("dr");
    arp += holds("arp");
  }
  for (const int held : {wis, dr, arp}) {
    EXPECT_GE(held, 44);  // 54 expected, spread 2.3
    EXPECT_LE(held, 60);
  }
}

// No return was below -3, and of 60 episodes that says: at most 6 % are. 0.025^(1/60) = 0.940371.
TEST(Risk, WhatWasNeverSeenMayStillHappen) {
  const auto all = return_distributions(drawn(60, Seed{5}), {.below = {-3.0, 1.5, 100.0}},
                                        {.level = Level{0.95}, .replicates = 50, .threads = Threads{1}});
  const ReturnDistribution& logged = by(all, "logged");
  EXPECT_EQ(logged.below[0].value, 0.0);
  EXPECT_NEAR(logged.below[0].interval->upper, 1.0 - 0.940371, 1e-6);
  EXPECT_EQ(logged.below[0].interval->lower, 0.0);
  EXPECT_NEAR(logged.below[2].interval->lower, 0.940371, 1e-6);
  EXPECT_EQ(logged.below[2].interval->upper, 1.0);
  for (const char* method : {"wis", "arp", "dr"}) {  // fewer episodes count, so more may happen
    EXPECT_GT(by(all, method).below[0].interval->upper, logged.below[0].interval->upper) << method;
    EXPECT_LT(by(all, method).below[2].interval->lower, logged.below[2].interval->lower) << method;
  }
}

TEST(Risk, DoesNotDependOnThreads) {
  const Problem problem = drawn(60, Seed{3});
  const auto with = [&](int threads) {
    return return_distributions(problem, {.cvar = {0.2}}, {.replicates = 30, .threads = Threads{threads}});
  };
  const auto one = with(1), three = with(3);
  for (std::size_t k = 0; k < one.size(); ++k) {
    EXPECT_EQ(one[k].cvar[0].value, three[k].cvar[0].value);
    EXPECT_EQ(one[k].cvar[0].interval->lower, three[k].cvar[0].interval->lower);
  }
}

// Without states there is no process, and weights of 2,000 steps matter by their quotients only.
TEST(Risk, LongEpisodesWithoutStates) {
  testing::LogVectors c;
  for (int i = 0; i < 4; ++i) {
    for (int t = 0; t < 2000; ++t) {
      c.rewards.push_back(t == 0 ? i : 0.0);
      c.behavior.push_back(0.5);
      c.target.push_back(t == 0 ? 0.1 * (1 + i) : 0.125);
    }
    c.end_episode();
  }
  const auto all = return_distributions(make_problem(std::move(c).dataset()), {.quantiles = {0.3, 0.6}}, {.level = {}});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].quantiles[0].value, 1.0);  // weights 1, 2, 3, 4 of 10
  EXPECT_EQ(all[1].quantiles[1].value, 2.0);
}

// Percentiles between infinite returns would be no numbers.
TEST(Risk, ReturnsThatAreNoNumbersHaveNoDistribution) {
  testing::LogVectors c;
  for (int i = 0; i < 4; ++i) {
    c.rewards.insert(c.rewards.end(), {1e308, 1e308});
    c.behavior.insert(c.behavior.end(), {0.5, 0.5});
    c.target.insert(c.target.end(), {0.5, 0.5});
    c.end_episode();
  }
  EXPECT_THROW(return_distributions(make_problem(std::move(c).dataset()), {.quantiles = {0.5}}), DegenerateModel);
}

TEST(Risk, QuestionsWithoutSenseAreRefused) {
  EXPECT_THROW(return_distributions(drawn(5, Seed{1}), {.quantiles = {1.0}}), InvalidArgument);
  EXPECT_THROW(return_distributions(drawn(5, Seed{1}), {.cvar = {0.0}}), InvalidArgument);
}

}  // namespace
}  // namespace starope
