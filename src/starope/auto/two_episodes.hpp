#pragma once

#include <utility>
#include <vector>

#include "starope/data.hpp"

namespace starope::testing {

// Two episodes of two and three steps; the first is cut off, its next state known.
inline Columns two_episodes(States states) {
  Columns columns;
  columns.offsets = {0, 2, 5};
  columns.rewards = std::vector<double>(5, 1.0);
  columns.behavior = LoggedProbabilities{.values = std::vector<double>(5, 0.5)};
  columns.target = LoggedProbabilities{.values = std::vector<double>(5, 0.5)};
  columns.actions = DiscreteActions{.id = {0, 1, 1, 0, 1}, .count = 2};
  columns.ends = {EpisodeEnd::truncated, EpisodeEnd::terminated};
  columns.has_final_state = {true, false};
  columns.states = std::move(states);
  return columns;
}

}  // namespace starope::testing
