#include "starope/data.hpp"

#include <algorithm>

namespace starope {

std::span<const double> RealColumn::widened(std::int64_t first, std::int64_t last, std::vector<double>& scratch) const {
  if (const auto* all = doubles()) return std::span(*all).subspan(first, last - first);
  const auto* all = floats();
  scratch.assign(all->begin() + first, all->begin() + last);
  return scratch;
}

Column<double> RealColumn::widened() const {
  if (const auto* all = doubles()) return *all;
  return std::vector<double>(floats()->begin(), floats()->end());
}

bool operator==(const RealColumn& a, const RealColumn& b) {
  return a.visit([&](const auto& x) {
    return b.visit([&](const auto& y) { return std::equal(x.begin(), x.end(), y.begin(), y.end()); });
  });
}

bool operator==(const RealColumn& a, const std::vector<double>& b) {
  return a.visit([&](const auto& x) { return std::equal(x.begin(), x.end(), b.begin(), b.end()); });
}

}  // namespace starope
