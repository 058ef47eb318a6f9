#pragma once

#include <optional>
#include <vector>

#include "starope/estimators/estimate.hpp"
#include "starope/types.hpp"

namespace starope {

// max(neff - 1, 3), neff = (sum e^2)^2 / sum e^4 of the influence values: how many episodes the standard error itself
// rests on.
double degrees_of_freedom(const Estimate& estimate);

// value +- t * standard error, with the t quantile of these degrees of freedom. Cut to the range of possible values
// where the estimate has one. Empty where there is no standard error, or none but zero.
std::optional<Interval> influence_interval(const Estimate& estimate, Level level);

// What the reader must know about the standard error ("rests on 3 episodes").
std::vector<Finding> interval_findings(const Estimate& estimate);

}  // namespace starope
