#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "starope/abstraction/bit_points.hpp"
#include "starope/abstraction/labels.hpp"
#include "starope/abstraction/points.hpp"
#include "starope/base/types.hpp"

namespace starope {

// What one round of Lloyd's algorithm needs to know about the clusters: sums over points, so parts add up.
struct ClusterSums {
  ClusterSums(std::int64_t clusters, std::int64_t dimension);

  std::vector<double> weight;  // per cluster
  std::vector<double> sum;     // clusters x dimension: of weight * point
  double inertia = 0.0;        // of weight * squared distance from the centroid

  ClusterSums& operator+=(const ClusterSums& other) noexcept;
  std::int64_t clusters() const noexcept { return static_cast<std::int64_t>(weight.size()); }
};

// Gives every point the label of its nearest centroid (the first on ties) and adds up the clusters.
ClusterSums assign_points(const Points& points, std::span<const double> centroids, std::span<Label> labels,
                          Threads threads);
ClusterSums assign_points(const BitPoints& points, std::span<const double> centroids, std::span<Label> labels,
                          Threads threads);

// The same again and again, with centroids that move less and less: what the last round has seen tells for most points
// that their label must stay (Hamerly 2010). The same bits as assign_points.
class RepeatedAssignment {
 public:
  explicit RepeatedAssignment(const Points& points) : points_(points) {}

  // The labels must be those of the last call, or changed() must have been called.
  ClusterSums assign(std::span<const double> centroids, std::span<Label> labels, Threads threads);
  void changed() { leads_.clear(); }

 private:
  std::vector<float> drops(std::span<const double> centroids) const;

  Points points_;
  std::vector<double> centroids_{};  // of the last round
  std::vector<float> leads_{};       // of every point, less what the centroids have moved since it was looked at
};

}  // namespace starope
