#pragma once

#include "starope/phi.hpp"
#include "starope/problem.hpp"

namespace starope {

// There are max z + 1 cells. DataError if a logged state is not in the table, if a z is negative, or if the table gives
// one state two different z.
FittedAbstraction fit_lookup(const LookupTable& table, const Problem& problem);

}  // namespace starope
