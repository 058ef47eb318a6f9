#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace starope {

// How an episode's last step ends it: the process ended there, or only the recording did.
enum class EpisodeEnd : std::uint8_t { terminated, truncated };

// One episode as the estimators see it: spans into the columns of a Problem, no copy.
struct LoggedEpisode {
  std::int64_t index = 0;                   // which episode of the problem
  std::int64_t first_row = 0;               // its steps are rows first_row, first_row + 1, ... of the state table
  std::optional<std::int64_t> final_row{};  // row of the state after the last step, where a truncated episode has one
  std::span<const double> rewards{};
  std::span<const double> ratios{};  // pi_e / pi_b of the logged actions
  EpisodeEnd end = EpisodeEnd::terminated;

  std::int64_t length() const noexcept { return static_cast<std::int64_t>(rewards.size()); }
};

// What the logs know about what follows a step: nothing (the process ended), a state, or something nobody recorded.
struct Outcome {
  enum class Kind : std::uint8_t { ended, next, unknown };
  Kind kind = Kind::ended;
  std::optional<std::int64_t> next_row{};  // of the state that follows, where the kind is `next`

  bool seen() const noexcept { return kind != Kind::unknown; }
};

inline Outcome outcome_of(const LoggedEpisode& episode, std::int64_t t) {
  if (t + 1 < episode.length()) return {.kind = Outcome::Kind::next, .next_row = episode.first_row + t + 1};
  if (episode.end == EpisodeEnd::terminated) return {};
  if (episode.final_row) return {.kind = Outcome::Kind::next, .next_row = episode.final_row};
  return {.kind = Outcome::Kind::unknown, .next_row = {}};
}

// The same where nothing behind the horizon counts: the outcome of step H-1 is known to be worth nothing.
inline Outcome outcome_within(const LoggedEpisode& episode, std::int64_t t, std::int64_t horizon) {
  return t + 1 == horizon ? Outcome{} : outcome_of(episode, t);
}

}  // namespace starope
