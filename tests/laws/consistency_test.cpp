// Theorems 4.1 and 4.3 on random MDPs, with fixed seeds and stated statistical tolerances; and the honesty of the
// standard error.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "starope/domains.hpp"
#include "starope/domains/exact_value.hpp"
#include "starope/domains/random_mdp.hpp"
#include "starope/estimators.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

using domains::TabularMdp;
using domains::TabularPolicy;

struct World {
  TabularMdp mdp;
  TabularPolicy behavior, target;
  double truth;
};

World world(std::uint64_t seed) {
  TabularMdp mdp =
      domains::random_mdp({.states = 8, .actions = 2, .successors = 3, .exit_probability = 0.35, .seed = Seed{seed}});
  TabularPolicy behavior =
      domains::random_policy(mdp.symbols(), mdp.actions(), {.sharpness = 0.3, .seed = Seed{seed}, .index = 0});
  TabularPolicy target =
      domains::random_policy(mdp.symbols(), mdp.actions(), {.sharpness = 0.8, .seed = Seed{seed}, .index = 1});
  const double truth = domains::exact_value(mdp, target);
  return {std::move(mdp), std::move(behavior), std::move(target), truth};
}

// States 0..7 in pairs: an abstraction that is not Markov.
LookupTable pairs() {
  LookupTable table{.state = {}, .z = {}, .source = "pairs"};
  for (std::int64_t s = 0; s < 8; ++s) {
    table.state.push_back(s);
    table.z.push_back(s / 2);
  }
  return table;
}

struct Errors {
  Moments error;  // estimate - truth
  Moments squared;
  double mean_variance = 0.0;  // of the reported standard errors
};

Errors run(const World& w, const Star& star, std::int64_t episodes, int trials) {
  Errors result;
  for (int trial = 0; trial < trials; ++trial) {
    const Dataset data = domains::simulate(
        w.mdp, w.behavior, w.target,
        {.episodes = episodes, .seed = Seed{1000 + static_cast<std::uint64_t>(trial)}, .distributions = false});
    const Estimate e = estimate(star, make_problem(data));
    const double error = e.value - w.truth;
    result.error.add(error);
    result.squared.add(error * error);
    result.mean_variance += *e.std_error * *e.std_error / trials;
  }
  return result;
}

// Sixteen times the data: a quarter of the root mean squared error. With 60 trials the ratio of two such errors has a
// relative standard deviation of about 0.13; the band below is more than three of those on either side.
void expect_root_n(const World& w, const Star& star) {
  const Errors few = run(w, star, 250, 60), many = run(w, star, 4000, 60);
  const double ratio = std::sqrt(many.squared.mean() / few.squared.mean());
  EXPECT_GT(ratio, 0.25 / 1.6);
  EXPECT_LT(ratio, 0.25 * 1.6);
  EXPECT_LT(std::abs(many.error.mean()), 4 * many.error.standard_error() + 0.25 * std::sqrt(few.squared.mean()) / 4);
}

TEST(Consistency, WithoutClipForAnAbstractionThatIsNotMarkov) {  // Theorem 4.1
  for (const std::uint64_t seed : {1u, 2u, 3u}) expect_root_n(world(seed), {.phi = pairs(), .clip = Clip::none()});
}

TEST(Consistency, UnderClippingWhenTheAbstractionIsMarkov) {  // Theorem 4.3
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    expect_root_n(world(seed), {.phi = Identity{}, .clip = Clip::last(1)});
    expect_root_n(world(seed), {.phi = Identity{}, .clip = Clip::last(2)});
  }
}

TEST(Consistency, TimeIndexedModelsToo) {
  expect_root_n(world(4), {.phi = Identity{}, .clip = Clip::last(1), .time = TimeModel::indexed});
}

// One step decides everything and is forgotten: start, then (unseen) up or down by the first action, then +1 or -1.
// All states look alike. V = 2q - 1 for q = P(first action = 0).
World forgetful() {
  domains::MdpDescription d = domains::MdpDescription::with_own_rows(4, 2);
  d.start = {1, 0, 0, 0};
  d.terminal = {false, false, false, true};
  d.symbol = {0, 0, 0, 0};
  d.outcomes(0, 0) = {{.next = 1, .probability = 1.0, .reward = 0.0}};
  d.outcomes(0, 1) = {{.next = 2, .probability = 1.0, .reward = 0.0}};
  for (const std::int32_t a : {0, 1}) {
    d.outcomes(1, a) = {{.next = 3, .probability = 1.0, .reward = 1.0}};
    d.outcomes(2, a) = {{.next = 3, .probability = 1.0, .reward = -1.0}};
  }
  TabularMdp mdp(d);
  TabularPolicy behavior = TabularPolicy::same_everywhere(mdp.symbols(), std::vector<double>{0.7, 0.3});
  TabularPolicy target = TabularPolicy::same_everywhere(mdp.symbols(), std::vector<double>{0.2, 0.8});
  return {mdp, behavior, target, 2 * 0.2 - 1};
}

TEST(Consistency, AliasedStatesNeedAWindowThatReachesBack) {
  const World w = forgetful();
  ASSERT_NEAR(domains::exact_value(w.mdp, w.target), w.truth, 1e-12);
  // c = 1 weighs the last step by its own ratio alone, so it keeps the behavior policy's first step: the limit is
  // P(exit) -> 1/2, R -> (0 + (2 * 0.7 - 1))/2, J -> 2 * 0.7 - 1 = 0.4, far from -0.6. c = 2 sees the first step.
  const Errors one = run(w, {.phi = One{}, .clip = Clip::last(1)}, 4000, 30);
  EXPECT_NEAR(one.error.mean() + w.truth, 0.4, 4 * one.error.standard_error());
  EXPECT_GT(std::abs(one.error.mean()), 20 * one.error.standard_error());
  const Errors two = run(w, {.phi = One{}, .clip = Clip::last(2)}, 4000, 30);
  EXPECT_LT(std::abs(two.error.mean()), 4 * two.error.standard_error());
}

// The influence-function standard error against the spread over 200 data sets: within 15 %, which is three standard
// deviations of a spread estimated from 200 values (5 %).
TEST(StandardError, EqualsTheSpreadOverDataSets) {
  const World w = world(5);
  const std::vector<Star> stars{{.phi = Identity{}, .clip = Clip::last(1)},
                                {.phi = pairs(), .clip = Clip::last(2)},
                                {.phi = pairs(), .clip = Clip::none()},
                                {.phi = Identity{}, .clip = Clip::last(1), .horizon = std::optional{Horizon{4}}},
                                {.phi = pairs(), .clip = Clip::last(1), .time = TimeModel::indexed}};
  for (std::size_t i = 0; i < stars.size(); ++i) {
    const Errors e = run(w, stars[i], 500, 200);
    EXPECT_NEAR(std::sqrt(e.mean_variance / e.error.variance()), 1.0, 0.15) << "configuration " << i;
  }
}

}  // namespace
}  // namespace starope
