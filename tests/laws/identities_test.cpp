// The exact identities of the design, section 2.2, for random data, random abstractions, several discounts and clips.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "starope/data/log_vectors.hpp"
#include "starope/data/random_logs.hpp"
#include "starope/estimators.hpp"

namespace starope {
namespace {

using testing::random_logs;
using testing::RandomLogsOptions;

const std::vector<Clip> clips{Clip::last(1), Clip::last(2), Clip::last(5), Clip::none()};
const std::vector<double> gammas{1.0, 0.97, 0.5};

// A random lookup table over the data's states: a random phi.
AbstractionRecipe random_phi(const Dataset& data, std::int64_t cells, Seed seed) {
  Random random(seed, Stream::test_data, 1);
  LookupTable table{.state = std::get<DiscreteStates>(data.states()).ids.to_vector(), .z = {}, .source = "random"};
  for (std::size_t i = 0; i < table.state.size(); ++i)
    table.z.push_back(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(cells))));
  return table;
}

// Calls check(data, phi, gamma, clip, seed) for many random cases.
void for_all(RandomLogsOptions options,
             const std::function<void(const Dataset&, const AbstractionRecipe&, double, Clip)>& check) {
  options.discrete_states = 9;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Dataset data = random_logs(options, Seed{seed});
    for (const std::int64_t cells : {1, 3, 9}) {
      for (const double gamma : gammas) {
        for (const Clip clip : clips) {
          SCOPED_TRACE(::testing::Message()
                       << "seed " << seed << ", cells " << cells << ", gamma " << gamma << ", clip " << clip.text());
          check(data, random_phi(data, cells, Seed{seed}), gamma, clip);
        }
      }
    }
  }
}

double naive(const Problem& problem) {
  return estimate(Naive{}, problem).value;
}

// 1. All ratios 1: J is the mean discounted return, for every phi and clip.
TEST(Identities, OnPolicyTheValueIsTheMeanReturn) {
  for_all({.episodes = 25, .on_policy = true}, [](const Dataset& data, const AbstractionRecipe& phi, double gamma,
                                                  Clip clip) {
    const Problem problem = make_problem(data, {.discount = Discount{gamma}});
    const double expected = naive(problem);
    EXPECT_NEAR(estimate(Star{.phi = phi, .clip = clip}, problem).value, expected, 1e-11);
    EXPECT_NEAR(estimate(Star{.phi = phi, .clip = clip, .time = TimeModel::indexed}, problem).value, expected, 1e-11);
  });
}

// ... and with a horizon for the time-indexed family: the mean return of the first H steps.
TEST(Identities, OnPolicyTheTimeIndexedValueUpToAHorizonIsTheMeanReturnUpToIt) {
  for_all({.episodes = 25, .on_policy = true},
          [](const Dataset& data, const AbstractionRecipe& phi, double gamma, Clip clip) {
            const Problem problem = make_problem(data, {.discount = Discount{gamma}, .horizon = Horizon{5}});
            EXPECT_NEAR(estimate(Star{.phi = phi, .clip = clip, .time = TimeModel::indexed}, problem).value,
                        naive(problem), 1e-11);
          });
}

// 3. One cell, no clip, g = 1: sum rho_{0:t} r_t over all steps, divided by the sum of rho_{0:T-1} over episodes.
TEST(Identities, OneCellWithoutClipIsARatioOfTwoSums) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Problem problem = testing::random_problem({.episodes = 25, .zero_target = 0.1}, Seed{seed});
    double rewards = 0.0, products = 0.0;
    for (std::int64_t i = 0; i < problem.episodes(); ++i) {
      const LoggedEpisode e = problem.episode(i);
      double w = 1.0;
      for (std::size_t t = 0; t < e.ratios.size(); ++t) {
        w *= e.ratios[t];
        rewards += w * e.rewards[t];
      }
      products += w;
    }
    EXPECT_NEAR(estimate(Star{.phi = One{}, .clip = Clip::none()}, problem).value, rewards / products,
                1e-11 * (1 + std::abs(rewards / products)));
  }
}

// 4. phi(s, t) = t, episodes of one length, no clip: WPDIS.
TEST(Identities, TimeAsAbstractionWithoutClipIsWpdis) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const double gamma : gammas) {
      const Problem problem = testing::random_problem({.episodes = 25, .shortest = 7, .longest = 7}, Seed{seed},
                                                      {.discount = Discount{gamma}});
      const double wpdis = estimate(ImportanceSampling{.weighted = true, .per_decision = true}, problem).value;
      EXPECT_NEAR(estimate(Star{.phi = Time{}, .clip = Clip::none()}, problem).value, wpdis,
                  1e-11 * (1 + std::abs(wpdis)));
      EXPECT_NEAR(estimate(Star{.phi = One{}, .clip = Clip::none(), .time = TimeModel::indexed}, problem).value, wpdis,
                  1e-11 * (1 + std::abs(wpdis)));
    }
  }
}

