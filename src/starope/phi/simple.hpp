#pragma once

#include <cstdint>
#include <vector>

#include "starope/phi.hpp"
#include "starope/phi/phi.hpp"
#include "starope/problem.hpp"

namespace starope {

FittedAbstraction fit_one(const Dataset& data);

// A step's label is its t inside the episode; the state after the last of T steps has label T.
FittedAbstraction fit_time(const Dataset& data);

// Discrete states: the state's code. Features: the distinct vectors (exactly equal numbers), in lexicographic order.
FittedAbstraction fit_identity(const Problem& problem);
IdCells identity_of(std::vector<std::int64_t> ids);  // of discrete states; ascending

}  // namespace starope
