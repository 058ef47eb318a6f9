#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "starope/error.hpp"

namespace starope {

// What is wrong with the rows of a table: the first ones in full, all of them counted. A row counts once, for what was
// noticed first. Nothing is kept of rows that are right.
class Offences {
 public:
  static constexpr std::size_t shown = 10;

  // `describe()` gives the DataError::Problem; it is asked only where it will be shown.
  template <class Describe>
  void add(std::int64_t row, const Describe& describe) {
    if (rows_.size() < most_remembered && !rows_.insert(row).second) return;
    ++count_;
    if (first_.size() == shown && first_.back().row <= row) return;
    const auto after =
        std::upper_bound(first_.begin(), first_.end(), row, [](std::int64_t a, const Offence& b) { return a < b.row; });
    first_.insert(after, {row, describe()});
    if (first_.size() > shown) first_.pop_back();
  }

  // Those of rows that come behind.
  void append(Offences behind);
  void append(const DataError& error);

  bool any() const noexcept { return count_ > 0; }
  std::int64_t count() const noexcept { return count_; }
  // DataError, if there are any.
  void raise() const;

 private:
  struct Offence {
    std::int64_t row = 0;
    DataError::Problem problem{};
  };
  static constexpr std::size_t most_remembered = 1'000'000;  // rows; behind that one may count twice

  std::vector<Offence> first_{};  // by row
  std::set<std::int64_t> rows_{};
  std::int64_t count_ = 0;
};

}  // namespace starope
