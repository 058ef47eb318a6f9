#pragma once

#include <span>

#include "starope/estimators.hpp"
#include "starope/types.hpp"

namespace starope {

// Intervals for the mean of independent values that are known to lie in a range. They hold for every number of values
// and every distribution in that range; each side fails with probability (1 - level) / 2 at most. All are cut to the
// range. The values must lie in it, and there must be one at least.

// Hoeffding (1963): mean +- (upper - lower) sqrt( ln(2 / (1 - level)) / (2 n) ).
Interval hoeffding_interval(std::span<const double> values, ValueRange range, Level level);

// Maurer & Pontil (2009), on either side with half of 1 - level: the variance of the sample takes the place of the
// squared range, which enters by 1 / n only. The whole range with a single value.
Interval empirical_bernstein_interval(std::span<const double> values, ValueRange range, Level level);

// Anderson (1969) with the band of Dvoretzky, Kiefer, Wolfowitz and Massart (1990) around the empirical distribution:
// the means of the largest and of the smallest distribution inside it.
Interval anderson_interval(std::span<const double> values, ValueRange range, Level level);

}  // namespace starope
