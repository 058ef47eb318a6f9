#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "starope/clustering/bit_points.hpp"
#include "starope/types.hpp"

namespace starope {

// Which of the given centroids is nearest to a row of bits? The same answer as NearestCentroid gives for the bits
// written out as numbers, ties included, in time proportional to the set bits.
class NearestBits {
 public:
  // clusters x dimension finite numbers; at least one cluster and one dimension, or InvalidArgument.
  NearestBits(std::span<const double> centroids, std::int64_t dimension);

  std::int64_t dimension() const noexcept { return dimension_; }
  std::int64_t clusters() const noexcept { return static_cast<std::int64_t>(centroids_.size()) / dimension_; }

  // labels[i] = the nearest centroid of point i; labels.size() = points.count().
  void label(const BitPoints& points, std::span<Label> labels) const;

  // The same for some of the points only, given by their numbers. Besides, how much nearer the nearest centroid is than
  // any other: |x - second| - |x - nearest| is at least leads[n] for point which[n] (0 where that is not known).
  void label_some(std::span<const Label> which, const BitPoints& points, std::span<Label> labels,
                  std::span<double> leads) const;

 private:
  void look(const Label* which, std::size_t count, const BitPoints& points, Label* labels, double* leads) const;

  std::int64_t dimension_;
  std::vector<double> centroids_;
  // The quick look in single precision (nearest_bits.cpp); empty where it might overflow.
  std::size_t width_ = 0;          // clusters, filled up to whole groups of vectors
  std::vector<float> by_feature_;  // dimension x width: coordinate j of all centroids
  std::vector<float> half_norms_;  // width: |centroid|^2 / 2
  double largest_norm_ = 0.0;      // of |centroid|^2
  bool exact_ = false;             // the quick look makes no rounding errors
};

// The label of every point, on several threads.
std::vector<Label> nearest_labels(const BitPoints& points, const NearestBits& nearest,
                                  Threads threads = Threads::all());

}  // namespace starope
