#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "starope/arp/move_counts.hpp"

namespace starope {

// Strongly connected components of the part of a graph that is reachable from the roots: successors before
// predecessors, the states of each ascending.
std::vector<std::vector<std::int64_t>> strong_components(const SparseRows& graph, std::span<const std::int64_t> roots);

}  // namespace starope
