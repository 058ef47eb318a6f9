#include "starope/clustering/feature_scaling.hpp"

#include <fmt/format.h>

#include <cmath>

#include "starope/base/assert.hpp"
#include "starope/error.hpp"

namespace starope {

void FeatureScaling::apply(std::span<const double> rows, std::span<double> out) const noexcept {
  STAROPE_ASSERT(rows.size() == out.size());
  const std::size_t d = center.size();
  for (std::size_t i = 0; i < rows.size(); i += d) {
    for (std::size_t j = 0; j < d; ++j) out[i + j] = (rows[i + j] - center[j]) / scale[j];
  }
}

void FeatureScaling::undo(std::span<const double> scaled, std::span<double> out) const noexcept {
  STAROPE_ASSERT(scaled.size() == out.size());
  const std::size_t d = center.size();
  for (std::size_t i = 0; i < scaled.size(); i += d) {
    for (std::size_t j = 0; j < d; ++j) out[i + j] = center[j] + scale[j] * scaled[i + j];
  }
}

FeatureScaling make_scaling(FeatureScale kind, const Points& points, Threads threads) {
  const auto d = static_cast<std::size_t>(points.dimension);
  if (kind == FeatureScale::none) {
    return {.center = std::vector<double>(d, 0.0), .scale = std::vector<double>(d, 1.0)};
  }
  ColumnSummary summary = summarize_columns(points, threads);
  FeatureScaling scaling{.center = std::move(summary.mean), .scale = std::vector<double>(d, 1.0)};
  for (std::size_t j = 0; j < d; ++j) {
    if (!std::isfinite(summary.variance[j])) {
      throw InvalidArgument(
          fmt::format("state feature {} has values from {} to {}: too large to be standardized; give "
                      "it in other units",
                      j, summary.lowest[j], summary.highest[j]));
    }
    // Not "variance > 0": the mean of equal numbers may be off by a rounding error, and so would be their variance.
    const double deviation = std::sqrt(summary.variance[j]);
    if (summary.lowest[j] < summary.highest[j] && deviation > 0.0) scaling.scale[j] = deviation;
  }
  return scaling;
}

}  // namespace starope
