#pragma once

#include <cstdint>
#include <span>

#include "starope/data.hpp"

namespace starope {

// Which rows of the steps and of the states a part of the logs has: any, or those of consecutive episodes.
struct ChosenRows {
  std::span<const std::int64_t> steps;
  std::span<const std::int64_t> states;  // those of the steps, then final states
};
struct RowRange {
  std::int64_t first = 0, last = 0;              // steps
  std::int64_t first_final = 0, last_final = 0;  // final states, rows of the state table
};

// The columns of steps and states; those of episodes are left to the caller. A range shares the values, except of
// states with final states behind them, and of codes where an id no longer occurs.
Columns take_rows(const Columns& from, const ChosenRows& rows);
Columns take_rows(const Columns& from, const RowRange& rows);

// The names of some episodes, or of episodes first .. last-1: what was a mere number stays that number.
EpisodeIds take_ids(const EpisodeIds& ids, std::span<const std::int64_t> episodes);
EpisodeIds take_ids(const EpisodeIds& ids, std::int64_t first, std::int64_t last);

}  // namespace starope
