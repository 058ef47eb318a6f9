#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "starope/data.hpp"

namespace starope {

// Points whose features are all 0 or 1, one bit each, as in BinaryStates. A view: no copy. Every point counts once.
struct BitPoints {
  std::int64_t dimension = 0;
  std::span<const std::uint64_t> words{};  // count x words_per_row; bits beyond the dimension are 0

  std::size_t words_per_row() const noexcept { return (static_cast<std::size_t>(dimension) + 63) / 64; }
  std::int64_t count() const noexcept { return static_cast<std::int64_t>(words.size() / words_per_row()); }
  std::span<const std::uint64_t> row(std::int64_t i) const noexcept { return rows(i, i + 1).words; }
  BitPoints rows(std::int64_t first, std::int64_t last) const noexcept {
    return {.dimension = dimension,
            .words = words.subspan(static_cast<std::size_t>(first) * words_per_row(),
                                   static_cast<std::size_t>(last - first) * words_per_row())};
  }
  double weight(std::int64_t /*i*/) const noexcept { return 1.0; }  // as of Points
};

inline BitPoints bit_points(const BinaryStates& states) {
  return {.dimension = states.dimension, .words = states.words};
}

// InvalidArgument unless the sizes fit together and there is a point.
void check_points(const BitPoints& points);

// The words of the rows with the given numbers, one behind the other: a sample, to be seen as BitPoints.
std::vector<std::uint64_t> gather_rows(const BitPoints& points, std::span<const std::int64_t> rows);

// Calls body(feature) for every set bit of a row, in ascending order.
template <class Body>
void for_each_set_bit(std::span<const std::uint64_t> row, const Body& body) {
  for (std::size_t w = 0; w < row.size(); ++w) {
    for (std::uint64_t left = row[w]; left != 0; left &= left - 1) {
      body(w * 64 + static_cast<std::size_t>(std::countr_zero(left)));
    }
  }
}

inline std::int64_t set_bits(std::span<const std::uint64_t> row) noexcept {
  std::int64_t count = 0;
  for (const std::uint64_t word : row) count += std::popcount(word);
  return count;
}

// How many features differ: the squared Euclidean distance.
inline std::int64_t differing_bits(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) noexcept {
  std::int64_t count = 0;
  for (std::size_t w = 0; w < a.size(); ++w) count += std::popcount(a[w] ^ b[w]);
  return count;
}

}  // namespace starope
