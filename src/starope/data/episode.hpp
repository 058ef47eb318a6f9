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

}  // namespace starope
