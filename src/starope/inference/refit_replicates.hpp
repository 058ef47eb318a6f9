#pragma once

#include <functional>

#include "starope/estimators.hpp"
#include "starope/inference/sum_replicates.hpp"
#include "starope/problem.hpp"

namespace starope {

// The estimator as a whole on every resample of the episodes, with all that it fits. `estimated` answers on one; where
// it throws an Error it has failed. Values and standard errors are taken from its estimates.
using Refit = std::function<Estimate(const Problem& resample)>;
Replicates refit_replicates(const Refit& estimated, const Problem& problem, const ReplicateOptions& options);

}  // namespace starope
