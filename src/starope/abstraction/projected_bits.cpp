#include "starope/abstraction/projected_bits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "starope/abstraction/points.hpp"
#include "starope/base/error.hpp"

namespace starope {
namespace {

// W: the width, where the compiler shall know it; 0 where it need not.
template <std::size_t W>
void project_row(std::span<const std::uint64_t> row, const double* matrix, std::size_t any_width, double* out) {
  const std::size_t width = W == 0 ? any_width : W;
  for_each_set_bit(row, [=](std::size_t j) {
    const double* __restrict from = matrix + j * width;
    double* __restrict to = out;
    for (std::size_t c = 0; c < width; ++c) to[c] += from[c];
  });
}

using ProjectRow = void (*)(std::span<const std::uint64_t>, const double*, std::size_t, double*);

ProjectRow projection_of(std::int64_t width) {
  switch (width) {
    case 8:
      return project_row<8>;
    case 16:
      return project_row<16>;
    case 32:
      return project_row<32>;
    default:
      return project_row<0>;
  }
}

}  // namespace

std::vector<double> project(const BitPoints& points, std::span<const double> matrix, std::int64_t width,
                            std::span<const double> offset, Threads threads) {
  if (points.words.empty()) return {};
  check_points(points);
  const auto w = static_cast<std::size_t>(width);
  if (width < 1 || matrix.size() != static_cast<std::size_t>(points.dimension) * w ||
      (!offset.empty() && offset.size() != w)) {
    throw InvalidArgument(
        fmt::format("{} bits per row cannot be multiplied with a matrix of {} numbers, {} per row, and an offset of {}",
                    points.dimension, matrix.size(), width, offset.size()));
  }
  std::vector<double> out(static_cast<std::size_t>(points.count()) * w, 0.0);
  const ProjectRow project_one = projection_of(width);
  for_each_point_block(points.count(), threads, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      double* row = out.data() + static_cast<std::size_t>(i) * w;
      std::copy(offset.begin(), offset.end(), row);
      project_one(points.row(i), matrix.data(), w, row);
    }
  });
  return out;
}

std::vector<double> project(const BinaryStates& states, std::span<const double> matrix, std::int64_t width,
                            std::span<const double> offset, Threads threads) {
  return project(bit_points(states), matrix, width, offset, threads);
}

}  // namespace starope
