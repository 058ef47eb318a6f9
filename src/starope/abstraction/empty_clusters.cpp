#include "starope/abstraction/empty_clusters.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace starope {
namespace {

bool same(std::span<const double> a, std::span<const double> b) {
  return std::equal(a.begin(), a.end(), b.begin());
}

struct Giver {
  std::optional<std::int64_t> first_point{};
  bool mixed = false;         // holds at least two distinct points
  std::int64_t farthest = 0;  // point
  double distance = -1.0;     // squared, of `farthest` from the cluster's mean
};

// A pass over all points for every empty cluster: k-means++ and distinct starting points leave hardly any empty.
std::optional<std::int64_t> farthest_point(const Points& points, std::span<const Label> labels,
                                           const ClusterSums& sums) {
  const auto d = static_cast<std::size_t>(points.dimension);
  std::vector<Giver> givers(sums.weight.size());
  for (std::int64_t i = 0; i < points.count(); ++i) {
    const std::size_t k = labels[static_cast<std::size_t>(i)];
    const auto row = points.row(i);
    Giver& giver = givers[k];
    if (!giver.first_point) giver.first_point = i;
    giver.mixed = giver.mixed || !same(row, points.row(*giver.first_point));
    double distance = 0.0;
    for (std::size_t j = 0; j < d; ++j) {
      const double away = row[j] - sums.sum[k * d + j] / sums.weight[k];
      distance += away * away;
    }
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

void move_point(const Points& points, std::int64_t chosen, Label to, std::span<Label> labels, ClusterSums& sums) {
  const auto d = static_cast<std::size_t>(points.dimension);
  const Label from = labels[static_cast<std::size_t>(chosen)];
  for (std::int64_t i = chosen; i < points.count(); ++i) {  // the chosen one is the first of its duplicates
    const auto row = points.row(i);
    if (labels[static_cast<std::size_t>(i)] != from || !same(row, points.row(chosen))) continue;
    labels[static_cast<std::size_t>(i)] = to;
    const double weight = points.weight(i);
    sums.weight[from] -= weight;
    sums.weight[to] += weight;
    for (std::size_t j = 0; j < d; ++j) {
      sums.sum[from * d + j] -= weight * row[j];
      sums.sum[to * d + j] += weight * row[j];
    }
  }
}

}  // namespace

std::int64_t fill_empty_clusters(const Points& points, std::span<Label> labels, ClusterSums& sums) {
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

}  // namespace starope
