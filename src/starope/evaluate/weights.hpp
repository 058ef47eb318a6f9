#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "starope/data/problem.hpp"

namespace starope {

// The full importance weights after t steps: W_i = product of the first t ratios of episode i (of all of them, where
// the episode is shorter).
struct WeightsAt {
  std::int64_t t = 0;
  double mean = 0.0;           // 1 in expectation, if the logged probabilities are right
  double std_error = 0.0;      // of the mean
  double ess = 0.0;            // (sum W)^2 / sum W^2
  double zero_share = 0.0;     // of the episodes
  double largest_share = 0.0;  // of the total weight that one episode carries
  double scores = 0.0;         // how many episodes the standard error rests on: (sum e^2)^2 / sum e^4, e = W - mean
};

// 1, 2, 5, 10, 20, 50, ... and the longest episode.
std::vector<std::int64_t> checkpoints(std::int64_t longest);

std::vector<WeightsAt> weights_at(const Problem& problem, const std::vector<std::int64_t>& steps);

// The effective sample size after 1, 2, ..., longest steps, in one pass.
std::vector<double> ess_by_step(const Problem& problem);

// The mean of the single-step ratios, 1 in expectation at every step, with a standard error over episodes (the steps of
// an episode are not independent). Far lighter tails than W: the sharper check of logged probabilities.
struct MeanRatio {
  double mean = 0.0;
  std::optional<double> std_error{};  // none for a single episode
};
MeanRatio mean_ratio(const Problem& problem);

}  // namespace starope
