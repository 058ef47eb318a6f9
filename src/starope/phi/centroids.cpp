#include "starope/phi/centroids.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "starope/phi/counted_states.hpp"
#include "starope/clustering/nearest_bits.hpp"
#include "starope/base/error.hpp"
#include "starope/base/text.hpp"

namespace starope {
namespace {

std::string name_of(const CentroidTable& table) {
  return table.source.empty() ? "the centroid table" : "the centroid table " + table.source;
}

void check_table(const CentroidTable& table) {
  if (table.dimension < 1 || table.values.empty() ||
      table.values.size() % static_cast<std::size_t>(table.dimension) != 0) {
    throw InvalidArgument(
        fmt::format("{} must have one row of numbers per centroid, at least one; it has {} numbers in "
                    "{}",
                    name_of(table), table.values.size(), counted(table.dimension, "column")));
  }
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    if (std::isfinite(table.values[i])) continue;
    const auto d = static_cast<std::size_t>(table.dimension);
    DataLocation at;
    at.file = table.source;
    throw DataError({.code = "bad_centroid",
                     .at = std::move(at),
                     .value = fmt::format("{}", table.values[i]),
                     .rule = fmt::format("is coordinate {} of centroid {}; it must be a finite number", i % d, i / d),
                     .remedy = "Correct it, or leave the centroid out"});
  }
}

}  // namespace

Labels label_centroids(const CentroidTable& table, const Problem& problem, Threads threads) {
  const auto* bits = std::get_if<BinaryStates>(&problem.data().states());
  const DenseStates* dense = bits == nullptr ? &require_dense_states(problem, name_of(table)) : nullptr;
  const std::int64_t dimension = bits == nullptr ? dense->dimension : bits->dimension;
  check_table(table);
  if (table.dimension != dimension) {
    throw InvalidArgument(
        fmt::format("{} has {} per centroid, but the logged states have {}; give one coordinate per "
                    "state feature, in the same order and units",
                    name_of(table), counted(table.dimension, "coordinate"), counted(dimension, "feature")));
  }
  if (bits != nullptr) {
    const NearestBits nearest(table.values, dimension);
    return {.cells = nearest.clusters(), .of_row = nearest_labels(bit_points(*bits), nearest, threads)};
  }
  const NearestCentroid nearest(table.values, dimension);
  return {.cells = nearest.clusters(),
          .of_row = nearest_labels(Points{.dimension = dimension, .values = dense->values}, nearest, threads)};
}

Labels label_scaled_states(const DenseStates& states, const NearestCentroid& nearest, const FeatureScaling& scaling,
                           Threads threads) {
  const Points points{.dimension = states.dimension, .values = states.values};
  Labels labels{.cells = nearest.clusters(), .of_row = std::vector<Label>(static_cast<std::size_t>(points.count()))};
  for_each_point_block(points.count(), threads, [&](std::int64_t first, std::int64_t last) {
    const auto rows = points.rows(first, last);
    std::vector<double> scaled(rows.size());
    scaling.apply(rows, scaled);
    nearest.label(
        scaled,
        std::span(labels.of_row).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)));
  });
  return labels;
}

}  // namespace starope
