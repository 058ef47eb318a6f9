#pragma once

#include "starope/estimators/estimate.hpp"
#include "starope/problem.hpp"

namespace starope {

Estimate estimate(const Naive& estimator, const Problem& problem, const EstimateOptions& options = {});
Estimate estimate(const ImportanceSampling& estimator, const Problem& problem, const EstimateOptions& options = {});

}  // namespace starope
