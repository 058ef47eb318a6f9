#include "starope/inference/step_function.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace starope {

std::vector<double> StepFunction::cdf() const {
  std::vector<double> sums(mass.size());
  std::partial_sum(mass.begin(), mass.end(), sums.begin());
  for (double& sum : sums) sum = std::min(sum, 1.0);
  if (!sums.empty()) sums.back() = 1.0;
  return sums;
}

double StepFunction::mean() const {
  return std::inner_product(points.begin(), points.end(), mass.begin(), 0.0);
}

double StepFunction::quantile(double p) const {
  constexpr double rounding = 1e-12;
  double sum = 0.0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    sum += mass[i];
    if (sum >= p - rounding) return points[i];
  }
  return points.back();
}

double StepFunction::tail_mean(double share) const {
  double left = share, sum = 0.0;
  for (std::size_t i = 0; i < points.size() && left > 0.0; ++i) {
    const double part = std::min(mass[i], left);
    sum += part * points[i];
    left -= part;
  }
  return (sum + std::max(0.0, left) * points.back()) / share;
}

double StepFunction::below(double x) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < points.size() && points[i] < x; ++i) sum += mass[i];
  return std::clamp(sum, 0.0, 1.0);
}

StepFunction weighted_distribution(std::span<const double> values, std::span<const double> weights) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  StepFunction result;
  for (const std::size_t i : order) {
    if (result.points.empty() || values[i] != result.points.back()) {
      result.points.push_back(values[i]);
      result.mass.push_back(0.0);
    }
    result.mass.back() += weights[i] / total;
  }
  return result;
}

// Neighbors that decrease are replaced by their mean, until none does.
std::vector<double> monotone(std::vector<double> cdf) {
  struct Pool {
    double sum = 0.0;
    std::size_t count = 0;
    double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Pool> pools;
  for (const double value : cdf) {
    pools.push_back({value, 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
      const Pool last = pools.back();
      pools.pop_back();
      pools.back().sum += last.sum;
      pools.back().count += last.count;
    }
  }
  std::size_t at = 0;
  for (const Pool& pool : pools) {
    for (std::size_t k = 0; k < pool.count; ++k) cdf[at++] = std::clamp(pool.mean(), 0.0, 1.0);
  }
  if (!cdf.empty()) cdf.back() = 1.0;
  return cdf;
}

std::vector<double> risk_numbers(const StepFunction& distribution, const RiskQuestion& question) {
  std::vector<double> numbers;
  for (const double p : question.quantiles) numbers.push_back(distribution.quantile(p));
  for (const double share : question.cvar) numbers.push_back(distribution.tail_mean(share));
  for (const double x : question.below) numbers.push_back(distribution.below(x));
  return numbers;
}

}  // namespace starope
