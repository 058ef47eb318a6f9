#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "starope/domains/tabular_mdp.hpp"
#include "starope/domains/tabular_policy.hpp"
#include "starope/types.hpp"

namespace starope::domains {

// The Markov reward process that a policy makes of an MDP. Rows of terminal states are empty; in every other state the
// moves to live states and the exit sum to 1.
struct PolicyChain {
  std::int32_t states = 0;
  std::vector<std::size_t> offsets{};  // state s moves to next[i] with probability[i], i in offsets[s] .. offsets[s+1]
  std::vector<std::int32_t> next{};    // ascending within a state; live states only
  std::vector<double> probability{};
  std::vector<double> reward{};  // r_pi(s): expected reward of one step
  std::vector<double> exit{};    // probability that the step enters a terminal state
  std::vector<double> start{};

  double move(std::int32_t from, std::int32_t to) const;  // P_pi(from, to) between live states
};
PolicyChain policy_chain(const TabularMdp& mdp, const TabularPolicy& policy);

// The exact value from every state (0 in terminal ones), with `horizon` steps to go. DegenerateModel if a state has no
// value, whether it can be reached or not.
std::vector<double> exact_state_values(const TabularMdp& mdp, const TabularPolicy& policy,
                                       Discount discount = Discount{1.0}, std::optional<Horizon> horizon = {});

// The expected discounted number of steps taken in each state: sum over t of gamma^t P(s_t = s), t below the horizon if
// there is one. DegenerateModel where it is infinite.
std::vector<double> exact_visits(const TabularMdp& mdp, const TabularPolicy& policy, Discount discount = Discount{1.0},
                                 std::optional<Horizon> horizon = {});

// Whether episodes under the policy terminate with probability 1.
bool always_terminates(const TabularMdp& mdp, const TabularPolicy& policy);

}  // namespace starope::domains
