// Theorem 3.1: the abstract reward process of a known MDP and policy has exactly the MDP's value, for every phi.

#include <gtest/gtest.h>

#include <cmath>

#include "starope/arp/arp_model.hpp"
#include "starope/arp/solve.hpp"
#include "starope/domains/exact_value.hpp"
#include "starope/domains/random_mdp.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

// The sums that infinitely many episodes of the policy would give, per episode: a step in state s counts its discounted
// expected number of visits.
ArpStatistic exact_statistic(const domains::TabularMdp& mdp, const domains::TabularPolicy& policy, double gamma,
                             const std::vector<Label>& phi, std::int64_t cells) {
  const domains::PolicyChain chain = domains::policy_chain(mdp, policy);
  const std::vector<double> visits = domains::exact_visits(mdp, policy, Discount{gamma});
  const std::vector<double> zeros(cells, 0.0);
  ArpStatistic s{.recipe = {.cells = cells},
                 .episodes = 1,
                 .start = zeros,
                 .reward = zeros,
                 .exit = zeros,
                 .cut = zeros,
                 .move = MoveCounts(cells),
                 .unit = 0};
  for (std::size_t state = 0; state < phi.size(); ++state) {
    const Label z = phi[state];
    s.start[z] += chain.start[state];
    s.reward[z] += visits[state] * chain.reward[state];
    s.exit[z] += visits[state] * chain.exit[state];
    for (std::size_t i = chain.offsets[state]; i < chain.offsets[state + 1]; ++i) {
      s.move.add(z, phi[chain.next[i]], visits[state] * chain.probability[i]);
    }
  }
  return s;
}

TEST(ExactProcess, HasTheValueOfTheMdpForEveryAbstraction) {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    const domains::TabularMdp mdp = domains::random_mdp(
        {.states = 30, .actions = 3, .successors = 5, .exit_probability = 0.05, .seed = Seed{seed}});
    const domains::TabularPolicy policy =
        domains::random_policy(mdp.symbols(), mdp.actions(), {.sharpness = 1.5, .seed = Seed{seed}});
    for (const double gamma : {1.0, 0.9}) {
      const double truth = domains::exact_value(mdp, policy, Discount{gamma});
      for (const std::int64_t cells : {1, 2, 7, 30}) {
        Random random(Seed{seed}, Stream::test_data, static_cast<std::uint64_t>(cells));
        std::vector<Label> phi(mdp.states());
        for (Label& z : phi) z = static_cast<Label>(random.below(static_cast<std::uint64_t>(cells)));
        const ArpModel model = make_model(exact_statistic(mdp, policy, gamma, phi, cells));
        EXPECT_NEAR(solve(model, Discount{gamma}, std::nullopt).value, truth, 1e-10 * (1 + std::abs(truth)))
            << "seed " << seed << ", gamma " << gamma << ", cells " << cells;
      }
    }
  }
}

TEST(ExactProcess, LosesTheValueWithoutTheDiscountInsideTheCounts) {
  // Why g^t belongs inside the counts: visits counted without it give another process as soon as phi merges states.
  int different = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const domains::TabularMdp mdp =
        domains::random_mdp({.states = 20, .actions = 2, .exit_probability = 0.05, .seed = Seed{seed}});
    const domains::TabularPolicy policy = domains::random_policy(mdp.symbols(), mdp.actions(), {.seed = Seed{seed}});
    std::vector<Label> phi(mdp.states());
    for (std::size_t s = 0; s < phi.size(); ++s) phi[s] = static_cast<Label>(s % 3);
    const double truth = domains::exact_value(mdp, policy, Discount{0.9});
    const ArpModel undiscounted = make_model(exact_statistic(mdp, policy, 1.0, phi, 3));
    different += std::abs(solve(undiscounted, Discount{0.9}, std::nullopt).value - truth) > 1e-3 ? 1 : 0;
  }
  EXPECT_GE(different, 8);
}

}  // namespace
}  // namespace starope
