#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace starope {

// Numbers the distinct rows among many, in order of first appearance. Rows are the same if all their numbers are
// exactly equal (so -0 and +0 are the same). Holds one copy of every distinct row.
class DistinctRows {
 public:
  explicit DistinctRows(std::int64_t dimension);

  struct Added {
    std::int64_t number;
    bool is_new;
  };
  Added add(std::span<const double> row);

  std::int64_t size() const noexcept { return static_cast<std::int64_t>(hashes_.size()); }
  std::span<const double> row(std::int64_t number) const noexcept;

  // ranks()[number] = the row's position when the distinct rows are sorted lexicographically.
  std::vector<std::int64_t> ranks() const;

 private:
  void grow();

  std::size_t dimension_;
  std::vector<double> rows_;
  std::vector<std::uint64_t> hashes_;  // by number
  std::vector<std::int64_t> slots_;    // open addressing, a power of two: a number, or `free`
};

}  // namespace starope
