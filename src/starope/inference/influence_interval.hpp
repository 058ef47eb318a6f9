#pragma once

#include <optional>
#include <vector>

#include "starope/estimators/estimate.hpp"
#include "starope/types.hpp"

namespace starope {

// value +- t * standard error. The t quantile has max(neff - 1, 3) degrees of freedom, neff = (sum e^2)^2 / sum e^4 of
// the influence values: how many episodes the standard error itself rests on. Cut to the range of possible values where
// the estimate has one. Empty where there is no standard error, or none but zero.
std::optional<Interval> influence_interval(const Estimate& estimate, Level level);

// What the reader must know about the standard error ("rests on 3 episodes").
std::vector<Finding> interval_findings(const Estimate& estimate);

}  // namespace starope
