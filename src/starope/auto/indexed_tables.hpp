#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "starope/auto/bag.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

// What a time-indexed model knows of an abstract state at one step. Together, because the scores need all of it at
// once.
struct IndexedCell {
  double value = 0.0;      // V_t
  double reward = 0.0;     // r_t
  double per_visit = 0.0;  // episodes * d_t / (sum of rho over the visits), 0 where that is 0
  double per_seen = 0.0;   // the same over visits whose outcome was seen

  IndexedCell& operator+=(const IndexedCell& other) noexcept {
    value += other.value;
    reward += other.reward;
    per_visit += other.per_visit;
    per_seen += other.per_seen;
    return *this;
  }
};

// The time-indexed models of a bag's members: a cell is (abstract state, step), so V comes from one sweep backward in
// time and d from one forward (docs/auto-math.md 2.3). Cells are numbered through as in PooledTables.
struct IndexedTables {
  std::size_t horizon = 0;
  std::vector<std::uint32_t> first_cell{};
  std::vector<IndexedCell> cells{};  // [t][cell], t = 0..horizon; nothing is earned at the last
  std::vector<double> plain{};       // [member]: J of the member alone

  std::span<const IndexedCell> at_step(std::size_t t) const {
    return std::span(cells).subspan(t * first_cell.back(), first_cell.back());
  }
};

IndexedTables indexed_tables(const Bag& bag, const Problem& problem, std::span<const std::int64_t> episodes,
                             Threads threads = Threads::all());

}  // namespace starope
