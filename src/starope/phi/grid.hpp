#pragma once

#include "starope/phi.hpp"
#include "starope/problem.hpp"

namespace starope {

FittedAbstraction fit_grid(const Grid& options, const Problem& problem, Threads threads = Threads::all());

}  // namespace starope
