#include "starope/fold/blocks.hpp"

#include <algorithm>

namespace starope {

std::vector<EpisodeBlock> make_blocks(const Problem& problem, std::int64_t steps) {
  const Dataset& data = problem.data();
  const std::int64_t n = data.episodes();
  std::vector<EpisodeBlock> blocks;
  EpisodeBlock open;
  std::int64_t inside = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t length = data.length(i);
    inside += problem.horizon() ? std::min(length, problem.horizon()->steps()) : length;
    open.last = i + 1;
    if (inside >= steps || i + 1 == n) {
      blocks.push_back(open);
      open = {i + 1, i + 1};
      inside = 0;
    }
  }
  return blocks;
}

}  // namespace starope
