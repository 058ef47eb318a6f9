#include "starope/domains.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "starope/data.hpp"
#include "starope/error.hpp"

namespace starope::domains {
namespace {

// A counter that ends at `last`; action 1 counts, action 0 waits. What is seen: the counter, as symbol.
struct Counter {
  using State = std::int32_t;
  std::int32_t last = 3;
  std::int32_t actions() const { return 2; }
  std::int32_t symbols() const { return last; }
  std::int32_t symbol(State s) const { return s; }
  State reset(Random&) const { return 0; }
  Transition step(State& s, std::int32_t action, Random&) const {
    s += action;
    return {.reward = static_cast<double>(10 * s + action), .terminated = s == last};
  }
};

// The same world seen by two features, with random starts.
struct FeatureCounter {
  using State = std::int32_t;
  std::int32_t actions() const { return 2; }
  std::vector<std::string> feature_names() const { return {"count", "square"}; }
  void observe(State s, std::span<double> out) const {
    out[0] = s;
    out[1] = s * s;
  }
  State reset(Random& random) const { return static_cast<State>(random.below(100)); }
  Transition step(State& s, std::int32_t action, Random& random) const {
    s += action;
    return {.reward = random.uniform(), .terminated = random.uniform() < 0.1};
  }
};

static_assert(SymbolDomain<Counter> && !FeatureDomain<Counter>);
static_assert(FeatureDomain<FeatureCounter> && !SymbolDomain<FeatureCounter>);

auto constant(double p1) {
  return [p1](std::int32_t, std::span<double> p) {
    p[0] = 1.0 - p1;
    p[1] = p1;
  };
}

TEST(SampleAction, TakesTheFirstWhoseRunningSumExceedsTheDraw) {
  const std::array<double, 4> p{0.25, 0.0, 0.5, 0.25};
  EXPECT_EQ(sample_action(p, 0.0), 0);
  EXPECT_EQ(sample_action(p, 0.2499), 0);
  EXPECT_EQ(sample_action(p, 0.25), 2);  // never the impossible action 1
  EXPECT_EQ(sample_action(p, 0.75), 3);
  EXPECT_EQ(sample_action(p, 0.9999), 3);
}

TEST(SampleAction, NeverChoosesAnImpossibleActionWhenRoundingLeavesAGap) {
  const std::array<double, 3> p{0.0, 0.9999, 0.0};
  EXPECT_EQ(sample_action(p, 0.99995), 1);
}

TEST(SimulateEpisodes, LogsEveryColumnOfAKnownEpisode) {
  // Always counting: 0 -> 1 -> 2 -> 3 with rewards 11, 21, 31.
  const Dataset data =
      simulate_episodes(Counter{}, constant(1.0), constant(0.25), {.episodes = 2, .threads = Threads(1)});
  ASSERT_EQ(data.episodes(), 2);
  EXPECT_EQ(data.steps(), 6);
  EXPECT_EQ(data.end(0), EpisodeEnd::terminated);
  EXPECT_EQ(std::vector<double>(data.rewards().begin(), data.rewards().end()),
            (std::vector<double>{11, 21, 31, 11, 21, 31}));
  const auto& states = std::get<DiscreteStates>(data.states());
  EXPECT_EQ(states.ids, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(states.code, (std::vector<std::int32_t>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(std::get<DiscreteActions>(data.actions()).id, std::vector<std::int32_t>(6, 1));
  EXPECT_EQ(data.behavior()->values, std::vector<double>(6, 1.0));
  EXPECT_EQ(data.target()->values, std::vector<double>(6, 0.25));
  ASSERT_TRUE(data.target_distribution());
  EXPECT_EQ(data.target_distribution()->actions, 2);
  EXPECT_EQ(data.target_distribution()->values[0], 0.75);
}

TEST(SimulateEpisodes, TruncatesAtTheHorizonAndKeepsTheStateBehindIt) {
  const Dataset data = simulate_episodes(Counter{}, constant(1.0), constant(1.0),
                                         {.episodes = 3, .horizon = Horizon{2}, .distributions = false});
  EXPECT_EQ(data.truncated_episodes(), 3);
  EXPECT_EQ(data.steps(), 6);
  EXPECT_EQ(data.state_rows(), 9);
  const auto& states = std::get<DiscreteStates>(data.states());
  for (std::int64_t i = 0; i < 3; ++i) {
    const auto code = states.code[data.final_row(i).value()];
    EXPECT_EQ(states.ids[code], 2);
  }
  EXPECT_FALSE(data.behavior_distribution());
  EXPECT_FALSE(data.target_distribution());
}

TEST(SimulateEpisodes, AnEpisodeThatEndsWithTheHorizonIsTerminated) {
  const Dataset data =
      simulate_episodes(Counter{}, constant(1.0), constant(1.0), {.episodes = 1, .horizon = Horizon{3}});
  EXPECT_EQ(data.end(0), EpisodeEnd::terminated);
  EXPECT_EQ(data.final_row(0), std::nullopt);
}

TEST(SimulateEpisodes, CodesOnlySymbolsThatOccur) {
  const Dataset data =
      simulate_episodes(Counter{.last = 50}, constant(1.0), constant(1.0), {.episodes = 1, .horizon = Horizon{4}});
  EXPECT_EQ(std::get<DiscreteStates>(data.states()).ids, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
}

void expect_same_first_episodes(const Dataset& a, const Dataset& b, std::int64_t episodes) {
  const auto &fa = std::get<DenseStates>(a.states()), &fb = std::get<DenseStates>(b.states());
  for (std::int64_t i = 0; i < episodes; ++i) {
    ASSERT_EQ(a.length(i), b.length(i));
    ASSERT_EQ(a.end(i), b.end(i));
    for (std::int64_t t = 0; t < a.length(i); ++t) {
      const auto ra = static_cast<std::size_t>(a.first_step(i) + t), rb = static_cast<std::size_t>(b.first_step(i) + t);
      ASSERT_EQ(fa.values[2 * ra], fb.values[2 * rb]);
      ASSERT_EQ(fa.values[2 * ra + 1], fa.values[2 * ra] * fa.values[2 * ra]);
      ASSERT_EQ(a.rewards()[ra], b.rewards()[rb]);
      ASSERT_EQ(std::get<DiscreteActions>(a.actions()).id[ra], std::get<DiscreteActions>(b.actions()).id[rb]);
    }
    ASSERT_EQ(a.final_row(i).has_value(), b.final_row(i).has_value());
    if (!a.final_row(i)) continue;
    ASSERT_EQ(fa.values[2 * static_cast<std::size_t>(*a.final_row(i))],
              fb.values[2 * static_cast<std::size_t>(*b.final_row(i))]);
  }
}

TEST(SimulateEpisodes, AnEpisodeDependsOnSeedAndNumberAlone) {
  SimulateOptions options{.episodes = 2000, .horizon = Horizon{15}, .seed = Seed{5}, .threads = Threads(1)};
  const Dataset one = simulate_episodes(FeatureCounter{}, constant(0.4), constant(0.6), options);
  EXPECT_GT(one.truncated_episodes(), 100);
  options.threads = Threads(4);
  const Dataset four = simulate_episodes(FeatureCounter{}, constant(0.4), constant(0.6), options);
  ASSERT_EQ(four.steps(), one.steps());
  expect_same_first_episodes(one, four, 2000);
  options.episodes = 300;  // not a whole number of blocks
  expect_same_first_episodes(simulate_episodes(FeatureCounter{}, constant(0.4), constant(0.6), options), one, 300);
  options.seed = Seed{6};
  const Dataset other = simulate_episodes(FeatureCounter{}, constant(0.4), constant(0.6), options);
  EXPECT_NE(other.rewards()[0], one.rewards()[0]);
}

TEST(SimulateEpisodes, StartsDoNotDependOnThePolicy) {
  const SimulateOptions options{.episodes = 50, .seed = Seed{5}};
  const Dataset a = simulate_episodes(FeatureCounter{}, constant(0.1), constant(0.5), options);
  const Dataset b = simulate_episodes(FeatureCounter{}, constant(0.9), constant(0.5), options);
  for (std::int64_t i = 0; i < 50; ++i) {
    EXPECT_EQ(std::get<DenseStates>(a.states()).values[2 * static_cast<std::size_t>(a.first_step(i))],
              std::get<DenseStates>(b.states()).values[2 * static_cast<std::size_t>(b.first_step(i))]);
  }
}

TEST(SimulateEpisodes, OnlyZerosAndOnesBecomeBits) {
  EXPECT_THROW(
      simulate_episodes(FeatureCounter{}, constant(0.5), constant(0.5), {.episodes = 5, .features_as_bits = true}),
      InvalidArgument);
}

TEST(SimulateEpisodes, RefusesToSimulateNothing) {
  EXPECT_THROW(simulate_episodes(Counter{}, constant(1.0), constant(1.0), {.episodes = 0}), InvalidArgument);
}

TEST(MonteCarloValue, AddsDiscountedRewards) {
  const auto result = monte_carlo_value(Counter{}, constant(1.0), {.episodes = 1000, .discount = Discount{0.5}});
  EXPECT_DOUBLE_EQ(result.value, 11 + 0.5 * 21 + 0.25 * 31);
  EXPECT_EQ(result.standard_error, 0.0);
  EXPECT_EQ(result.mean_length, 3.0);
  EXPECT_EQ(result.truncated_share, 0.0);
  const auto cut = monte_carlo_value(Counter{}, constant(1.0), {.episodes = 10, .horizon = Horizon{2}});
  EXPECT_DOUBLE_EQ(cut.value, 32.0);
  EXPECT_EQ(cut.truncated_share, 1.0);
}

TEST(MonteCarloValue, HasTheSameBitsForAnyNumberOfThreads) {
  MonteCarloOptions options{.episodes = 3000, .seed = Seed{1}, .threads = Threads(1)};
  const auto one = monte_carlo_value(FeatureCounter{}, constant(0.5), options);
  options.threads = Threads(3);
  const auto three = monte_carlo_value(FeatureCounter{}, constant(0.5), options);
  EXPECT_EQ(one.value, three.value);
  EXPECT_EQ(one.standard_error, three.standard_error);
  // Episodes last 10 steps on average (geometric), with rewards of mean 1/2.
  EXPECT_NEAR(one.value, 5.0, 4 * one.standard_error);
  EXPECT_NEAR(one.mean_length, 10.0, 4 * std::sqrt(90.0 / 3000));
}

TEST(MonteCarloValue, IsIndependentOfLogsWithTheSameSeed) {
  const auto value = monte_carlo_value(FeatureCounter{}, constant(0.5), {.episodes = 1, .seed = Seed{9}});
  const Dataset logs =
      simulate_episodes(FeatureCounter{}, constant(0.5), constant(0.5), {.episodes = 1, .seed = Seed{9}});
  double logged = 0.0;
  for (const double r : logs.rewards()) logged += r;
  EXPECT_NE(value.value, logged);
}

}  // namespace
}  // namespace starope::domains
