#include "starope/inference/difference.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "starope/base/assert.hpp"
#include "starope/inference/influence_interval.hpp"
#include "starope/stats/moments.hpp"
#include "starope/stats/quantile.hpp"

namespace starope {
namespace {

// Two ways to add up the same numbers differ by this much at most, relative to their size.
constexpr double difference_rounding = 1e-12;

double squared_error(const std::vector<double>& influence) {
  const double error = moments(influence).standard_error();
  return error * error;
}

}  // namespace

Difference paired_difference(const Estimate& target, const Estimate& logged, std::optional<Level> level) {
  Difference difference{
      .value = target.value - logged.value, .logged = logged.value, .logged_std_error = logged.std_error};
  if (std::abs(difference.value) <= difference_rounding * (std::abs(target.value) + std::abs(logged.value)))
    difference.value = 0.0;
  if (!target.std_error || target.influence.size() < 2) return difference;
  // Where a single episode has all the weight, nothing is known of the error, and the spread of the logged returns
  // alone would be taken for that of the difference.
  if (*target.std_error == 0.0 && logged.std_error.value_or(0.0) > 0.0) return difference;
  STAROPE_ASSERT(target.influence.size() == logged.influence.size());
  Estimate paired{.value = difference.value, .influence = target.influence};
  for (std::size_t i = 0; i < paired.influence.size(); ++i) paired.influence[i] -= logged.influence[i];
  const double sampling = squared_error(target.influence);
  const double beyond = std::max(0.0, *target.std_error * *target.std_error - sampling);
  const double error = std::sqrt(squared_error(paired.influence) + beyond);
  if (!std::isfinite(error)) return difference;
  const double size = std::sqrt(sampling) + std::abs(target.value) + std::abs(logged.value);
  difference.std_error = error <= difference_rounding * size ? 0.0 : error;
  paired.std_error = difference.std_error;
  if (level) difference.interval = influence_interval(paired, *level);
  if (*difference.std_error > 0.0)
    difference.probability_better = student_t_probability(difference.value / error, degrees_of_freedom(paired));
  return difference;
}

}  // namespace starope
