#pragma once

#include <string>
#include <vector>

#include "starope/behavior.hpp"
#include "starope/behavior/action_logs.hpp"

namespace starope {

// A method with a setting: pseudo-counts and cells, a ridge, or a number of neighbors.
struct PolicySetting {
  BehaviorMethod method = BehaviorMethod::global;
  double strength = 0.0;  // pseudo-counts of the shares of all steps; or the ridge per training step
  std::int64_t size = 0;  // clusters, or neighbors

  std::string text() const;
  friend bool operator==(const PolicySetting&, const PolicySetting&) = default;
};

// Pseudo-counts that leave shares as they are, but no probability at zero.
inline constexpr double unshrunken = 1e-3;

// The settings that are tried for a method; none where it does not fit the states.
std::vector<PolicySetting> settings_of(BehaviorMethod method, const ActionLogs& logs);

// Fitted to the training steps: the probabilities of all actions for the wanted steps, row by row, all above zero.
std::vector<double> fitted_probabilities(const PolicySetting& setting, const ActionLogs& logs, Rows training,
                                         Rows wanted, Seed seed, Threads threads);

}  // namespace starope
