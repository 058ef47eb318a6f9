#pragma once

#include <cstdint>
#include <span>

#include "starope/auto/coalitions.hpp"
#include "starope/auto/indexed_tables.hpp"

namespace starope {

// The double ARP of the time-indexed family (docs/auto-math.md 2.3): as pooled_scores, but the step itself says how
// much time is left, so the sum over k has one term, k = t.
CoalitionScores indexed_scores(const Bag& bag, const IndexedTables& tables, const Problem& problem,
                               std::span<const std::int64_t> episodes, Coalitions coalitions,
                               Threads threads = Threads::all());

}  // namespace starope
