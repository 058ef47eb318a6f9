#pragma once

// Logs for tests that are told step by step: the columns as vectors, and what becomes of them.

#include <cstdint>
#include <utility>
#include <vector>

#include "starope/data.hpp"

namespace starope::testing {

struct LogVectors {
  std::vector<std::int64_t> offsets{0};
  std::vector<EpisodeEnd> ends{};
  std::vector<std::uint8_t> has_final_state{};
  States states{};
  std::vector<double> rewards{};
  std::int32_t action_count = 0;  // 0: no actions
  std::vector<std::int32_t> actions{};
  bool densities = false;  // the probabilities are some
  std::vector<double> behavior{}, target{};
  std::vector<double> behavior_distribution{}, target_distribution{};  // of all actions; empty: unknown

  // The rewards since the last episode are those of this one.
  void end_episode(EpisodeEnd end = EpisodeEnd::terminated) {
    offsets.push_back(static_cast<std::int64_t>(rewards.size()));
    ends.push_back(end);
  }

  Dataset dataset() && {
    Columns columns;
    columns.offsets = std::move(offsets);
    columns.ends = std::move(ends);
    columns.has_final_state = std::move(has_final_state);
    columns.states = std::move(states);
    columns.rewards = std::move(rewards);
    if (action_count > 0) columns.actions = DiscreteActions{.id = std::move(actions), .count = action_count};
    columns.behavior = LoggedProbabilities{.values = std::move(behavior), .density = densities};
    columns.target = LoggedProbabilities{.values = std::move(target), .density = densities};
    if (!behavior_distribution.empty()) {
      columns.behavior_distribution =
          ActionProbabilities{.actions = action_count, .values = std::move(behavior_distribution)};
    }
    if (!target_distribution.empty()) {
      columns.target_distribution =
          ActionProbabilities{.actions = action_count, .values = std::move(target_distribution)};
    }
    return Dataset(std::move(columns));
  }
};

}  // namespace starope::testing
