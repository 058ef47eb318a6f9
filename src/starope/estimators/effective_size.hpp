#pragma once

#include <optional>
#include <vector>

#include "starope/base/finding.hpp"
#include "starope/base/types.hpp"
#include "starope/data/problem.hpp"

namespace starope {

// (sum W)^2 / sum W^2 over episodes, W the product of all ratios of an episode: how many equally weighted episodes
// carry the information that whole-episode importance sampling finds in the logs.
double effective_episodes(const Problem& problem, Threads threads = Threads::all());

// The same for the weights that a clip leaves, over steps, as a number of episodes: n (sum w)^2 / (steps sum w^2).
double effective_episodes(const Problem& problem, Clip clip, Threads threads = Threads::all());

// A finding if fewer than ten episodes carry the weights.
std::optional<Finding> low_ess(double ess, std::int64_t episodes);

// The products of all ratios have mean 1 over many episodes: a finding if that of ten or more is below a tenth. Weights
// may all be equal, and the effective sample size perfect, while the episodes that the target policy is about were
// never logged.
std::optional<Finding> missing_weight(const Problem& problem, Threads threads = Threads::all());

}  // namespace starope
