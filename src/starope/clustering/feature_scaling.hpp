#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "starope/clustering/points.hpp"
#include "starope/phi.hpp"
#include "starope/types.hpp"

namespace starope {

// x -> (x - center) / scale, feature by feature: the space in which distances are measured.
struct FeatureScaling {
  std::vector<double> center{};
  std::vector<double> scale{};
  friend bool operator==(const FeatureScaling&, const FeatureScaling&) = default;

  // rows.size() = out.size(), whole rows; out may be the same memory.
  void apply(std::span<const double> rows, std::span<double> out) const noexcept;
  void undo(std::span<const double> scaled, std::span<double> out) const noexcept;
};

// Mean and standard deviation of the points (divided by their number). A feature that never varies has scale 1.
// InvalidArgument if the features are so large that their variance overflows.
FeatureScaling make_scaling(FeatureScale kind, const Points& points, Threads threads = Threads::all());

}  // namespace starope
