#include "starope/clustering/empty_clusters.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace starope {
namespace {

template <class T>
bool same(std::span<const T> a, std::span<const T> b) {
  return std::equal(a.begin(), a.end(), b.begin());
}

// Calls body(j, x_j) for every feature that is not 0.
template <class Body>
void for_each_feature(std::span<const double> row, const Body& body) {
  for (std::size_t j = 0; j < row.size(); ++j) body(j, row[j]);
}
template <class Body>
void for_each_feature(std::span<const std::uint64_t> row, const Body& body) {
  for_each_set_bit(row, [&](std::size_t j) { body(j, 1.0); });
}

// Squared distances of points from the means of clusters.
class Means {
 public:
  explicit Means(const ClusterSums& sums) : means_(sums.sum), squared_norms_(sums.weight.size(), 0.0) {
    dimension_ = means_.size() / squared_norms_.size();
    for (std::size_t i = 0; i < means_.size(); ++i) {
      means_[i] /= sums.weight[i / dimension_];
      squared_norms_[i / dimension_] += means_[i] * means_[i];
    }
  }
  double distance(std::span<const double> row, std::size_t k) const {
    double distance = 0.0;
    for (std::size_t j = 0; j < dimension_; ++j) {
      const double away = row[j] - means_[k * dimension_ + j];
      distance += away * away;
    }
    return distance;
  }
  double distance(std::span<const std::uint64_t> row, std::size_t k) const {
    double distance = squared_norms_[k];
    for_each_set_bit(row, [&](std::size_t j) { distance += 1.0 - 2.0 * means_[k * dimension_ + j]; });
    return std::max(0.0, distance);
  }

 private:
  std::vector<double> means_;  // of empty clusters: not a number, and never asked for
  std::vector<double> squared_norms_;
  std::size_t dimension_;
};

struct Giver {
  std::optional<std::int64_t> first_point{};
  bool mixed = false;         // holds at least two distinct points
  std::int64_t farthest = 0;  // point
  double distance = -1.0;     // squared, of `farthest` from the cluster's mean
};

// A pass over all points for every empty cluster: k-means++ and distinct starting points leave hardly any empty.
template <class SomePoints>
std::optional<std::int64_t> farthest_point(const SomePoints& points, std::span<const Label> labels,
                                           const ClusterSums& sums) {
  const Means means(sums);
  std::vector<Giver> givers(sums.weight.size());
  for (std::int64_t i = 0; i < points.count(); ++i) {
    const std::size_t k = labels[i];
    const auto row = points.row(i);
    Giver& giver = givers[k];
    if (!giver.first_point) giver.first_point = i;
    giver.mixed = giver.mixed || !same(row, points.row(*giver.first_point));
    const double distance = means.distance(row, k);
    if (distance > giver.distance) {
      giver.distance = distance;
      giver.farthest = i;
    }
  }
  const Giver* best = nullptr;
  for (const Giver& giver : givers) {
    if (!giver.mixed) continue;
    const bool better = best == nullptr || giver.distance > best->distance ||
                        (giver.distance == best->distance && giver.farthest < best->farthest);
    if (better) best = &giver;
  }
  if (best == nullptr) return std::nullopt;
  return best->farthest;
}

template <class SomePoints>
void move_point(const SomePoints& points, std::int64_t chosen, Label to, std::span<Label> labels, ClusterSums& sums) {
  const auto d = static_cast<std::size_t>(points.dimension);
  const Label from = labels[chosen];
  for (std::int64_t i = chosen; i < points.count(); ++i) {  // the chosen one is the first of its duplicates
    const auto row = points.row(i);
    if (labels[i] != from || !same(row, points.row(chosen))) continue;
    labels[i] = to;
    const double weight = points.weight(i);
    sums.weight[from] -= weight;
    sums.weight[to] += weight;
    for_each_feature(row, [&](std::size_t j, double x) {
      sums.sum[from * d + j] -= weight * x;
      sums.sum[to * d + j] += weight * x;
    });
  }
}

template <class SomePoints>
std::int64_t fill(const SomePoints& points, std::span<Label> labels, ClusterSums& sums) {
  std::int64_t filled = 0;
  for (std::size_t k = 0; k < sums.weight.size(); ++k) {
    if (sums.weight[k] > 0.0) continue;
    const auto chosen = farthest_point(points, labels, sums);
    if (!chosen) break;
    move_point(points, *chosen, static_cast<Label>(k), labels, sums);
    ++filled;
  }
  return filled;
}

}  // namespace

std::int64_t fill_empty_clusters(const Points& points, std::span<Label> labels, ClusterSums& sums) {
  return fill(points, labels, sums);
}

std::int64_t fill_empty_clusters(const BitPoints& points, std::span<Label> labels, ClusterSums& sums) {
  return fill(points, labels, sums);
}

}  // namespace starope
