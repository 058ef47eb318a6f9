#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "starope/arp/lane_kernel.hpp"
#include "starope/types.hpp"

namespace starope {

// Values of many processes on the same cells, as those of resampled logs are, solved beside each other.
//
// Every lane has the bits that solve(make_model(its sums)) gives it. An elimination on the moves of all lanes passes
// through zeros where a lane lacks some of them, and a zero changes no sum; but if a lane's own components are smaller,
// solve() would add in another order. Such lanes are found, and left to solve().
class ProcessLanes {
 public:
  // `moves` and `start`: positive at least wherever they are in one of the lanes. None where lanes gain nothing or have
  // other bits: components whose matrices leave the cache, horizons that only solve() knows how to shorten.
  static std::optional<ProcessLanes> make(SparseRows moves, std::span<const double> start, Discount discount,
                                          std::optional<Horizon> horizon);

  // Bit b of the answer is set where values[b] is the value of lane b. All others are for solve(): no episodes, no
  // weight, no exit, or components of their own.
  std::uint64_t values(const LaneSums& sums, std::span<double, process_lanes> values) const;

  static constexpr std::size_t most_states = 128;  // in a component: a matrix of 1 MB

 private:
  ProcessLanes() = default;
  std::uint64_t with_own_components(const LaneSums& sums) const;

  LanePattern pattern_;
  std::size_t largest_ = 1;  // component
};

}  // namespace starope
