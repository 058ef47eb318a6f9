#pragma once

#include <cstdint>
#include <vector>

#include "starope/behavior/action_logs.hpp"
#include "starope/types.hpp"

namespace starope {

// The shares of the actions in the nearest training steps (of every k-th where they are many), with one pseudo-count of
// the shares of all. Steps at the distance of the last neighbor count together, each for a part.
std::vector<double> nearest_probabilities(const ActionLogs& logs, Rows training, Rows wanted, std::int64_t neighbors,
                                          Threads threads);

}  // namespace starope
