#pragma once

#include <cstddef>
#include <string>

#include "starope/estimators/star.hpp"
#include "starope/evaluate.hpp"
#include "starope/problem.hpp"

namespace starope {

// `most`: how many cells are shown. A time-indexed process has cells per step and is not shown: empty.
ProcessView describe_process(const StarFit& fit, const Problem& whole, std::string estimator, std::size_t most = 32);

}  // namespace starope
