#pragma once

#include <cstdint>
#include <vector>

namespace starope {

// How many cells the abstractions of a bag should have, coarsest first: five levels, each twice as fine as the one
// before, the finest with a cell for every 16 steps but from 32 to 256 cells. Levels with fewer than four steps per
// cell are left out; with so few steps that none is left, there is one level of max(1, steps / 4) cells.
std::vector<std::int64_t> default_ladder(std::int64_t steps);

// The levels of a ladder that so many steps can fill, by the same rule. InvalidArgument for a ladder that is empty or
// not ascending.
std::vector<std::int64_t> usable_levels(std::vector<std::int64_t> ladder, std::int64_t steps);

// Whether finer abstractions would say something else: the estimate of the two finest levels against that of all.
struct LadderDrift {
  double drift = 0.0;     // J(two finest levels) - J(all levels)
  double drift_se = 0.0;  // standard error of that difference
  bool significant = false;
};

}  // namespace starope
