#include "starope/domains.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "starope/data.hpp"
#include "starope/domains/exact_value.hpp"
#include "starope/domains/random_mdp.hpp"
#include "starope/error.hpp"
#include "starope/problem.hpp"
#include "starope/stats/moments.hpp"

namespace starope::domains {
namespace {

struct World {
  TabularMdp mdp;
  TabularPolicy behavior, target;
};

World world(std::uint64_t seed, std::optional<std::int32_t> symbols = {}) {
  TabularMdp mdp =
      random_mdp({.states = 8, .actions = 3, .exit_probability = 0.15, .symbols = symbols, .seed = Seed{seed}});
  const std::int32_t seen = mdp.symbols();
  return {std::move(mdp), random_policy(seen, 3, {.sharpness = 0.5, .seed = Seed{seed}, .index = 0}),
          random_policy(seen, 3, {.sharpness = 0.5, .seed = Seed{seed}, .index = 1})};
}

TEST(SimulateTabular, MeanReturnsApproachTheExactValue) {
  for (std::uint64_t k = 0; k < 4; ++k) {
    const World w = world(k, k % 2 == 1 ? std::optional<std::int32_t>(3) : std::nullopt);
    for (const auto& horizon : {std::optional<Horizon>{}, std::optional<Horizon>{Horizon{5}}}) {
      const Dataset data = simulate(w.mdp, w.behavior, w.target, {.episodes = 20'000, .horizon = horizon});
      Moments returns;
      for (std::int64_t i = 0; i < data.episodes(); ++i) {
        double sum = 0.0;
        for (std::int64_t t = 0; t < data.length(i); ++t)
          sum += std::pow(0.9, t) * data.rewards()[data.first_step(i) + t];
        returns.add(sum);
      }
      const double exact = exact_value(w.mdp, w.behavior, Discount{0.9}, horizon);
      EXPECT_NEAR(returns.mean(), exact, 4 * returns.standard_error());
      const auto fresh =
          monte_carlo_value(w.mdp, w.target, {.episodes = 20'000, .horizon = horizon, .discount = Discount{0.9}});
      EXPECT_NEAR(fresh.value, exact_value(w.mdp, w.target, Discount{0.9}, horizon), 4 * fresh.standard_error);
      EXPECT_GT(std::abs(exact - exact_value(w.mdp, w.target, Discount{0.9}, horizon)), 8 * fresh.standard_error)
          << "the policies are too alike for this test";
    }
  }
}

TEST(SimulateTabular, RatiosAverageToOneAndCorrectTheReturns) {
  const World w = world(3);
  const Dataset data = simulate(w.mdp, w.behavior, w.target, {.episodes = 50'000, .horizon = Horizon{3}});
  const Problem problem = make_problem(data);
  Moments single, whole, corrected;
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const LoggedEpisode episode = problem.episode(i);
    double product = 1.0, sum = 0.0;
    for (std::size_t t = 0; t < episode.ratios.size(); ++t) {
      if (t == 0) single.add(episode.ratios[0]);
      product *= episode.ratios[t];
      sum += episode.rewards[t];
    }
    whole.add(product);
    corrected.add(product * sum);
  }
  EXPECT_NEAR(single.mean(), 1.0, 4 * single.standard_error());
  EXPECT_NEAR(whole.mean(), 1.0, 4 * whole.standard_error());
  EXPECT_NEAR(corrected.mean(), exact_value(w.mdp, w.target, Discount{1.0}, Horizon{3}),
              4 * corrected.standard_error());
  EXPECT_GT(whole.variance(), 0.01);
}

TEST(SimulateTabular, LogsTheProbabilitiesOfTheSymbolsItShows) {
  const World w = world(1, 3);
  const Dataset data = simulate(w.mdp, w.behavior, w.target, {.episodes = 200, .horizon = Horizon{6}});
  const auto& states = std::get<DiscreteStates>(data.states());
  const auto& actions = std::get<DiscreteActions>(data.actions());
  EXPECT_LE(states.ids.back(), 2);
  for (std::size_t i = 0; i < data.rewards().size(); ++i) {
    const auto symbol = static_cast<std::int32_t>(states.ids[states.code[i]]);
    ASSERT_EQ(data.behavior()->values[i], w.behavior.probability(symbol, actions.id[i]));
    ASSERT_EQ(data.target()->values[i], w.target.probability(symbol, actions.id[i]));
    for (std::int32_t a = 0; a < 3; ++a) {
      const std::size_t at = 3 * i + static_cast<std::size_t>(a);
      ASSERT_EQ(data.behavior_distribution()->values[at], w.behavior.probability(symbol, a));
      ASSERT_EQ(data.target_distribution()->values[at], w.target.probability(symbol, a));
    }
  }
  EXPECT_GT(data.truncated_episodes(), 0);
  EXPECT_LT(data.truncated_episodes(), 200);
}

TEST(SimulateTabular, TransitionsFollowTheTables) {
  const World w = world(2);
  const Dataset data = simulate(w.mdp, w.behavior, w.target, {.episodes = 30'000});
  const auto& states = std::get<DiscreteStates>(data.states());
  const auto& actions = std::get<DiscreteActions>(data.actions());
  // From state 0 with action 1: how often each state follows; -1 is the end.
  std::map<std::int64_t, double> seen;
  double total = 0.0;
  for (std::int64_t i = 0; i < data.episodes(); ++i) {
    for (std::int64_t t = 0; t < data.length(i); ++t) {
      const auto row = static_cast<std::size_t>(data.first_step(i) + t);
      if (states.ids[states.code[row]] != 0 || actions.id[row] != 1) continue;
      const bool last = t + 1 == data.length(i);
      seen[last ? -1 : states.ids[states.code[row + 1]]] += 1.0;
      total += 1.0;
    }
  }
  ASSERT_GT(total, 1000.0);
  const auto row = w.mdp.row(0, 1);
  for (std::size_t i = 0; i < row.next.size(); ++i) {
    const double p = row.probability[i];
    const std::int64_t next = w.mdp.is_terminal(row.next[i]) ? -1 : row.next[i];
    EXPECT_NEAR(seen[next] / total, p, 4 * std::sqrt(p * (1 - p) / total));
  }
  EXPECT_EQ(seen.size(), row.next.size());
}

TEST(SimulateTabular, NeedsAHorizonWhereEpisodesNeverEnd) {
  const TabularMdp endless = random_mdp({.states = 4, .exit_probability = 0.0});
  const auto policy = TabularPolicy::uniform(endless.symbols(), endless.actions());
  EXPECT_THROW(simulate(endless, policy, policy, {.episodes = 1}), InvalidArgument);
  EXPECT_THROW(monte_carlo_value(endless, policy, {.episodes = 1}), InvalidArgument);
  EXPECT_EQ(simulate(endless, policy, policy, {.episodes = 2, .horizon = Horizon{9}}).steps(), 18);
}

TEST(SimulateTabular, RefusesPoliciesOfAnotherShape) {
  const World w = world(0);
  EXPECT_THROW(simulate(w.mdp, w.behavior, TabularPolicy::uniform(2, 3), {.episodes = 1}), InvalidArgument);
}

}  // namespace
}  // namespace starope::domains