// 5. Z = S, c = 1: the maximum-likelihood Markov reward process of pi_e. Written out from the raw data: with the ratio
// of each step as its weight, P and R are weighted frequencies per state; solved here by plain iteration.
TEST(Identities, IdentityWithClipOneIsTheMaximumLikelihoodProcess) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Problem problem = testing::random_problem({.episodes = 60, .discrete_states = 4}, Seed{seed});
    const auto& codes = std::get<DiscreteStates>(problem.data().states()).code;
    double start[4] = {}, weight[4] = {}, reward[4] = {}, move[4][4] = {};
    for (std::int64_t i = 0; i < problem.episodes(); ++i) {
      const LoggedEpisode e = problem.episode(i);
      const auto s = [&](std::size_t t) {
        return static_cast<std::size_t>(codes[static_cast<std::size_t>(e.first_row) + t]);
      };
      start[s(0)] += 1.0 / static_cast<double>(problem.episodes());
      for (std::size_t t = 0; t < e.ratios.size(); ++t) {
        weight[s(t)] += e.ratios[t];
        reward[s(t)] += e.ratios[t] * e.rewards[t];
        if (t + 1 < e.ratios.size()) move[s(t)][s(t + 1)] += e.ratios[t];
      }
    }
    double value[4] = {};
    for (int iteration = 0; iteration < 3000; ++iteration) {
      double next[4];
      for (int z = 0; z < 4; ++z) {
        next[z] = reward[z];
        for (int y = 0; y < 4; ++y) next[z] += move[z][y] * value[y];
        next[z] /= weight[z];
      }
      std::copy(next, next + 4, value);
    }
    double expected = 0.0;
    for (int z = 0; z < 4; ++z) expected += start[z] * value[z];
    EXPECT_NEAR(estimate(Star{.phi = Identity{}}, problem).value, expected, 1e-10);
  }
}

// 6. Repeating all data changes nothing; scaling the rewards scales J.
Dataset repeated(const Dataset& data, int times, double reward_factor) {
  testing::LogVectors c;
  std::vector<std::int64_t> ids;
  const auto& states = std::get<DiscreteStates>(data.states());
  for (int k = 0; k < times; ++k) {
    for (std::int64_t i = 0; i < data.episodes(); ++i) {
      for (std::int64_t row = data.first_step(i); row < data.first_step(i + 1); ++row) {
        ids.push_back(states.id_of(row));
        c.rewards.push_back(reward_factor * data.columns().rewards[row]);
        c.behavior.push_back(data.behavior()->values[row]);
        c.target.push_back(data.target()->values[row]);
      }
      c.end_episode(data.end(i));
    }
  }
  c.states = make_discrete_states(ids);
  return std::move(c).dataset();
}

TEST(Identities, RepeatingTheDataChangesNothingAndScalingRewardsScales) {
  for_all({.episodes = 25}, [](const Dataset& data, const AbstractionRecipe& phi, double gamma, Clip clip) {
    const ProblemOptions options{.discount = Discount{gamma}};
    const Star star{.phi = phi, .clip = clip};
    const Estimate once = estimate(star, make_problem(data, options));
    const Estimate thrice = estimate(star, make_problem(repeated(data, 3, 1.0), options));
    const Estimate scaled = estimate(star, make_problem(repeated(data, 1, -2.5), options));
    const double tolerance = 1e-10 * (1 + std::abs(once.value));
    EXPECT_NEAR(thrice.value, once.value, tolerance);
    EXPECT_NEAR(scaled.value, -2.5 * once.value, 2.5 * tolerance);
    EXPECT_NEAR(*scaled.std_error, 2.5 * *once.std_error, 1e-8 * (1 + *once.std_error));
  });
}

// Adding a constant to every reward adds the constant times the expected length.
TEST(Identities, TheValueIsLinearInTheRewards) {
  for_all({.episodes = 25}, [](const Dataset& data, const AbstractionRecipe& phi, double gamma, Clip clip) {
    const ProblemOptions options{.discount = Discount{gamma}};
    const Star star{.phi = phi, .clip = clip};
    const auto with_rewards = [&](const std::function<double(double)>& change) {
      Columns c = data.columns();
      std::vector<double> rewards = c.rewards.to_vector();
      for (double& r : rewards) r = change(r);
      c.rewards = std::move(rewards);
      return estimate(star, make_problem(Dataset(std::move(c)), options)).value;
    };
    const double value = with_rewards([](double r) { return r; });
    const double length = with_rewards([](double) { return 1.0; });
    const double shifted = with_rewards([](double r) { return r + 3.0; });
    EXPECT_NEAR(shifted, value + 3.0 * length, 1e-9 * (1 + std::abs(length)));
  });
}

}  // namespace
}  // namespace starope
