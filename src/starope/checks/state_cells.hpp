#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "starope/data.hpp"

namespace starope {

// A coarse division of the states: quantiles of a few features, or hashes of ids. Made of a sample, it holds for any
// logs with the same columns, so blocks of a source share it.
class StateCells {
 public:
  StateCells() = default;
  static StateCells fit(const Dataset& sample, std::int64_t most);

  std::int64_t count() const noexcept { return count_; }  // 1 where there are no states to tell apart
  std::int64_t cell(const Dataset& data, std::int64_t row) const;
  // Of the rows from `first` on.
  void cells(const Dataset& data, std::int64_t first, std::span<std::int64_t> out) const;

 private:
  struct Split {
    std::int64_t feature = 0;
    std::vector<double> cuts{};  // ascending: a value is in as many parts from below as it reaches cuts
  };
  template <class Feature>
  void add_parts(const Split& split, std::int64_t first, const Feature& at, std::span<std::int64_t> out) const;

  std::vector<Split> splits_{};
  std::int64_t count_ = 1;
  bool hashed_ = false;
};

}  // namespace starope
