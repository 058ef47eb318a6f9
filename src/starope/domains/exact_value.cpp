#include "starope/domains/exact_value.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "starope/base/assert.hpp"
#include "starope/base/text.hpp"
#include "starope/base/work.hpp"
#include "starope/domains/tabular_mdp.hpp"
#include "starope/error.hpp"

namespace starope::domains {
namespace {

using Mask = std::vector<std::uint8_t>;  // one per state

std::size_t at(std::int32_t state) {
  return static_cast<std::size_t>(state);
}

// Calls visit(to, probability) for every move out of `state`.
template <class Visit>
void for_each_move(const PolicyChain& chain, std::size_t state, const Visit& visit) {
  for (std::size_t i = chain.offsets[state]; i < chain.offsets[state + 1]; ++i)
    visit(at(chain.next[i]), chain.probability[i]);
}

// The given states and all that can be reached from them.
Mask reachable_from(const PolicyChain& chain, Mask mask) {
  std::vector<std::size_t> open;
  for (std::size_t s = 0; s < mask.size(); ++s)
    if (mask[s] != 0) open.push_back(s);
  while (!open.empty()) {
    const std::size_t s = open.back();
    open.pop_back();
    for_each_move(chain, s, [&](std::size_t to, double) {
      if (mask[to] != 0) return;
      mask[to] = 1;
      open.push_back(to);
    });
  }
  return mask;
}

// The given states and all from which one of them can be reached: the same along reversed moves.
Mask leading_to(const PolicyChain& chain, Mask mask) {
  PolicyChain reversed;
  reversed.offsets.assign(mask.size() + 1, 0);
  for (const std::int32_t to : chain.next) ++reversed.offsets[at(to) + 1];
  std::partial_sum(reversed.offsets.begin(), reversed.offsets.end(), reversed.offsets.begin());
  reversed.next.resize(chain.next.size());
  reversed.probability.resize(chain.next.size(), 1.0);
  std::vector<std::size_t> slot(reversed.offsets.begin(), reversed.offsets.end() - 1);
  for (std::size_t s = 0; s < mask.size(); ++s)
    for_each_move(chain, s, [&](std::size_t to, double) { reversed.next[slot[to]++] = static_cast<std::int32_t>(s); });
  return reachable_from(reversed, std::move(mask));
}

Mask where(std::span<const double> values, bool (*holds)(double)) {
  Mask mask(values.size());
  for (std::size_t s = 0; s < mask.size(); ++s) mask[s] = holds(values[s]) ? 1 : 0;
  return mask;
}

Mask both(const Mask& a, const Mask& b) {
  Mask mask(a.size());
  for (std::size_t s = 0; s < mask.size(); ++s) mask[s] = a[s] & b[s];
  return mask;
}

Mask neither(const Mask& a, const Mask& b) {
  Mask mask(a.size());
  for (std::size_t s = 0; s < mask.size(); ++s) mask[s] = (a[s] | b[s]) == 0 ? 1 : 0;
  return mask;
}

bool any(const Mask& mask) {
  return std::any_of(mask.begin(), mask.end(), [](std::uint8_t m) { return m != 0; });
}

bool positive(double x) {
  return x > 0.0;
}
bool not_zero(double x) {
  return x != 0.0;
}

Mask terminal_states(const PolicyChain& chain) {
  Mask mask(at(chain.states));
  for (std::size_t s = 0; s < mask.size(); ++s)
    mask[s] = chain.offsets[s] == chain.offsets[s + 1] && chain.exit[s] == 0.0 ? 1 : 0;
  return mask;
}

Mask started_states(const PolicyChain& chain) {
  return reachable_from(chain, where(chain.start, positive));
}

// Live states from which no terminal state can be reached.
Mask trapped_states(const PolicyChain& chain) {
  return neither(leading_to(chain, where(chain.exit, positive)), terminal_states(chain));
}

[[noreturn]] void fail_degenerate(const Mask& culprits, const char* what) {
  std::string names;
  int listed = 0;
  for (std::size_t s = 0; s < culprits.size(); ++s) {
    if (culprits[s] == 0) continue;
    if (++listed > 10) {
      names += ", ...";
      break;
    }
    names += fmt::format("{}{}", listed > 1 ? ", " : "", s);
  }
  throw DegenerateModel(
      fmt::format("{}: with gamma = 1 and no horizon, no terminal state can be reached from state(s) {}. Give a "
                  "horizon, or a discount below 1",
                  what, names));
}

// Solves (I - gamma P) x = b over the states of the mask, or the transposed system; x is 0 elsewhere.
std::vector<double> solve(const PolicyChain& chain, double gamma, const Mask& mask, std::span<const double> b,
                          bool transposed) {
  constexpr Eigen::Index most = 8000;  // 8000^2 doubles are half a gigabyte
  std::vector<Eigen::Index> index(mask.size(), -1);
  Eigen::Index count = 0;
  for (std::size_t s = 0; s < mask.size(); ++s)
    if (mask[s] != 0) index[s] = count++;
  if (count > most) {
    throw InvalidArgument(
        fmt::format("the exact value without horizon is solved for at most {} states; this MDP has "
                    "{}. Give a horizon",
                    most, count));
  }
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Identity(count, count);
  Eigen::VectorXd right(count);
  for (std::size_t s = 0; s < mask.size(); ++s) {
    const Eigen::Index i = index[s];
    if (i < 0) continue;
    right(i) = b[s];
    for_each_move(chain, s, [&](std::size_t to, double p) {
      const Eigen::Index j = index[to];
      if (j >= 0) (transposed ? matrix(j, i) : matrix(i, j)) -= gamma * p;
    });
  }
  const Eigen::VectorXd x = matrix.partialPivLu().solve(right);
  // The matrix is regular in exact arithmetic; if exits are so rare that it is not in double, the residual shows it.
  const double residual = count == 0 ? 0.0 : (matrix * x - right).lpNorm<Eigen::Infinity>();
  const double size = count == 0 ? 0.0 : x.lpNorm<Eigen::Infinity>() + right.lpNorm<Eigen::Infinity>();
  if (!x.allFinite() || residual > 1e-9 * size) {
    throw DegenerateModel(
        "the exact value cannot be computed: exits are so rare that the equations are singular in "
        "double precision. Give a horizon, or a smaller discount");
  }
  std::vector<double> all(mask.size(), 0.0);
  for (std::size_t s = 0; s < mask.size(); ++s)
    if (index[s] >= 0) all[s] = x(index[s]);
  return all;
}

// A process that ends settles long before a far horizon; one that goes on for ever may have no time for it.
StepBudget budget_of(const PolicyChain& chain, Horizon horizon) {
  const auto each = static_cast<double>(chain.next.size() + at(chain.states));
  return {
      {.what = fmt::format("a horizon of {} over {}", counted(horizon.steps(), "step"), counted(chain.states, "state")),
       .operations = static_cast<double>(horizon.steps()) * each,
       .bytes = 0.0,
       .remedy = "Give a smaller horizon"},
      horizon.steps()};
}

// V_H = 0, V_k = r + gamma P V_{k+1}.
std::vector<double> finite_values(const PolicyChain& chain, double gamma, Horizon horizon) {
  std::vector<double> value(at(chain.states), 0.0), before(at(chain.states), 0.0);
  const StepBudget budget = budget_of(chain, horizon);
  for (std::int64_t k = 0; k < horizon.steps(); ++k) {
    budget.expect_possible(k);
    for (std::size_t s = 0; s < value.size(); ++s) {
      double onward = 0.0;
      for_each_move(chain, s, [&](std::size_t to, double p) { onward += p * value[to]; });
      before[s] = chain.reward[s] + gamma * onward;
    }
    if (value == before) break;  // more steps to go change nothing
    value.swap(before);
  }
  return value;
}

// V = r + gamma P V for the states of `needed`, a set that no move leaves.
std::vector<double> infinite_values(const PolicyChain& chain, double gamma, const Mask& needed) {
  if (gamma < 1.0) return solve(chain, gamma, needed, chain.reward, false);
  const Mask trapped = both(trapped_states(chain), needed);
  const Mask earning = both(trapped, where(chain.reward, not_zero));
  if (any(earning)) fail_degenerate(earning, "the value does not exist, rewards never end");
  // What is trapped earns nothing for ever: its value is 0, and without it the system is regular.
  return solve(chain, gamma, both(needed, neither(trapped, terminal_states(chain))), chain.reward, false);
}

double weighted_by_start(const PolicyChain& chain, const std::vector<double>& value) {
  return std::inner_product(value.begin(), value.end(), chain.start.begin(), 0.0);
}

}  // namespace

double PolicyChain::move(std::int32_t from, std::int32_t to) const {
  const auto first = next.begin() + static_cast<std::ptrdiff_t>(offsets[at(from)]);
  const auto last = next.begin() + static_cast<std::ptrdiff_t>(offsets[at(from) + 1]);
  const auto found = std::lower_bound(first, last, to);
  return found == last || *found != to ? 0.0 : probability[found - next.begin()];
}

PolicyChain policy_chain(const TabularMdp& mdp, const TabularPolicy& policy) {
  check_policy_fits(mdp, policy);
  PolicyChain chain;
  chain.states = mdp.states();
  chain.start.assign(mdp.start().begin(), mdp.start().end());
  chain.reward.assign(at(mdp.states()), 0.0);
  chain.exit.assign(at(mdp.states()), 0.0);
  chain.offsets.push_back(0);
  std::vector<double> move(at(mdp.states()), 0.0);
  std::vector<std::int32_t> touched;
  for (std::int32_t s = 0; s < mdp.states(); ++s) {
    for (std::int32_t a = 0; !mdp.is_terminal(s) && a < mdp.actions(); ++a) {
      const double chosen = policy.probability(mdp.symbol(s), a);
      if (chosen == 0.0) continue;
      const TabularMdp::Row row = mdp.row(s, a);
      for (std::size_t i = 0; i < row.next.size(); ++i) {
        const double p = chosen * row.probability[i];
        if (p == 0.0) continue;
        chain.reward[at(s)] += p * row.reward[i];
        if (mdp.is_terminal(row.next[i])) {
          chain.exit[at(s)] += p;
        } else {
          if (move[at(row.next[i])] == 0.0) touched.push_back(row.next[i]);
          move[at(row.next[i])] += p;
        }
      }
    }
    std::sort(touched.begin(), touched.end());
    for (const std::int32_t to : touched) {
      chain.next.push_back(to);
      chain.probability.push_back(move[at(to)]);
      move[at(to)] = 0.0;
    }
    touched.clear();
    chain.offsets.push_back(chain.next.size());
  }
  return chain;
}

double exact_value(const TabularMdp& mdp, const TabularPolicy& policy, Discount discount,
                   std::optional<Horizon> horizon) {
  const PolicyChain chain = policy_chain(mdp, policy);
  return weighted_by_start(chain, horizon ? finite_values(chain, discount.gamma(), *horizon)
                                          : infinite_values(chain, discount.gamma(), started_states(chain)));
}

std::vector<double> exact_state_values(const TabularMdp& mdp, const TabularPolicy& policy, Discount discount,
                                       std::optional<Horizon> horizon) {
  const PolicyChain chain = policy_chain(mdp, policy);
  return horizon ? finite_values(chain, discount.gamma(), *horizon)
                 : infinite_values(chain, discount.gamma(), Mask(at(chain.states), 1));
}

std::vector<double> exact_visits(const TabularMdp& mdp, const TabularPolicy& policy, Discount discount,
                                 std::optional<Horizon> horizon) {
  const PolicyChain chain = policy_chain(mdp, policy);
  const double gamma = discount.gamma();
  if (!horizon) {
    const Mask started = started_states(chain);
    const Mask trapped = both(trapped_states(chain), started);
    if (gamma == 1.0 && any(trapped)) fail_degenerate(trapped, "the number of visits is infinite");
    return solve(chain, gamma, started, chain.start, true);
  }
  std::vector<double> now = chain.start, visits = chain.start, then(now.size(), 0.0);
  const StepBudget budget = budget_of(chain, *horizon);
  for (std::int64_t t = 1; t < horizon->steps(); ++t) {
    budget.expect_possible(t);
    if (std::all_of(now.begin(), now.end(), [](double mass) { return mass == 0.0; })) break;
    std::fill(then.begin(), then.end(), 0.0);
    for (std::size_t s = 0; s < now.size(); ++s)
      for_each_move(chain, s, [&](std::size_t to, double p) { then[to] += gamma * p * now[s]; });
    now.swap(then);
    for (std::size_t s = 0; s < now.size(); ++s) visits[s] += now[s];
  }
  return visits;
}

bool always_terminates(const TabularMdp& mdp, const TabularPolicy& policy) {
  const PolicyChain chain = policy_chain(mdp, policy);
  return !any(both(trapped_states(chain), started_states(chain)));
}

}  // namespace starope::domains
