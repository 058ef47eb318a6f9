#pragma once

// The draws that made the recorded trajectories: a Mersenne twister read in the way their generator did.

#include <cstdint>
#include <random>

namespace starope::testing {

class NumpyDraws {
 public:
  explicit NumpyDraws(std::uint32_t seed) : engine_(seed) {}

  double uniform() {
    const auto high = static_cast<std::uint32_t>(engine_()) >> 5;
    const auto low = static_cast<std::uint32_t>(engine_()) >> 6;
    return (static_cast<double>(high) * 67108864.0 + static_cast<double>(low)) / 9007199254740992.0;
  }

  std::int32_t below(std::int32_t count) {  // by masks and rejection; a single choice draws nothing
    if (count == 1) return 0;
    const auto most = static_cast<std::uint32_t>(count - 1);
    std::uint32_t mask = most;
    for (const int shift : {1, 2, 4, 8, 16}) mask |= mask >> shift;
    std::uint32_t value = 0;
    do value = static_cast<std::uint32_t>(engine_()) & mask;
    while (value > most);
    return static_cast<std::int32_t>(value);
  }

 private:
  std::mt19937 engine_;
};

}  // namespace starope::testing
