#pragma once

#include <cstdint>
#include <optional>

#include "starope/data/episode.hpp"

namespace starope {

// What the logs know about what follows a step.
struct StepOutcome {
  bool seen = true;                        // false: the recording ends here, and what follows is unknown
  std::optional<std::int64_t> next_row{};  // of the state that follows; none after a termination
};

inline StepOutcome outcome_of(const LoggedEpisode& episode, std::int64_t t) {
  if (t + 1 < episode.length()) return {.seen = true, .next_row = episode.first_row + t + 1};
  if (episode.end == EpisodeEnd::terminated) return {};
  return {.seen = episode.final_row.has_value(), .next_row = episode.final_row};
}

// The same where nothing behind the horizon counts: the outcome of step H-1 is known to be worth nothing.
inline StepOutcome outcome_within(const LoggedEpisode& episode, std::int64_t t, std::int64_t horizon) {
  return t + 1 == horizon ? StepOutcome{} : outcome_of(episode, t);
}

}  // namespace starope
