#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "starope/clustering/bit_points.hpp"
#include "starope/clustering/nearest.hpp"
#include "starope/clustering/points.hpp"
#include "starope/types.hpp"

namespace starope {

// What one round of Lloyd's algorithm needs to know about the clusters: sums over points, so parts add up.
struct ClusterSums {
  ClusterSums(std::int64_t clusters, std::int64_t dimension);

  std::vector<double> weight;  // per cluster
  std::vector<double> sum;     // clusters x dimension: of weight * point
  double inertia = 0.0;        // of weight * squared distance from the centroid; 0 where it is not wanted

  ClusterSums& operator+=(const ClusterSums& other) noexcept;
  std::int64_t clusters() const noexcept { return static_cast<std::int64_t>(weight.size()); }
};

// Gives every point the label of its nearest centroid (the first on ties) and adds up the clusters.
ClusterSums assign_points(const Points& points, std::span<const double> centroids, std::span<Label> labels,
                          Threads threads);
ClusterSums assign_points(const BitPoints& points, std::span<const double> centroids, std::span<Label> labels,
                          Threads threads);

// How far the centroids may move until the label of a point may be another (Hamerly 2010): a point that is nearer to
// its centroid than to any other by some lead keeps its label until its own centroid and that of the others which moves
// most have moved by more than that. What they have moved is added up per cluster; a point has the sum at which its
// lead is used up.
class LabelLeads {
 public:
  bool known() const noexcept { return !used_up_.empty(); }
  void forget() { used_up_.clear(); }
  void start(std::size_t points, std::size_t clusters);  // nothing is known of any point
  void move(std::span<const double> before, std::span<const double> after, std::size_t dimension);

  // Which of the points from `first` on may have another label now, counted from there; `rounding`: a lead that is no
  // larger is none.
  std::vector<Label> open(std::size_t first, std::span<const Label> labels, double rounding) const;
  // What is known of them now: a lead for every one of `which`, by labels of the points from `first` on.
  template <class Lead>
  void set(std::size_t first, std::span<const Label> which, std::span<const Label> labels,
           std::span<const Lead> leads) {
    for (std::size_t n = 0; n < which.size(); ++n) {
      const Label i = which[n];
      used_up_[first + i] = moved_[labels[i]] + static_cast<double>(leads[n]);
    }
  }

 private:
  std::vector<double> moved_{};    // per cluster
  std::vector<double> used_up_{};  // per point
  int rounds_ = 0;
};

// The same again and again, with centroids that move less and less: what the last round has seen tells for most points
// that their label must stay, and for most clusters of most blocks that their sum must. The same bits as assign_points.
class RepeatedAssignment {
 public:
  explicit RepeatedAssignment(const Points& points, bool inertia = true) : points_(points), inertia_(inertia) {}

  // The labels must be those of the last call, or changed() must have been called.
  ClusterSums assign(std::span<const double> centroids, std::span<Label> labels, Threads threads);
  void changed() { leads_.forget(); }

 private:
  // Labels the points of a block that may have another one now, and returns the old labels of all of them.
  struct Relabeled {
    std::vector<Label> which, old;
  };
  Relabeled relabel(const NearestCentroid& nearest, std::int64_t first, std::span<Label> labels, double rounding);

  Points points_;
  bool inertia_;
  std::vector<double> centroids_{};  // of the last round
  LabelLeads leads_{};
  std::vector<ClusterSums> blocks_{};  // of the last round; empty where they would be too large
};

// The same for bits. Their sums are whole numbers, so they follow the points that change their cluster, exactly.
class RepeatedBitAssignment {
 public:
  explicit RepeatedBitAssignment(const BitPoints& points, bool inertia = true)
      : points_(points), inertia_(inertia), sums_(0, 0) {}

  ClusterSums assign(std::span<const double> centroids, std::span<Label> labels, Threads threads);
  void changed() { leads_.forget(); }

 private:
  BitPoints points_;
  bool inertia_;
  std::vector<double> centroids_{};  // of the last round
  LabelLeads leads_{};
  ClusterSums sums_;
};

}  // namespace starope
