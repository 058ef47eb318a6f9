#pragma once

#include <cstdint>
#include <vector>

#include "starope/data.hpp"

namespace starope {

// Which episodes of a source sample_episodes takes: their places among all of them, in order of their hashes; all
// places, ascending, if the source has at most `most_steps` steps.
std::vector<std::int64_t> sample_places(const Source& source, std::int64_t most_steps);

// The same with their lengths, for who takes something of the episodes and not the episodes.
struct SampledEpisode {
  std::int64_t place = 0, length = 0;
};
std::vector<SampledEpisode> sampled_episodes(const Source& source, std::int64_t most_steps);

}  // namespace starope
