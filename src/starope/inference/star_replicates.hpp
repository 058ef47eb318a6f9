#pragma once

#include "starope/estimators/star.hpp"
#include "starope/inference/sum_replicates.hpp"
#include "starope/problem.hpp"

namespace starope {

// The process estimated and solved anew in every replicate, the abstraction (the labels of the fit) kept. One pass over
// the logs gathers what each episode adds to every sum; many replicates are then added up at a time.
Replicates replicates(const Star& star, const StarFit& fit, const Problem& problem, const ReplicateOptions& options);

}  // namespace starope
