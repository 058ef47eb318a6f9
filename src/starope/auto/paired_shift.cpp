#include "starope/auto/paired_shift.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "starope/base/assert.hpp"
#include "starope/stats/moments.hpp"

namespace starope {

PairedShift paired_shift(std::span<const double> from, std::span<const double> to) {
  STAROPE_ASSERT(from.size() == to.size());
  constexpr double rounding = 1e-12;
  std::vector<double> difference(from.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < difference.size(); ++i) {
    difference[i] = to[i] - from[i];
    largest = std::max({largest, std::abs(from[i]), std::abs(to[i])});
  }
  const Moments m = moments(difference);
  for (double& e : difference) e -= m.mean();
  return {.mean = m.mean(),
          .std_error = std::max(m.standard_error(), rounding * largest),
          .scores = effective_scores(difference)};
}

}  // namespace starope
