#include "starope/domains/exact_value.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>

#include "starope/domains/random_mdp.hpp"
#include "starope/error.hpp"

namespace starope::domains {
namespace {

using ::testing::HasSubstr;

// One action; 0 -> 1 with p, else stays; 1 -> end with q, else back to 0. Rewards 1 in state 0 and 2 in state 1.
TabularMdp two_states(double p, double q) {
  MdpDescription d = MdpDescription::with_own_rows(3, 1);
  d.outcomes(0, 0) = {{0, 1.0 - p, 1.0}, {1, p, 1.0}};
  d.outcomes(1, 0) = {{0, 1.0 - q, 2.0}, {2, q, 2.0}};
  d.terminal[2] = true;
  d.start[0] = 1.0;
  return TabularMdp(d);
}

const TabularPolicy only = TabularPolicy::uniform(2, 1);

// Sum over all trajectories of their probability times their discounted return.
double enumerate(const TabularMdp& mdp, const TabularPolicy& policy, double gamma, std::int32_t state,
                 std::int64_t steps) {
  if (steps == 0 || mdp.is_terminal(state)) return 0.0;
  double sum = 0.0;
  for (std::int32_t a = 0; a < mdp.actions(); ++a) {
    const auto row = mdp.row(state, a);
    for (std::size_t i = 0; i < row.next.size(); ++i) {
      sum += policy.probability(mdp.symbol(state), a) * row.probability[i] *
             (row.reward[i] + gamma * enumerate(mdp, policy, gamma, row.next[i], steps - 1));
    }
  }
  return sum;
}

TEST(ExactValue, OfATwoStateChainByHand) {
  // Each round: 1/p steps in state 0, one in state 1; 1/q rounds.
  EXPECT_NEAR(exact_value(two_states(0.5, 0.25), only), (2.0 * 1 + 2.0) * 4, 1e-12);
  // Three steps from 0: 1 + (1 or 2) + ...; by hand 1 + 1.5 + (1/2 (1/2*1 + 1/2*2) + 1/2 (3/4*1)).
  EXPECT_NEAR(exact_value(two_states(0.5, 0.25), only, Discount{1.0}, Horizon{3}), 1 + 1.5 + 0.75 + 0.375, 1e-15);
  // Discount 0: the first reward.
  EXPECT_NEAR(exact_value(two_states(0.5, 0.25), only, Discount{0.0}), 1.0, 1e-15);
  // Always on: V0 = 1 + g V1, V1 = 2 + g V0.
  const double g = 0.9;
  EXPECT_NEAR(exact_value(two_states(1.0, 0.0), only, Discount{g}), (1 + 2 * g) / (1 - g * g), 1e-12);
}

TEST(ExactValue, EqualsTheSumOverAllTrajectories) {
  for (std::uint64_t k = 0; k < 12; ++k) {
    const bool aliased = k % 2 == 1;
    const TabularMdp mdp = random_mdp({.states = 4,
                                       .actions = 2,
                                       .successors = 2,
                                       .exit_probability = 0.2,
                                       .symbols = aliased ? std::optional<std::int32_t>(2) : std::nullopt,
                                       .seed = Seed{k}});
    const TabularPolicy policy = random_policy(mdp.symbols(), 2, {.seed = Seed{k}});
    for (const double gamma : {1.0, 0.7}) {
      double by_enumeration = 0.0;
      const auto values = exact_state_values(mdp, policy, Discount{gamma}, Horizon{6});
      for (std::int32_t s = 0; s < mdp.states(); ++s) {
        const double v = enumerate(mdp, policy, gamma, s, 6);
        EXPECT_NEAR(values[s], v, 1e-12);
        by_enumeration += mdp.start()[s] * v;
      }
      EXPECT_NEAR(exact_value(mdp, policy, Discount{gamma}, Horizon{6}), by_enumeration, 1e-12);
    }
  }
}

TEST(ExactValue, FiniteHorizonsApproachTheLinearSolve) {
  for (std::uint64_t k = 0; k < 5; ++k) {
    const TabularMdp mdp = random_mdp({.states = 30, .actions = 4, .exit_probability = 0.1, .seed = Seed{k}});
    const TabularPolicy policy = random_policy(mdp.symbols(), 4, {.seed = Seed{k}});
    EXPECT_NEAR(exact_value(mdp, policy), exact_value(mdp, policy, Discount{1.0}, Horizon{2000}), 1e-11);
    EXPECT_NEAR(exact_value(mdp, policy, Discount{0.9}), exact_value(mdp, policy, Discount{0.9}, Horizon{500}), 1e-12);
  }
}

TEST(ExactValue, DoesNotExistWhereRewardsNeverEnd) {
  try {
    exact_value(two_states(0.5, 0.0), only);
    FAIL() << "state 0 and 1 are never left";
  } catch (const DegenerateModel& error) {
    EXPECT_THAT(error.what(), HasSubstr("state(s) 0, 1"));
    EXPECT_THAT(error.what(), HasSubstr("Give a horizon"));
  }
  EXPECT_GT(exact_value(two_states(0.5, 0.0), only, Discount{0.99}), 0.0);
  EXPECT_GT(exact_value(two_states(0.5, 0.0), only, Discount{1.0}, Horizon{10}), 0.0);
}

// 0 ends with reward 1 or is caught in 1, which earns `trap_reward` for ever; 2 is terminal; 3 is never entered.
TabularMdp trap(double trap_reward, double unreachable_reward) {
  MdpDescription d = MdpDescription::with_own_rows(4, 1);
  d.outcomes(0, 0) = {{2, 0.6, 1.0}, {1, 0.4, 0.0}};
  d.outcomes(1, 0) = {{1, 1.0, trap_reward}};
  d.outcomes(3, 0) = {{3, 1.0, unreachable_reward}};
  d.terminal[2] = true;
  d.start[0] = 1.0;
  return TabularMdp(d);
}

TEST(ExactValue, StayingForEverWithoutRewardIsWorthNothing) {
  const auto policy = TabularPolicy::uniform(4, 1);
  EXPECT_NEAR(exact_value(trap(0.0, 5.0), policy), 0.6, 1e-15);
  EXPECT_THROW(exact_value(trap(0.1, 0.0), policy), DegenerateModel);
  // Values of all states need the unreachable one too.
  EXPECT_THROW(exact_state_values(trap(0.0, 5.0), policy), DegenerateModel);
  EXPECT_NEAR(exact_state_values(trap(0.0, 0.0), policy)[0], 0.6, 1e-15);
}

TEST(ExactVisits, OfATwoStateChainByHand) {
  const auto visits = exact_visits(two_states(0.5, 0.25), only);
  EXPECT_NEAR(visits[0], 8.0, 1e-12);
  EXPECT_NEAR(visits[1], 4.0, 1e-12);
  EXPECT_EQ(visits[2], 0.0);
  const auto early = exact_visits(two_states(0.5, 0.25), only, Discount{0.5}, Horizon{2});
  EXPECT_NEAR(early[0], 1 + 0.5 * 0.5, 1e-15);
  EXPECT_NEAR(early[1], 0.5 * 0.5, 1e-15);
}

TEST(ExactVisits, TimesRewardsAreTheValue) {
  for (std::uint64_t k = 0; k < 6; ++k) {
    const TabularMdp mdp = random_mdp({.states = 12, .actions = 3, .seed = Seed{k}});
    const TabularPolicy policy = random_policy(mdp.symbols(), 3, {.seed = Seed{k}});
    const PolicyChain chain = policy_chain(mdp, policy);
    for (const auto& horizon : {std::optional<Horizon>{}, std::optional<Horizon>{Horizon{7}}}) {
      for (const double gamma : {1.0, 0.8}) {
        const auto visits = exact_visits(mdp, policy, Discount{gamma}, horizon);
        const double value = std::inner_product(visits.begin(), visits.end(), chain.reward.begin(), 0.0);
        EXPECT_NEAR(value, exact_value(mdp, policy, Discount{gamma}, horizon), 1e-12);
      }
    }
    // Undiscounted, every episode exits exactly once.
    const auto visits = exact_visits(mdp, policy);
    EXPECT_NEAR(std::inner_product(visits.begin(), visits.end(), chain.exit.begin(), 0.0), 1.0, 1e-12);
  }
}

TEST(ExactVisits, AreInfiniteInATrapEvenWithoutRewards) {
  EXPECT_THROW(exact_visits(trap(0.0, 0.0), TabularPolicy::uniform(4, 1)), DegenerateModel);
  EXPECT_NEAR(exact_visits(trap(0.0, 0.0), TabularPolicy::uniform(4, 1), Discount{0.5})[1], 0.4 * 0.5 / (1 - 0.5),
              1e-15);
}

TEST(PolicyChain, AveragesRowsOverActions) {
  MdpDescription d = MdpDescription::with_own_rows(3, 2);
  d.outcomes(0, 0) = {{1, 0.5, 2.0}, {2, 0.5, 4.0}};
  d.outcomes(0, 1) = {{0, 0.25, 8.0}, {1, 0.75, 0.0}};
  d.outcomes(1, 0) = {{2, 1.0, 1.0}};
  d.outcomes(1, 1) = {{2, 1.0, 1.0}};
  d.terminal[2] = true;
  d.start[0] = 1.0;
  const PolicyChain chain = policy_chain(TabularMdp(d), TabularPolicy(2, 2, {0.2, 0.8, 0.5, 0.5}));
  EXPECT_NEAR(chain.move(0, 0), 0.8 * 0.25, 1e-16);
  EXPECT_NEAR(chain.move(0, 1), 0.2 * 0.5 + 0.8 * 0.75, 1e-16);
  EXPECT_EQ(chain.move(1, 0), 0.0);
  EXPECT_NEAR(chain.exit[0], 0.1, 1e-16);
  EXPECT_EQ(chain.exit[1], 1.0);
  EXPECT_NEAR(chain.reward[0], 0.2 * 3.0 + 0.8 * 2.0, 1e-15);
  EXPECT_EQ(chain.exit[2], 0.0);
}

TEST(AlwaysTerminates, LooksAtReachableStatesOnly) {
  EXPECT_TRUE(always_terminates(two_states(0.5, 0.25), only));
  EXPECT_FALSE(always_terminates(two_states(0.5, 0.0), only));
  EXPECT_FALSE(always_terminates(trap(0.0, 0.0), TabularPolicy::uniform(4, 1)));
}

}  // namespace
}  // namespace starope::domains
