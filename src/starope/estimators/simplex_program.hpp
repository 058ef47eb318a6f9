#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace starope {

// The weights x >= 0 with sum 1 that minimize x' M x, for a positive semidefinite M (`values`, size x size, row by
// row). Wolfe's algorithm (1976) for the point of least norm in a polytope: exact after finitely many steps, also where
// M is singular because several points coincide.
std::vector<double> least_on_simplex(std::span<const double> values, std::size_t size);

}  // namespace starope
