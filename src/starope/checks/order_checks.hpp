#pragma once

#include <vector>

#include "starope/data.hpp"
#include "starope/finding.hpp"

namespace starope {

// Do states, probabilities and rewards stand in the right rows? Looks at a sample of whole episodes:
// - a probability is a function of state and action; it must not fit those of a neighboring row better,
// - nor may a reward fit the row before better than its own,
// - the same state and action must not have different probabilities,
// - consecutive states are not as far apart as any two states of the episode.
// These are suspicions: policies may look at more than the logged state, rewards may come late.
// Estimated probabilities of the behavior policy are not asked: those of neighboring states, or of two fits, differ.
std::vector<Finding> order_findings(const Dataset& sample, bool behavior_logged = true);

}  // namespace starope
