#include "starope/inference/simultaneous.hpp"

#include <algorithm>
#include <cmath>

#include "starope/base/assert.hpp"
#include "starope/rng/random.hpp"
#include "starope/stats/moments.hpp"
#include "starope/stats/quantile.hpp"

namespace starope {
namespace {

constexpr double rounding = 1e-12;  // relative

// A triangular root of a matrix that may be singular: directions without variance left are zero.
std::vector<double> triangular_root(std::span<const double> matrix, std::size_t n) {
  std::vector<double> root(n * n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    double left = matrix[j * n + j];
    for (std::size_t k = 0; k < j; ++k) left -= root[j * n + k] * root[j * n + k];
    if (left <= rounding * matrix[j * n + j]) continue;
    const double pivot = std::sqrt(left);
    root[j * n + j] = pivot;
    for (std::size_t i = j + 1; i < n; ++i) {
      double rest = matrix[i * n + j];
      for (std::size_t k = 0; k < j; ++k) rest -= root[i * n + k] * root[j * n + k];
      root[i * n + j] = rest / pivot;
    }
  }
  return root;
}

// One draw per item: normal variables with the covariance whose root is given.
std::vector<double> draw(std::span<const double> root, std::size_t n, Random& random) {
  std::vector<double> independent(n), result(n, 0.0);
  for (double& x : independent) x = random.normal();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k <= i; ++k) result[i] += root[i * n + k] * independent[k];
  }
  return result;
}

// Chi-square over its degrees of freedom, by Marsaglia and Tsang's transformation of a normal variable.
double scaled_chi_square(double freedom, Random& random) {
  const double shape = 0.5 * freedom;
  const double d = shape - 1.0 / 3.0, c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double x = random.normal();
    const double v = (1.0 + c * x) * (1.0 + c * x) * (1.0 + c * x);
    if (v <= 0.0) continue;
    if (std::log(std::max(random.uniform(), 1e-300)) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v / shape;
  }
}

// The level of a single interval that reaches as far as the quantile of largest(draw).
template <class Largest>
double level_of_largest(std::span<const double> covariance, std::size_t count, Level level,
                        const SimultaneousOptions& options, const Largest& largest) {
  const std::vector<double> root = triangular_root(covariance, count);
  std::vector<double> drawn;
  drawn.reserve(options.draws);
  for (int b = 0; b < options.draws; ++b) {
    Random random(options.seed, Stream::simultaneous, static_cast<std::uint64_t>(b));
    drawn.push_back(largest(draw(root, count, random)));
  }
  const auto place = static_cast<std::ptrdiff_t>(level.probability() * static_cast<double>(drawn.size() - 1));
  std::nth_element(drawn.begin(), drawn.begin() + place, drawn.end());
  // Never below the level itself: one interval alone needs no more.
  return std::max(level.probability(), std::erf(drawn[place] / M_SQRT2));
}

}  // namespace

JointEstimates join_estimates(std::span<const Estimate> estimates) {
  JointEstimates joint;
  const std::size_t count = estimates.size();
  joint.covariance.assign(count * count, 0.0);
  for (const Estimate& estimate : estimates) {
    STAROPE_ASSERT(estimate.std_error && estimate.influence.size() == estimates[0].influence.size());
    joint.values.push_back(estimate.value);
    joint.influence.push_back(estimate.influence);
    const double mean = moments(estimate.influence).mean();
    for (double& e : joint.influence.back()) e -= mean;
  }
  const auto n = static_cast<double>(estimates.empty() ? 0 : estimates[0].influence.size());
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0.0;
      for (std::size_t e = 0; e < joint.influence[i].size(); ++e) sum += joint.influence[i][e] * joint.influence[j][e];
      joint.covariance[i * count + j] = joint.covariance[j * count + i] = sum / (n - 1.0) / n;
    }
    const double error = *estimates[i].std_error;
    joint.covariance[i * count + i] = std::max(joint.covariance[i * count + i], error * error);
  }
  return joint;
}

double single_level(std::span<const double> covariance, std::size_t count, Level level,
                    const SimultaneousOptions& options) {
  return level_of_largest(covariance, count, level, options, [&](const std::vector<double>& z) {
    double most = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      const double variance = covariance[i * count + i];
      if (variance > 0.0) most = std::max(most, std::abs(z[i]) / std::sqrt(variance));
    }
    return most;
  });
}

double single_level(const JointEstimates& joint, const PairedContrasts& contrasts, Level level,
                    const SimultaneousOptions& options) {
  return level_of_largest(joint.covariance, joint.size(), level, options, [&](const std::vector<double>& z) {
    double most = 0.0;
    for (const auto& [first, second, variance] : contrasts.pairs) {
      // What is left of equal estimates is rounding.
      if (variance > rounding * (joint.variance(first) + joint.variance(second)))
        most = std::max(most, std::abs(z[first] - z[second]) / std::sqrt(variance));
    }
    return most;
  });
}

std::vector<double> probability_of_best(const JointEstimates& joint, double freedom,
                                        const SimultaneousOptions& options) {
  const std::size_t count = joint.size();
  std::vector<double> wins(count, 0.0);
  if (count == 0) return wins;  // there is no best of nobody
  const std::vector<double> root = triangular_root(joint.covariance, count);
  for (int b = 0; b < options.draws; ++b) {
    Random random(options.seed, Stream::ranking, static_cast<std::uint64_t>(b));
    const std::vector<double> z = draw(root, count, random);
    const double scale = 1.0 / std::sqrt(scaled_chi_square(freedom, random));
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = joint.values[i] + scale * z[i];
    const double best = *std::max_element(values.begin(), values.end());
    // Policies that are the same share the draw.
    const auto wins_too = [&](double x) { return best - x <= rounding * std::abs(best); };
    const auto equal = static_cast<double>(std::count_if(values.begin(), values.end(), wins_too));
    for (std::size_t i = 0; i < count; ++i)
      if (wins_too(values[i])) wins[i] += 1.0 / equal;
  }
  for (double& share : wins) share /= static_cast<double>(options.draws);
  return wins;
}

PairedContrasts all_pairs(const JointEstimates& joint) {
  PairedContrasts contrasts;
  const std::size_t count = joint.size();
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) {
      const double variance = joint.variance(i) + joint.variance(j) - 2.0 * joint.covariance[i * count + j];
      contrasts.pairs.push_back({.first = i, .second = j, .variance = std::max(0.0, variance)});
    }
  }
  return contrasts;
}

}  // namespace starope
