#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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

// Calls use(number of the part, its tables) for each, on several threads, so few at a time that the tables stay small:
// with long horizons they are large.
void for_tables_of_parts(const Bag& bag, const Problem& problem, std::span<const std::vector<std::int64_t>> parts,
                         Threads threads, const std::function<void(std::size_t, const PooledTables&)>& use);

}  // namespace starope
