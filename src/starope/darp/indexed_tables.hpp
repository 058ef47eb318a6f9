#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "starope/base/types.hpp"
#include "starope/darp/bag.hpp"
#include "starope/data/problem.hpp"

namespace starope {

// The time-indexed models of a bag's members: a cell is (abstract state, step), so V comes from one sweep backward in
// time and d from one forward (specification 2.3). Cells are numbered through as in PooledTables.
struct IndexedTables {
  std::size_t horizon = 0;
  std::size_t stride = 0;  // horizon + 1
  std::vector<std::uint32_t> first_cell{};
  std::vector<double> values{};     // [cell][t]: V_t, 0 at t = H
  std::vector<double> reward{};     // [cell][t]: r_t
  std::vector<double> per_visit{};  // [cell][t]: episodes * d_t / (sum of rho over the visits), 0 where that is 0
  std::vector<double> per_seen{};   // [cell][t]: the same over visits whose outcome was seen
  std::vector<double> plain{};      // [member]: J of the member alone
};

IndexedTables indexed_tables(const Bag& bag, const Problem& problem, std::span<const std::int64_t> episodes,
                             Threads threads = Threads::all());

}  // namespace starope
