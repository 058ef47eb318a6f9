#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace starope {

// Rows of numbers, equal ones kept once. Ids are 0, 1, ... in order of first appearance.
class DistinctRows {
 public:
  explicit DistinctRows(std::size_t width) : width_(width) {}

  std::size_t id_of(std::span<const double> row);  // a new row becomes a member
  std::size_t count() const noexcept { return count_; }
  std::span<const double> row(std::size_t id) const { return std::span(values_).subspan(id * width_, width_); }

 private:
  std::size_t width_;
  std::size_t count_ = 0, last_ = 0;
  std::vector<double> values_;
  std::unordered_multimap<std::uint64_t, std::size_t> of_hash_;
};

}  // namespace starope
