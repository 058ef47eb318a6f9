#include "starope/inference/bootstrap_interval.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "starope/stats/quantile.hpp"

namespace starope {
namespace {

double normal_probability(double z) {
  return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

struct Ends {
  double lower = 0.0, upper = 0.0;
};

Ends percentile(const std::vector<double>& sorted, double tail) {
  return {sorted_quantile(sorted, tail), sorted_quantile(sorted, 1.0 - tail)};
}

// The skewness of the influence values, over six: how fast the standard error changes with the value.
double acceleration(std::span<const double> influence) {
  double squares = 0.0, cubes = 0.0, largest = 0.0;
  for (const double x : influence) largest = std::max(largest, std::abs(x));
  if (largest == 0.0) return 0.0;
  for (const double x : influence) {
    const double e = x / largest;
    squares += e * e;
    cubes += e * e * e;
  }
  return cubes / (6.0 * std::pow(squares, 1.5));
}

// Efron (1987): the quantiles Phi( z0 + (z0 + z) / (1 - a (z0 + z)) ), z0 from the share of replicates below the value.
std::optional<Ends> bias_corrected(const std::vector<double>& sorted, const Estimate& estimate, double tail) {
  const auto range = std::equal_range(sorted.begin(), sorted.end(), estimate.value);
  const auto below =
      static_cast<double>(range.first - sorted.begin()) + 0.5 * static_cast<double>(range.second - range.first);
  const double share = below / static_cast<double>(sorted.size());
  if (share <= 0.0 || share >= 1.0) return std::nullopt;  // no replicate on one side: nothing to correct by
  const double z0 = normal_quantile(share), a = acceleration(estimate.influence);
  const auto moved = [&](double z) {
    const double rest = 1.0 - a * (z0 + z);
    return rest <= 0.0 ? (z0 + z > 0.0 ? 1.0 : 0.0) : normal_probability(z0 + (z0 + z) / rest);
  };
  const double z = normal_quantile(tail);
  return Ends{sorted_quantile(sorted, moved(z)), sorted_quantile(sorted, moved(-z))};
}

// The quantiles change sides: a replicate far above the value says how far the value may lie above the truth.
std::optional<Ends> studentized(const Replicates& replicates, const Estimate& estimate, double tail) {
  if (!estimate.std_error || replicates.errors.size() != replicates.values.size()) return std::nullopt;
  std::vector<double> quotients;
  for (std::size_t b = 0; b < replicates.values.size(); ++b) {
    if (replicates.errors[b] > 0.0) quotients.push_back((replicates.values[b] - estimate.value) / replicates.errors[b]);
  }
  if (2 * quotients.size() < replicates.values.size()) return std::nullopt;
  std::sort(quotients.begin(), quotients.end());
  return Ends{estimate.value - sorted_quantile(quotients, 1.0 - tail) * *estimate.std_error,
              estimate.value - sorted_quantile(quotients, tail) * *estimate.std_error};
}

std::optional<Ends> ends_of(const Estimate& estimate, const Replicates& replicates, IntervalMethod method,
                            double tail) {
  if (method == IntervalMethod::bootstrap_studentized) return studentized(replicates, estimate, tail);
  std::vector<double> sorted = replicates.values;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.front() == sorted.back()) return std::nullopt;
  if (method == IntervalMethod::bootstrap_bca) return bias_corrected(sorted, estimate, tail);
  return percentile(sorted, tail);
}

}  // namespace

double sorted_quantile(std::span<const double> sorted, double p) {
  const double place = p * static_cast<double>(sorted.size() + 1) - 1.0;
  if (place <= 0.0) return sorted.front();
  const auto at = static_cast<std::size_t>(place);
  if (at + 1 >= sorted.size()) return sorted.back();
  const double part = place - static_cast<double>(at);
  return sorted[at] + part * (sorted[at + 1] - sorted[at]);
}

std::optional<Interval> bootstrap_interval(const Estimate& estimate, const Replicates& replicates,
                                           IntervalMethod method, Level level) {
  constexpr std::size_t least = 10;
  if (replicates.values.size() < least) return std::nullopt;
  const auto ends = ends_of(estimate, replicates, method, 0.5 * (1.0 - level.probability()));
  if (!ends || !std::isfinite(ends->lower) || !std::isfinite(ends->upper)) return std::nullopt;
  Interval interval{.lower = ends->lower, .upper = ends->upper, .level = level.probability(), .method = name(method)};
  if (estimate.range) {
    interval.lower = std::clamp(interval.lower, estimate.range->lower, estimate.range->upper);
    interval.upper = std::clamp(interval.upper, estimate.range->lower, estimate.range->upper);
  }
  return interval;
}

}  // namespace starope
