#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "starope/auto/bag.hpp"
#include "starope/auto/pooled_tables.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

// The tables of several parts of the episodes, such as halves, on the cells of one bag: each the same, to the bit, as
// pooled_tables of that part alone. Labels are looked up and processes solved for several parts at a time. The episodes
// of a part are ascending, and each is in it once.
std::vector<PooledTables> pooled_tables_of_parts(const Bag& bag, const Problem& problem,
                                                 std::span<const std::vector<std::int64_t>> parts,
                                                 Threads threads = Threads::all());

}  // namespace starope
