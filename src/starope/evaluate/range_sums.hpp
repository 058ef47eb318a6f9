#pragma once

#include <cstdint>
#include <limits>

#include "starope/base/bytes.hpp"
#include "starope/inspect.hpp"

namespace starope {

// Least, mean and largest of what was added.
struct RangeSums {
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  double sum = 0.0;
  std::int64_t count = 0;

  void add(double x) noexcept;
  RangeSums& operator+=(const RangeSums& other) noexcept;
  bool any() const noexcept { return count > 0; }
  Inspection::Range range() const noexcept {
    return {.min = min, .mean = sum / static_cast<double>(count), .max = max};
  }
  void write(ByteWriter& to) const;
  static RangeSums read(ByteReader& from);
};

}  // namespace starope
