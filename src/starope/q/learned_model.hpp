#pragma once

#include <cstdint>
#include <vector>

#include "starope/estimators.hpp"
#include "starope/q/q_logs.hpp"
#include "starope/types.hpp"

namespace starope {

struct LearnedModelValue {
  std::vector<double> of_episode{};  // mean return of the rollouts from an episode's first state
  std::int64_t rollouts = 0;
  std::int64_t steps = 0;      // of the longest rollout
  double dynamics_loss = 0.0;  // on held-out episodes: next state and reward, in units of their spread
  double policy_loss = 0.0;    // cross-entropy of the imitated target policy
  bool unfinished = false;     // there was no horizon, and rollouts were stopped while they still could earn
};

// A model of real-valued states by networks: the change of the state (for features that are 0 or 1, the chance of a 1),
// the reward, and the chance that the step is the last, given state and action. Rollouts from the logged first states
// over the whole horizon, with no other cap. The logs say what the target policy does in logged states only, so another
// network imitates it elsewhere. Ends are not drawn: what a rollout earns is weighted with the probability that it
// still goes on. States and rewards stay within the range of the logged ones, where the networks know something.
LearnedModelValue roll_out_learned_model(const QLogs& logs, const LearnedModel& options);

}  // namespace starope
