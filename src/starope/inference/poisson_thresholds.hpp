#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace starope {

// P(count <= k) of Poisson(1) in units of 2^-32: a count is how many of them 32 random bits reach. Beyond twelve
// nothing is left.
using PoissonThresholds = std::array<std::uint32_t, 13>;
inline const PoissonThresholds& poisson_thresholds() {
  static const PoissonThresholds thresholds = [] {
    PoissonThresholds made{};
    double mass = std::exp(-1.0), below = 0.0;
    for (std::size_t k = 0; k < made.size(); ++k) {
      below += mass;
      made[k] = static_cast<std::uint32_t>(std::min(std::ldexp(below, 32), 4294967295.0));
      mass /= static_cast<double>(k + 1);
    }
    return made;
  }();
  return thresholds;
}

}  // namespace starope
