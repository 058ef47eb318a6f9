#pragma once

#include <cstdint>

#include "starope/data/problem.hpp"
#include "starope/phi/phi.hpp"

namespace starope {

struct GridOptions {
  std::int64_t bins = 4;  // per dimension
  friend bool operator==(const GridOptions&, const GridOptions&) = default;
};

// Equal-width bins in each dimension between the smallest and the largest value that counts; a value outside (after the
// horizon, or a final state) is in the nearest bin, and a dimension that never varies has one bin. Only cells in which
// there is a state are numbered, in lexicographic order of their bins.
FittedAbstraction fit_grid(const GridOptions& options, const Problem& problem, Threads threads = Threads::all());

}  // namespace starope
