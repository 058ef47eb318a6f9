#include "starope/abstraction/assignment.hpp"

#include <algorithm>

#include "starope/abstraction/nearest.hpp"
#include "starope/abstraction/nearest_bits.hpp"
#include "starope/base/assert.hpp"

namespace starope {
namespace {

// D: the dimension, where the compiler shall know it; 0 where it need not.
template <std::size_t D>
void add_points(const Points& points, std::int64_t first, std::span<const Label> labels, const double* centroids,
                ClusterSums& sums) {
  const std::size_t d = D == 0 ? static_cast<std::size_t>(points.dimension) : D;
  const double* row = points.values.data() + static_cast<std::size_t>(first) * d;
  const double* weights = points.weights.empty() ? nullptr : points.weights.data() + first;
  double inertia = 0.0;
  for (std::size_t i = 0; i < labels.size(); ++i, row += d) {
    const std::size_t k = labels[i];
    const double* centroid = centroids + k * d;
    double* sum = sums.sum.data() + k * d;
    const double weight = weights == nullptr ? 1.0 : weights[i];
    double distance = 0.0;
    for (std::size_t j = 0; j < d; ++j) {
      const double away = row[j] - centroid[j];
      distance += away * away;
      sum[j] += weight * row[j];
    }
    sums.weight[k] += weight;
    inertia += weight * distance;
  }
  sums.inertia += inertia;
}

void add_block(const Points& points, std::int64_t first, std::span<const Label> labels, const double* centroids,
               ClusterSums& sums) {
  switch (points.dimension) {
    case 1:
      return add_points<1>(points, first, labels, centroids, sums);
    case 2:
      return add_points<2>(points, first, labels, centroids, sums);
    case 3:
      return add_points<3>(points, first, labels, centroids, sums);
    case 4:
      return add_points<4>(points, first, labels, centroids, sums);
    default:
      return add_points<0>(points, first, labels, centroids, sums);
  }
}

// The sums of bits are whole numbers, so they are exact.
void add_bits(const BitPoints& points, std::span<const Label> labels, std::span<const double> centroids,
              std::span<const double> squared_norms, ClusterSums& sums) {
  const auto d = static_cast<std::size_t>(points.dimension);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::size_t k = labels[i];
    const double* centroid = centroids.data() + k * d;
    double* sum = sums.sum.data() + k * d;
    // |x - c|^2 = |c|^2 + sum over set bits of (1 - 2 c_j)
    double distance = squared_norms[k];
    for_each_set_bit(points.row(static_cast<std::int64_t>(i)), [&](std::size_t j) {
      distance += 1.0 - 2.0 * centroid[j];
      sum[j] += 1.0;
    });
    sums.weight[k] += 1.0;
    sums.inertia += std::max(0.0, distance);
  }
}

}  // namespace

ClusterSums::ClusterSums(std::int64_t clusters, std::int64_t dimension)
    : weight(static_cast<std::size_t>(clusters), 0.0), sum(static_cast<std::size_t>(clusters * dimension), 0.0) {}

ClusterSums& ClusterSums::operator+=(const ClusterSums& other) noexcept {
  STAROPE_ASSERT(weight.size() == other.weight.size() && sum.size() == other.sum.size());
  for (std::size_t k = 0; k < weight.size(); ++k) weight[k] += other.weight[k];
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += other.sum[i];
  inertia += other.inertia;
  return *this;
}

ClusterSums assign_points(const Points& points, std::span<const double> centroids, std::span<Label> labels,
                          Threads threads) {
  STAROPE_ASSERT(static_cast<std::int64_t>(labels.size()) == points.count());
  const NearestCentroid nearest(centroids, points.dimension);
  ClusterSums total(nearest.clusters(), points.dimension);
  merge_point_blocks(
      points.count(), threads,
      [&](std::int64_t first, std::int64_t last) {
        const auto mine = labels.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
        nearest.label(points.rows(first, last), mine);
        ClusterSums part(nearest.clusters(), points.dimension);
        add_block(points, first, mine, centroids.data(), part);
        return part;
      },
      [&](ClusterSums&& part) { total += part; });
  return total;
}

ClusterSums assign_points(const BitPoints& points, std::span<const double> centroids, std::span<Label> labels,
                          Threads threads) {
  STAROPE_ASSERT(static_cast<std::int64_t>(labels.size()) == points.count());
  const NearestBits nearest(centroids, points.dimension);
  const auto d = static_cast<std::size_t>(points.dimension);
  std::vector<double> squared_norms(static_cast<std::size_t>(nearest.clusters()), 0.0);
  for (std::size_t i = 0; i < centroids.size(); ++i) squared_norms[i / d] += centroids[i] * centroids[i];
  ClusterSums total(nearest.clusters(), points.dimension);
  merge_point_blocks(
      points.count(), threads,
      [&](std::int64_t first, std::int64_t last) {
        const auto mine = labels.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
        nearest.label(points.rows(first, last), mine);
        ClusterSums part(nearest.clusters(), points.dimension);
        add_bits(points.rows(first, last), mine, centroids, squared_norms, part);
        return part;
      },
      [&](ClusterSums&& part) { total += part; });
  return total;
}

}  // namespace starope
