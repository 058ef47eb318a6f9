#include "starope/domains/frozen_rows.hpp"

#include <gtest/gtest.h>

#include "starope/domains/exact_value.hpp"
#include "starope/domains/random_mdp.hpp"
#include "starope/domains/tabular_policy.hpp"
#include "starope/rng/random.hpp"

namespace starope::domains {
namespace {

static_assert(SymbolDomain<FrozenRows>);

// Sum over all trajectories.
double enumerate(const TabularMdp& mdp, const TabularPolicy& policy, double gamma, std::int32_t start,
                 std::int32_t seen, std::int64_t steps) {
  if (steps == 0 || mdp.is_terminal(seen)) return 0.0;
  double sum = 0.0;
  for (std::int32_t a = 0; a < mdp.actions(); ++a) {
    const auto row = mdp.row(start, a);
    for (std::size_t i = 0; i < row.next.size(); ++i) {
      sum += policy.probability(mdp.symbol(seen), a) * row.probability[i] *
             (row.reward[i] + gamma * enumerate(mdp, policy, gamma, start, row.next[i], steps - 1));
    }
  }
  return sum;
}

TEST(FrozenRows, ExactValueIsTheSumOverAllTrajectories) {
  for (std::uint64_t k = 0; k < 6; ++k) {
    const TabularMdp mdp = random_mdp({.states = 4, .actions = 2, .successors = 2, .seed = Seed{k}});
    const auto policy = random_policy(4, 2, {.seed = Seed{k}});
    double sum = 0.0;
    for (std::int32_t s = 0; s < 4; ++s) sum += mdp.start()[s] * enumerate(mdp, policy, 0.9, s, s, 6);
    EXPECT_NEAR(exact_value(FrozenRows(mdp), policy, Discount{0.9}, Horizon{6}), sum, 1e-12);
    EXPECT_GT(std::abs(sum - exact_value(mdp, policy, Discount{0.9}, Horizon{6})), 1e-3);
  }
}

TEST(FrozenRows, SimulatedReturnsApproachTheExactValue) {
  const TabularMdp mdp = random_mdp({.states = 6, .seed = Seed{2}});
  const auto policy = random_policy(6, 3, {.seed = Seed{2}});
  const FrozenRows world(mdp);
  const auto result = monte_carlo_value(world, ReadsTable(world, policy), {.episodes = 40'000, .horizon = Horizon{8}});
  EXPECT_NEAR(result.value, exact_value(world, policy, Discount{1.0}, Horizon{8}), 4 * result.standard_error);
}

TEST(FrozenRows, TransitionsComeFromTheStart) {
  const TabularMdp mdp = random_mdp({.states = 10, .successors = 1, .exit_probability = 0.0});
  const FrozenRows world(mdp);
  Random random(Seed{1}, Stream::test_data, 0);
  FrozenRows::State state = world.reset(random);
  const std::int32_t start = state.start;
  EXPECT_EQ(state.seen, start);
  for (int i = 0; i < 5; ++i) {
    world.step(state, 1, random);
    EXPECT_EQ(state.seen, mdp.row(start, 1).next[0]);
    EXPECT_EQ(state.start, start);
  }
}

}  // namespace
}  // namespace starope::domains
