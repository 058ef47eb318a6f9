#pragma once

#include <cstdint>

#include "starope/estimators/estimate.hpp"
#include "starope/problem.hpp"
#include "starope/q/fit_q.hpp"

namespace starope {

Estimate estimate(const DoublyRobust& estimator, const Problem& problem, const EstimateOptions& options = {});

}  // namespace starope
