#pragma once

#include <cstdint>
#include <vector>

#include "starope/data.hpp"

namespace starope {

// Which episodes of a source sample_episodes takes: their places among all of them, in order of their hashes; all
// places, ascending, if the source has at most `most_steps` steps.
std::vector<std::int64_t> sample_places(const Source& source, std::int64_t most_steps);

// The hash of every episode's id, a matter of the id alone; `before` episodes came earlier, for those that are only
// numbered.
std::vector<std::uint64_t> episode_hashes(const Dataset& block, std::int64_t before = 0);

}  // namespace starope
