#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "starope/parallel/ordered_merge.hpp"
#include "starope/parallel/parallel_for.hpp"
#include "starope/types.hpp"

namespace starope {

// A dense matrix of points, one per row, with a positive weight each (how often the point counts). A view: no copy.
struct Points {
  std::int64_t dimension = 0;
  std::span<const double> values{};   // count x dimension
  std::span<const double> weights{};  // one per point, or empty: every point counts once

  std::int64_t count() const noexcept { return static_cast<std::int64_t>(values.size()) / dimension; }
  std::span<const double> row(std::int64_t i) const noexcept { return rows(i, i + 1); }
  std::span<const double> rows(std::int64_t first, std::int64_t last) const noexcept {
    return values.subspan(first * dimension, static_cast<std::size_t>((last - first) * dimension));
  }
  double weight(std::int64_t i) const noexcept { return weights.empty() ? 1.0 : weights[i]; }
};

// InvalidArgument unless the sizes fit together, there is a point, and every weight is positive and finite.
void check_points(const Points& points);

// How many points make a block. It belongs to the algorithm, not to the machine: sums are taken block by block, so
// their last bits depend on it and on nothing else.
inline constexpr std::int64_t points_per_block = 4096;

inline std::int64_t point_blocks(std::int64_t count) noexcept {
  return (count + points_per_block - 1) / points_per_block;
}

// Calls body(first, last) for every block of 0 .. count-1, on several threads.
template <class Body>
void for_each_point_block(std::int64_t count, Threads threads, const Body& body) {
  parallel_for(point_blocks(count), threads,
               [&](std::int64_t b) { body(b * points_per_block, std::min(count, (b + 1) * points_per_block)); });
}

// Computes part(first, last) for every block on several threads and absorbs the parts in order of the blocks.
template <class Part, class Absorb>
void merge_point_blocks(std::int64_t count, Threads threads, const Part& part, Absorb absorb) {
  ordered_merge(
      point_blocks(count), threads,
      [&](std::int64_t b) { return part(b * points_per_block, std::min(count, (b + 1) * points_per_block)); }, absorb);
}

// What the points look like in each dimension.
struct ColumnSummary {
  std::vector<double> mean, variance;  // weighted; the variance is divided by the sum of the weights
  std::vector<double> lowest, highest;
};
ColumnSummary summarize_columns(const Points& points, Threads threads);

}  // namespace starope
