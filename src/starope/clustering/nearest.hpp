#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "starope/clustering/points.hpp"
#include "starope/types.hpp"

namespace starope {

// Which of the given centroids is nearest? Exactly what the plain loop in double precision answers,
//
//   distance(k) = sum over j = 0 .. dimension-1, in this order, of (x[j] - centroid[k][j])^2,   the first k on ties,
//
// on every machine and for any width of its vectors; only faster.
class NearestCentroid {
 public:
  // clusters x dimension finite numbers; at least one cluster and one dimension, or InvalidArgument.
  NearestCentroid(std::span<const double> centroids, std::int64_t dimension);

  std::int64_t dimension() const noexcept { return dimension_; }
  std::int64_t clusters() const noexcept { return static_cast<std::int64_t>(centroids_.size()) / dimension_; }

  // labels[i] = the nearest centroid of row i; rows.size() = labels.size() * dimension, at most 2^32 - 1 rows.
  void label(std::span<const double> rows, std::span<Label> labels) const;

  // The same for some of the rows only, given by their numbers. Besides, how much nearer the nearest centroid is than
  // any other: |x - second| - |x - nearest| is at least leads[n] for row which[n] (0 where that is not known). As long
  // as the centroids have moved by less than that in all, the label stays right.
  void label_some(std::span<const Label> which, std::span<const double> rows, std::span<Label> labels,
                  std::span<float> leads) const;

 private:
  void look(const Label* which, std::size_t count, const double* rows, Label* labels, float* leads) const;

  std::int64_t dimension_;
  std::vector<double> centroids_;
  // The quick look in single precision (nearest.cpp); empty where it would not pay.
  std::vector<double> center_;
  std::vector<float> quick_;       // centroids - center, in groups of four: [group][dimension][4]
  std::vector<float> half_norms_;  // |centroid - center|^2 / 2
  float sure_slope_ = 0.0F;        // the quick look is right if the runner-up is behind by more than
  float sure_base_ = 0.0F;         // sure_slope |x - center|^2 + sure_base
};

// The label of every point, on several threads.
std::vector<Label> nearest_labels(const Points& points, const NearestCentroid& nearest,
                                  Threads threads = Threads::all());

}  // namespace starope
