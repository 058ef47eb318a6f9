#pragma once

#include <optional>

#include "starope/estimators/estimate.hpp"
#include "starope/types.hpp"

namespace starope {

// Target minus logged policy, paired by the influence values of the same episodes: the spread of e_i - f_i, which is
// smaller than that of two estimates with errors of their own where good episodes are good for both. What the estimate
// knows of errors besides sampling (its standard error exceeds the spread of its influence values) is added to it.
//
// Interval and probability are of the t distribution of influence_interval. Without influence values of the estimate
// there is a value and nothing else; a standard error of zero says nothing about either.
Difference paired_difference(const Estimate& target, const Estimate& logged, std::optional<Level> level);

}  // namespace starope
