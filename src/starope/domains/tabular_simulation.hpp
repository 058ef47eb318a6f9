#pragma once

#include "starope/data/dataset.hpp"
#include "starope/domains/rollout.hpp"
#include "starope/domains/tabular_mdp.hpp"
#include "starope/domains/tabular_policy.hpp"

namespace starope::envs {

// Logs of an MDP under `behavior`, with the probabilities of `target` beside: states are the observed symbols. Without
// horizon the episodes must end by themselves, else InvalidArgument.
Dataset simulate(const TabularMdp& mdp, const TabularPolicy& behavior, const TabularPolicy& target,
                 const SimulateOptions& options);

// The mean return of a policy over simulated episodes; exact_value gives the number it approaches.
MonteCarloValue monte_carlo_value(const TabularMdp& mdp, const TabularPolicy& policy, const MonteCarloOptions& options);

}  // namespace starope::envs
