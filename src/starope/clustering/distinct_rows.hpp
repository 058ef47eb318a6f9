#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace starope {

// Numbers the distinct rows among many, in order of first appearance. Rows are the same if all their numbers are
// exactly equal (so -0 and +0 are the same). Holds one copy of every distinct row.
//
// T: double, or std::uint64_t for rows of bits, 64 features a number, feature k in bit k % 64 of number k / 64.
template <class T>
class DistinctRowsOf {
 public:
  explicit DistinctRowsOf(std::int64_t numbers_per_row);

  struct Added {
    std::int64_t number;
    bool is_new;
  };
  Added add(std::span<const T> added);
  std::optional<std::int64_t> find(std::span<const T> wanted) const;  // its number, if it is known

  std::int64_t size() const noexcept { return static_cast<std::int64_t>(hashes_.size()); }
  std::int64_t row_size() const noexcept { return static_cast<std::int64_t>(dimension_); }
  std::span<const T> row(std::int64_t number) const noexcept;
  std::span<const T> values() const noexcept { return rows_; }  // all distinct rows, by number

  // ranks()[number] = the row's position when the distinct rows are sorted lexicographically by their features.
  std::vector<std::int64_t> ranks() const;

  // The same rows, numbered in that order.
  DistinctRowsOf sorted() const;

  friend bool operator==(const DistinctRowsOf& a, const DistinctRowsOf& b) {
    return a.dimension_ == b.dimension_ && a.rows_ == b.rows_;
  }

 private:
  void grow();
  std::size_t slot_of(std::span<const T> wanted, std::uint64_t hash) const;  // where it is, or would be

  std::size_t dimension_;
  std::vector<T> rows_;
  std::vector<std::uint64_t> hashes_;  // by number
  std::vector<std::int64_t> slots_;    // open addressing, a power of two: a number, or `free`
};

using DistinctRows = DistinctRowsOf<double>;
using DistinctBitRows = DistinctRowsOf<std::uint64_t>;

}  // namespace starope
