#pragma once

#include "starope/estimators.hpp"
#include "starope/problem.hpp"

namespace starope {

Estimate estimate(const Marginalized& estimator, const Problem& whole, const EstimateOptions& options = {});

}  // namespace starope
