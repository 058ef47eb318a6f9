#pragma once

#include <cstdint>
#include <span>

#include "starope/neural/network.hpp"
#include "starope/q/q_logs.hpp"
#include "starope/q/q_regression.hpp"
#include "starope/q/q_values.hpp"
#include "starope/q/state_features.hpp"

namespace starope {

struct NetworkFit {
  std::int64_t iterations = 0;   // of fitted Q evaluation
  std::int64_t updates = 0;      // of the weights
  double validation_loss = 0.0;  // of the last regression, in squares of the returns' unit; 0.5 (y - q)^2 on average
  std::int64_t held_out = 0;     // episodes
};

struct NetworkFitOptions {
  NetworkOptions network{};
  std::int64_t first_updates = 600;  // of the first regression
  std::int64_t updates = 150;        // of each later one, which starts from the one before
  std::int64_t iterations = 200;     // at most, without a horizon
  double mrdr_anchor = default_mrdr_anchor;
};

// Every fit learns from `train` (a tenth of the episodes held out to know when to stop) and writes Q on the steps of
// `write`. Features must be numbers.

// Fitted Q evaluation: backwards from the last step, one regression per step to go. A step whose outcome is unknown
// takes part in the first regression alone, whose target is the reward.
NetworkFit fit_network_fqe(const QLogs& logs, const StateFeatures& features, std::span<const std::int64_t> train,
                           std::span<const std::int64_t> write, const NetworkFitOptions& options, QValues& values);

// Q-Reg and MRDR: one regression of weighted returns-to-go.
NetworkFit fit_network_regression(const QLogs& logs, const StateFeatures& features, std::span<const std::int64_t> train,
                                  std::span<const std::int64_t> write, const NetworkFitOptions& options, bool mrdr,
                                  QValues& values);

}  // namespace starope
