#include "starope/domains/frozen_rows.hpp"

#include <vector>

#include "starope/domains/tabular_mdp.hpp"

namespace starope::domains {
namespace {

// The value of the episodes that start in `start`. What an action leads to never depends on the state it is taken in,
// only on the start; so a Markov chain over actions describes the episode. With u_k(a) the expected return of the k
// steps that begin with action a,
//   u_k(a) = r(a) + gamma sum_b M(a, b) u_{k-1}(b),   M(a, b) = sum over live states s of P(s | start, a) pi(b | s),
// and V = sum_a pi(a | start) u_H(a).
double value_from(const TabularMdp& mdp, const TabularPolicy& policy, TabularMdp::State start, double gamma,
                  std::int64_t steps) {
  const auto actions = static_cast<std::size_t>(mdp.actions());
  std::vector<double> reward(actions, 0.0), follow(actions * actions, 0.0);
  for (std::size_t a = 0; a < actions; ++a) {
    const TabularMdp::Row row = mdp.row(start, static_cast<std::int32_t>(a));
    for (std::size_t i = 0; i < row.next.size(); ++i) {
      reward[a] += row.probability[i] * row.reward[i];
      if (mdp.is_terminal(row.next[i])) continue;
      const auto then = policy.row(mdp.symbol(row.next[i]));
      for (std::size_t b = 0; b < actions; ++b) follow[a * actions + b] += row.probability[i] * then[b];
    }
  }
  std::vector<double> value(actions, 0.0), before(actions, 0.0);
  for (std::int64_t k = 0; k < steps; ++k) {
    for (std::size_t a = 0; a < actions; ++a) {
      double onward = 0.0;
      for (std::size_t b = 0; b < actions; ++b) onward += follow[a * actions + b] * value[b];
      before[a] = reward[a] + gamma * onward;
    }
    value.swap(before);
  }
  const auto first = policy.row(mdp.symbol(start));
  double total = 0.0;
  for (std::size_t a = 0; a < actions; ++a) total += first[a] * value[a];
  return total;
}

}  // namespace

FrozenRows::State FrozenRows::reset(Random& random) const {
  const TabularMdp::State start = mdp_->reset(random);
  return {start, start};
}

Transition FrozenRows::step(State& state, std::int32_t action, Random& random) const {
  state.seen = state.start;
  return mdp_->step(state.seen, action, random);
}

double exact_value(const FrozenRows& world, const TabularPolicy& policy, Discount discount, Horizon horizon) {
  const TabularMdp& mdp = world.mdp();
  check_policy_fits(mdp, policy);
  double total = 0.0;
  for (TabularMdp::State s = 0; s < mdp.states(); ++s) {
    const double p = mdp.start()[s];
    if (p > 0.0) total += p * value_from(mdp, policy, s, discount.gamma(), horizon.steps());
  }
  return total;
}

}  // namespace starope::domains
