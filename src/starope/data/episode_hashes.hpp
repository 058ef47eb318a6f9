#pragma once

#include <cstdint>
#include <vector>

#include "starope/data.hpp"

namespace starope {

// The hash of every episode's id: what is drawn for an episode is a function of it, not of the episode's place.
// `before` episodes of the logs came earlier, for those that are only numbered.
std::vector<std::uint64_t> episode_hashes(const Dataset& block, std::int64_t before);

}  // namespace starope
