#pragma once

#include <cstdint>

#include "starope/estimators.hpp"
#include "starope/estimators/estimate.hpp"
#include "starope/estimators/star.hpp"
#include "starope/phi/labels.hpp"
#include "starope/problem.hpp"

namespace starope {

// The cells: k-means on (mean value over the bag, logarithm of the mean occupancy ratio), both standardized.
FittedAbstraction value_abstraction(const ValueStar& recipe, const Problem& whole, Threads threads = Threads::all());

StarFit fit(const ValueStar& value, const Problem& problem, const EstimateOptions& options = {});
Estimate estimate(const ValueStar& value, const Problem& problem, const EstimateOptions& options = {});

}  // namespace starope
