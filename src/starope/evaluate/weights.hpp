#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "starope/inspect.hpp"
#include "starope/problem.hpp"

namespace starope {

// 1, 2, 5, 10, 20, 50, ... and the longest episode.
std::vector<std::int64_t> checkpoints(std::int64_t longest);

std::vector<WeightsAt> weights_at(const Problem& problem, const std::vector<std::int64_t>& steps);

// The effective sample size after 1, 2, ..., longest steps, in one pass.
std::vector<double> ess_by_step(const Problem& problem);
std::vector<double> ess_by_step(const Source& source, const ProblemOptions& question);

// The mean of the single-step ratios, 1 in expectation at every step, with a standard error over episodes (the steps of
// an episode are not independent). Far lighter tails than W: the sharper check of logged probabilities.
struct MeanRatio {
  double mean = 0.0;
  std::optional<double> std_error{};  // none for a single episode
};
MeanRatio mean_ratio(const Problem& problem);

}  // namespace starope
