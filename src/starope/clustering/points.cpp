#include "starope/clustering/points.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "starope/error.hpp"

namespace starope {
namespace {

struct ColumnSums {
  std::vector<double> sum, lowest, highest;
  double weight = 0.0;
};

ColumnSums sum_columns(const Points& points, std::int64_t first, std::int64_t last) {
  const auto d = static_cast<std::size_t>(points.dimension);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  ColumnSums part{.sum = std::vector<double>(d, 0.0),
                  .lowest = std::vector<double>(d, infinity),
                  .highest = std::vector<double>(d, -infinity)};
  for (std::int64_t i = first; i < last; ++i) {
    const auto row = points.row(i);
    const double weight = points.weight(i);
    part.weight += weight;
    for (std::size_t j = 0; j < d; ++j) {
      part.sum[j] += weight * row[j];
      part.lowest[j] = std::min(part.lowest[j], row[j]);
      part.highest[j] = std::max(part.highest[j], row[j]);
    }
  }
  return part;
}

std::vector<double> sum_squares(const Points& points, const std::vector<double>& mean, std::int64_t first,
                                std::int64_t last) {
  std::vector<double> squares(mean.size(), 0.0);
  for (std::int64_t i = first; i < last; ++i) {
    const auto row = points.row(i);
    const double weight = points.weight(i);
    for (std::size_t j = 0; j < mean.size(); ++j) {
      const double away = row[j] - mean[j];
      squares[j] += weight * (away * away);
    }
  }
  return squares;
}

}  // namespace

void check_points(const Points& points) {
  if (points.dimension < 1 || points.values.empty() ||
      points.values.size() % static_cast<std::size_t>(points.dimension) != 0) {
    throw InvalidArgument(
        fmt::format("points must be one row of numbers each, at least one; got {} numbers of "
                    "dimension {}",
                    points.values.size(), points.dimension));
  }
  if (points.weights.empty()) return;
  if (static_cast<std::int64_t>(points.weights.size()) != points.count()) {
    throw InvalidArgument(fmt::format("{} weights for {} points", points.weights.size(), points.count()));
  }
  for (std::size_t i = 0; i < points.weights.size(); ++i) {
    if (points.weights[i] > 0.0 && std::isfinite(points.weights[i])) continue;
    throw InvalidArgument(
        fmt::format("the weight of point {} is {}; weights must be positive (leave a point out instead "
                    "of weighing it with zero)",
                    i, points.weights[i]));
  }
}

ColumnSummary summarize_columns(const Points& points, Threads threads) {
  const auto d = static_cast<std::size_t>(points.dimension);
  ColumnSums total = sum_columns(points, 0, 0);
  merge_point_blocks(
      points.count(), threads, [&](std::int64_t first, std::int64_t last) { return sum_columns(points, first, last); },
      [&](ColumnSums&& part) {
        total.weight += part.weight;
        for (std::size_t j = 0; j < d; ++j) {
          total.sum[j] += part.sum[j];
          total.lowest[j] = std::min(total.lowest[j], part.lowest[j]);
          total.highest[j] = std::max(total.highest[j], part.highest[j]);
        }
      });
  ColumnSummary summary{.mean = std::move(total.sum),
                        .variance = std::vector<double>(d, 0.0),
                        .lowest = std::move(total.lowest),
                        .highest = std::move(total.highest)};
  for (double& x : summary.mean) x /= total.weight;
  merge_point_blocks(
      points.count(), threads,
      [&](std::int64_t first, std::int64_t last) { return sum_squares(points, summary.mean, first, last); },
      [&](std::vector<double>&& part) {
        for (std::size_t j = 0; j < d; ++j) summary.variance[j] += part[j];
      });
  for (double& x : summary.variance) x /= total.weight;
  return summary;
}

}  // namespace starope
