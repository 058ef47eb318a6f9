#include "starope/auto/ladder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "starope/error.hpp"

namespace starope {

std::vector<std::int64_t> default_ladder(std::int64_t steps) {
  const std::int64_t finest = std::clamp<std::int64_t>(steps / 16, 32, 256);
  std::vector<std::int64_t> ladder;
  for (const std::int64_t share : {16, 8, 4, 2, 1}) ladder.push_back(std::max<std::int64_t>(2, finest / share));
  return usable_levels(std::move(ladder), steps);
}

std::vector<std::int64_t> usable_levels(std::vector<std::int64_t> ladder, std::int64_t steps) {
  if (ladder.empty() || ladder.front() < 1 ||
      std::adjacent_find(ladder.begin(), ladder.end(), std::greater_equal<>()) != ladder.end()) {
    throw InvalidArgument(fmt::format("a ladder is an ascending list of numbers of cells, at least one, not [{}]",
                                      fmt::join(ladder, ", ")));
  }
  const std::int64_t most = std::max<std::int64_t>(1, steps / 4);
  std::erase_if(ladder, [&](std::int64_t cells) { return cells > most; });
  if (ladder.empty()) ladder.push_back(most);
  return ladder;
}

}  // namespace starope
