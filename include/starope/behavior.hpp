#pragma once

// The behavior policy from the logs themselves, where nobody wrote down with which probabilities actions were chosen.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "starope/data.hpp"
#include "starope/types.hpp"
#include "starope/version.hpp"

namespace starope {

enum class BehaviorMethod {
  automatic,  // the one with the largest held-out likelihood
  global,     // how often each action is taken, whatever the state
  counts,     // the same for every state id
  clusters,   // the same for k-means cells of the states
  logistic,   // multinomial logistic regression on the features of the state, with a ridge
  neighbors,  // the actions taken in the nearest logged states
};

struct BehaviorRecipe {
  BehaviorMethod method = BehaviorMethod::automatic;
  std::int64_t folds = 5;  // of whole episodes, for likelihoods that were not fitted to
  // Probabilities of an episode from a fit to the others. Off, because what the fit has in common with the sample makes
  // weighted importance sampling more exact, not less (Hanna, Niekum & Stone 2019).
  bool cross_fit = false;
  // Of `counts`: so many steps of all states are added to those of each. None: by held-out likelihood, and at most one
  // where episodes are not left out of the fit that weighs them. Shares that are hardly shrunk make the ratios of a
  // state average one, which is what makes weighted importance sampling more exact.
  std::optional<double> pseudo_counts{};
  bool fill = false;  // only where the logs have gaps (Columns::behavior_with_gaps); what was logged is kept
  Seed seed{};
  friend bool operator==(const BehaviorRecipe&, const BehaviorRecipe&) = default;
};

// A method with what was chosen for it, and how likely it makes the actions of episodes that it was not fitted to.
struct BehaviorScore {
  BehaviorMethod method = BehaviorMethod::global;
  std::string setting{};        // "pseudo-counts 2", "ridge 0.01"
  double log_likelihood = 0.0;  // of a held-out step, on average; 0 would be certainty
  friend bool operator==(const BehaviorScore&, const BehaviorScore&) = default;
};

// Actions that held-out fits gave a probability from `lower` to `upper`: what they expected, and what happened.
struct CalibrationBin {
  double lower = 0.0, upper = 0.0;
  double predicted = 0.0;  // mean of the probabilities
  double observed = 0.0;   // share of them that were taken
  std::int64_t count = 0;  // pairs of step and action
  friend bool operator==(const CalibrationBin&, const CalibrationBin&) = default;
};

struct BehaviorFit {
  BehaviorMethod method = BehaviorMethod::global;  // that was used
  std::string setting{};
  std::vector<BehaviorScore> scores{};        // every method that was tried, the best first
  std::vector<CalibrationBin> calibration{};  // of the one that was used
  ActionProbabilities distribution{};         // of every step
};

// InvalidArgument where actions are not ids, or the method does not fit the states.
STAROPE_API BehaviorFit estimate_behavior(const Dataset& data, const BehaviorRecipe& recipe = {},
                                          Threads threads = Threads::all());

// The logs with the fitted probabilities. Logs with gaps keep what was logged, without distributions of all actions,
// which two policies at once do not have.
STAROPE_API Dataset with_behavior(const Dataset& data, const BehaviorFit& fit);

// How many steps have no logged behavior probability, where some have one.
STAROPE_API std::int64_t behavior_gaps(const Dataset& data);

STAROPE_API std::string name(BehaviorMethod method);

}  // namespace starope
