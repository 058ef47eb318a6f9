#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "starope/estimators.hpp"
#include "starope/interval.hpp"
#include "starope/types.hpp"

namespace starope {

// What an estimator answers in the replicates of a bootstrap. A replicate in which it has no answer is left out.
struct Replicates {
  std::vector<double> values{};
  std::vector<double> errors{};  // the standard error of each, where studentized intervals want it
  std::int64_t failed = 0;
};

// The p-quantile of a sorted sample: its ((size + 1) p)-th value, between two in proportion.
double sorted_quantile(std::span<const double> sorted, double p);

// Two-sided: either side leaves out (1 - level) / 2. Empty where the method has nothing to work with: fewer than ten
// replicates, no spread, a standard error of zero.
std::optional<Interval> bootstrap_interval(const Estimate& estimate, const Replicates& replicates,
                                           IntervalMethod method, Level level);

}  // namespace starope
