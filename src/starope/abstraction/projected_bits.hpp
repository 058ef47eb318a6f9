#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "starope/abstraction/bit_points.hpp"
#include "starope/base/types.hpp"
#include "starope/data/binary_states.hpp"

namespace starope {

// Rows of bits times a matrix, plus an offset: row i of the result is offset + the sum of the rows of `matrix` at the
// set bits of point i. `matrix` is dimension x width, row by row; `offset` has `width` numbers, or none: zero. To
// centre the features at their mean, offset = -mean * matrix. Sums run in the order of the features, so the result has
// the same bits for any number of threads, and those of the plain product of bits written out as numbers.
std::vector<double> project(const BitPoints& points, std::span<const double> matrix, std::int64_t width,
                            std::span<const double> offset = {}, Threads threads = Threads::all());
std::vector<double> project(const BinaryStates& states, std::span<const double> matrix, std::int64_t width,
                            std::span<const double> offset = {}, Threads threads = Threads::all());

}  // namespace starope
