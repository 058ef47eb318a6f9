#include "starope/clustering/lloyd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "starope/clustering/assignment.hpp"
#include "starope/clustering/empty_clusters.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

template <class SomePoints>
void check(const SomePoints& points, const std::vector<double>& centroids, const LloydOptions& options) {
  check_points(points);
  if (centroids.empty() || centroids.size() % static_cast<std::size_t>(points.dimension) != 0) {
    throw InvalidArgument(
        fmt::format("{} numbers are no centroids of dimension {}", centroids.size(), points.dimension));
  }
  if (!std::all_of(centroids.begin(), centroids.end(), [](double x) { return std::isfinite(x); })) {
    throw InvalidArgument("the initial centroids must be finite numbers");
  }
  if (options.max_iterations < 1) {
    throw InvalidArgument(fmt::format("k-means needs at least 1 iteration, not {}", options.max_iterations));
  }
  if (!(options.tolerance >= 0.0)) {
    throw InvalidArgument(fmt::format("the tolerance of k-means must be 0 or larger, not {}", options.tolerance));
  }
}

double spread_of(const Points& points, Threads threads) {
  const ColumnSummary summary = summarize_columns(points, threads);
  double variance = 0.0;
  for (const double x : summary.variance) variance += x;
  return std::sqrt(variance);
}

// A feature that is 1 in a share p of the points has the variance p (1 - p).
double spread_of(const BitPoints& points, Threads threads) {
  std::vector<std::int64_t> ones(points.dimension, 0);
  merge_point_blocks(
      points.count(), threads,
      [&](std::int64_t first, std::int64_t last) {
        std::vector<std::int64_t> part(ones.size(), 0);
        for (std::int64_t i = first; i < last; ++i) for_each_set_bit(points.row(i), [&](std::size_t j) { ++part[j]; });
        return part;
      },
      [&](std::vector<std::int64_t>&& part) {
        for (std::size_t j = 0; j < ones.size(); ++j) ones[j] += part[j];
      });
  double variance = 0.0;
  for (const std::int64_t count : ones) {
    const double share = static_cast<double>(count) / static_cast<double>(points.count());
    variance += share * (1.0 - share);
  }
  return std::sqrt(variance);
}

// Returns how far the centroid moved that moved most.
double move_centroids(const ClusterSums& sums, std::vector<double>& centroids) {
  const std::size_t d = centroids.size() / sums.weight.size();
  double most = 0.0;
  for (std::size_t k = 0; k < sums.weight.size(); ++k) {
    if (!(sums.weight[k] > 0.0)) continue;  // keeps its place
    double moved = 0.0;
    for (std::size_t j = k * d; j < (k + 1) * d; ++j) {
      const double mean = sums.sum[j] / sums.weight[k];
      moved += (mean - centroids[j]) * (mean - centroids[j]);
      centroids[j] = mean;
    }
    most = std::max(most, moved);
  }
  return std::sqrt(most);
}

template <class Rounds, class SomePoints>
LloydFit run(const SomePoints& points, std::vector<double> initial_centroids, const LloydOptions& options) {
  check(points, initial_centroids, options);
  const double limit = options.tolerance > 0.0 ? options.tolerance * spread_of(points, options.threads) : 0.0;
  LloydFit fit{.centroids = std::move(initial_centroids)};
  std::vector<Label> labels(points.count());
  Rounds rounds(points, options.inertia);
  while (fit.iterations < options.max_iterations && !fit.converged) {
    ClusterSums sums = rounds.assign(fit.centroids, labels, options.threads);
    if (options.inertia) fit.inertia.push_back(sums.inertia);
    if (options.empty == EmptyClusters::repair && fill_empty_clusters(points, labels, sums) > 0) rounds.changed();
    fit.converged = move_centroids(sums, fit.centroids) <= limit;
    ++fit.iterations;
  }
  return fit;
}

}  // namespace

LloydFit lloyd(const Points& points, std::vector<double> initial_centroids, const LloydOptions& options) {
  return run<RepeatedAssignment>(points, std::move(initial_centroids), options);
}

LloydFit lloyd(const BitPoints& points, std::vector<double> initial_centroids, const LloydOptions& options) {
  return run<RepeatedBitAssignment>(points, std::move(initial_centroids), options);
}

}  // namespace starope
