#pragma once

#include <cstdint>
#include <vector>

#include "starope/data/problem.hpp"

namespace starope {

// Episodes first .. last-1.
struct EpisodeBlock {
  std::int64_t first = 0;
  std::int64_t last = 0;
  friend bool operator==(EpisodeBlock, EpisodeBlock) = default;
};

// How many steps make a block: enough to hide the cost of merging, few enough to share the work. It belongs to the
// algorithm, not to the machine: partial sums, and with them the last bits of a result, depend on the blocks.
inline constexpr std::int64_t steps_per_block = 65536;

// Consecutive whole episodes; a block is closed by the episode that fills it.
std::vector<EpisodeBlock> make_blocks(const Problem& problem, std::int64_t steps = steps_per_block);

}  // namespace starope
