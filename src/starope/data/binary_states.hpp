#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace starope {

// States whose features are all 0 or 1, one bit each: a 64th of the memory of DenseStates. Row i is the words
// i * words_per_row() and following; feature k is bit k % 64 of word k / 64. Bits beyond the dimension are 0, so rows
// can be compared and hashed word by word.
struct BinaryStates {
  std::int64_t dimension = 0;
  std::vector<std::uint64_t> words{};
  std::vector<std::string> names{};  // one per feature, for messages and reports; may be empty

  std::size_t words_per_row() const noexcept { return (static_cast<std::size_t>(dimension) + 63) / 64; }
  std::span<const std::uint64_t> row(std::int64_t index) const {
    return std::span(words).subspan(static_cast<std::size_t>(index) * words_per_row(), words_per_row());
  }
  bool bit(std::int64_t index, std::int64_t feature) const {
    const auto k = static_cast<std::size_t>(feature);
    return (row(index)[k / 64] >> (k % 64) & 1U) != 0;
  }
  friend bool operator==(const BinaryStates&, const BinaryStates&) = default;
};

// Appends the bits of one row. A feature that is neither 0 nor 1: InvalidArgument.
void append_bits(std::vector<std::uint64_t>& words, std::span<const double> features);

// Writes the features of one row as numbers.
void unpack_bits(std::span<const std::uint64_t> row, std::span<double> features);

}  // namespace starope
