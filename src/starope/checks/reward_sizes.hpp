#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "starope/finding.hpp"

namespace starope {

// The sizes of the rewards in quarters of powers of two: enough to see units that were mixed, and values that do not
// belong to the others.
struct RewardSizes {
  static constexpr std::int64_t per_octave = 4;
  static constexpr std::int64_t bins = per_octave * 2 * 128;  // 2^-128 .. 2^128, the outermost also hold what is beyond
  std::array<std::int64_t, static_cast<std::size_t>(bins)> counts{};
  std::array<double, static_cast<std::size_t>(bins)> squares{};
  std::int64_t rows = 0;

  void add(std::span<const double> rewards);
  RewardSizes& operator+=(const RewardSizes& other);
};

std::vector<Finding> reward_findings(const RewardSizes& sizes);

}  // namespace starope
