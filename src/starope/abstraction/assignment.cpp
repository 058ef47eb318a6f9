#include "starope/abstraction/assignment.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

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

// Labels those rows of a block that may have another nearest centroid now.
class Relabelling {
 public:
  Relabelling(const NearestCentroid& nearest, std::span<const float> drops, float least)
      : nearest_(nearest), drops_(drops), least_(least) {}

  void operator()(std::span<const double> rows, std::span<Label> labels, std::span<float> leads) const {
    std::vector<Label> open(labels.size());
    std::size_t count = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      leads[i] -= drops_[labels[i]];
      open[count] = static_cast<Label>(i);
      count += leads[i] > least_ ? 0U : 1U;
    }
    nearest_.label_some(std::span(open).first(count), rows, labels, leads);
  }

 private:
  const NearestCentroid& nearest_;
  std::span<const float> drops_;
  float least_;
};

double distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return std::sqrt(sum);
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

// How much of its lead a point of each cluster may have lost: its own centroid went away by so much, and of the others
// the one that moved most came nearer. A little more for the rounding of all of this.
std::vector<float> RepeatedAssignment::drops(std::span<const double> centroids) const {
  const auto d = static_cast<std::size_t>(points_.dimension);
  std::vector<double> moved;
  for (std::size_t at = 0; at < centroids.size(); at += d) {
    moved.push_back(distance(centroids.subspan(at, d), std::span(centroids_).subspan(at, d)));
  }
  const auto most = std::max_element(moved.begin(), moved.end());
  double most_of_others = 0.0;
  for (auto m = moved.begin(); m != moved.end(); ++m)
    most_of_others = m == most ? most_of_others : std::max(most_of_others, *m);
  std::vector<float> result;
  for (auto m = moved.begin(); m != moved.end(); ++m) {
    result.push_back(static_cast<float>(1.00001 * (*m + (m == most ? most_of_others : *most))));
  }
  return result;
}

ClusterSums RepeatedAssignment::assign(std::span<const double> centroids, std::span<Label> labels, Threads threads) {
  STAROPE_ASSERT(static_cast<std::int64_t>(labels.size()) == points_.count());
  const NearestCentroid nearest(centroids, points_.dimension);
  const bool first_round = leads_.empty() || centroids_.size() != centroids.size();
  if (first_round) {
    leads_.assign(labels.size(), 0.0F);
    centroids_.assign(centroids.begin(), centroids.end());
    std::fill(labels.begin(), labels.end(), Label{0});
  }
  // A lead that is no more than rounding is none.
  double size = 0.0;
  for (const double x : centroids) size = std::max(size, std::abs(x));
  const auto d = static_cast<std::size_t>(points_.dimension);
  const std::vector<float> lost = drops(centroids);
  const Relabelling relabel(nearest, lost, static_cast<float>(1e-6 * static_cast<double>(d) * size));
  ClusterSums total(nearest.clusters(), points_.dimension);
  merge_point_blocks(
      points_.count(), threads,
      [&](std::int64_t first, std::int64_t last) {
        const auto from = static_cast<std::size_t>(first), count = static_cast<std::size_t>(last - first);
        const auto mine = labels.subspan(from, count);
        relabel(points_.rows(first, last), mine, std::span(leads_).subspan(from, count));
        ClusterSums part(nearest.clusters(), points_.dimension);
        add_block(points_, first, mine, centroids.data(), part);
        return part;
      },
      [&](ClusterSums&& part) { total += part; });
  centroids_.assign(centroids.begin(), centroids.end());
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
