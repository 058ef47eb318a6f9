#include "starope/evaluate/range_sums.hpp"

#include <algorithm>

namespace starope {

void RangeSums::add(double x) noexcept {
  min = std::min(min, x);
  max = std::max(max, x);
  sum += x;
  ++count;
}

RangeSums& RangeSums::operator+=(const RangeSums& other) noexcept {
  min = std::min(min, other.min);
  max = std::max(max, other.max);
  sum += other.sum;
  count += other.count;
  return *this;
}

void RangeSums::write(ByteWriter& to) const {
  to.number(count);
  to.number(min);
  to.number(max);
  to.number(sum);
}

RangeSums RangeSums::read(ByteReader& from) {
  constexpr std::int64_t most = std::int64_t{1} << 53;
  RangeSums range;
  range.count = from.number_within(0, most);
  range.min = from.real();
  range.max = from.real();
  range.sum = from.real();
  return range;
}

}  // namespace starope
