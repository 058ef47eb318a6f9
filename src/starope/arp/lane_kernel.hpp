#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "starope/arp/move_counts.hpp"
#include "starope/base/aligned.hpp"

namespace starope {

// Processes of the same cells and moves that stand beside each other, in lanes: at every sum so many numbers in a row.
inline constexpr std::size_t process_lanes = 64;
// As many of them are solved at a time: their matrices stay in the cache.
inline constexpr std::size_t lanes_at_once = 8;

// The sums of ArpStatistic, in lanes.
struct LaneSums {
  std::span<const double> move{};  // on the pattern of the moves
  std::span<const double> reward{}, exit{}, cut{}, start{};
};

// A component of what all processes together can do, and what its elimination meets.
struct LaneComponent {
  struct Move {
    std::uint32_t from = 0;   // a place in the component
    std::uint32_t to = 0;     // inner: a place in it; outer: a cell of a component that was solved before
    std::uint32_t entry = 0;  // of the moves
  };
  // States below state k that lead to it, and to which it leads, once those above it are eliminated.
  struct Below {
    std::vector<std::uint32_t> from{}, to{};
  };
  std::vector<std::uint32_t> states{};  // ascending
  std::vector<Move> inner{}, outer{};   // each in the order of the moves
  std::vector<Below> below{};           // of every state
};

struct LanePattern {
  SparseRows moves{};
  std::vector<std::uint32_t> column_at{};  // of every move, with a horizon: where the pair of its column begins
  double discount = 1.0;
  std::optional<std::int64_t> horizon{};
  std::vector<LaneComponent> components{};  // successors first; none where there is a horizon
};

// Where the work is done; one of them for each thread.
struct LaneScratch {
  AlignedVector<double> share{};                        // of the moves
  AlignedVector<double> leak{}, reward{}, start{};      // of the cells
  AlignedVector<double> value{};                        // of the cells
  AlignedVector<double> pairs{};                        // of the cells, with a horizon: value and visits, twice
  AlignedVector<double> matrix{}, out{}, pivot{}, x{};  // of a component
};

// The values of lanes first .. first + lanes_at_once - 1; bit i of the answer is set where lane first + i has one. The
// same operations in the same order as make_model() and solve() have, if the lane's own components are those of the
// pattern: then also the same bits.
std::uint32_t solve_lanes(const LanePattern& pattern, const LaneSums& sums, std::size_t first, LaneScratch& scratch,
                          std::span<double, lanes_at_once> values);

// For every entry the lanes where it is not zero.
void lanes_with_weight(std::span<const double> sums, std::span<std::uint64_t> lanes);

}  // namespace starope
