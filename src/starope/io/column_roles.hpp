#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "starope/base/types.hpp"
#include "starope/data/dataset.hpp"

namespace starope::io {

enum class StateKind { automatic, discrete, continuous };
enum class ActionKind { automatic, discrete, continuous };

// How to read a table with one row per step.
//
// A column is found by its canonical name unless another name is given here; an empty name says not to use it.
// Columns of a list are written NAME_0, NAME_1, ... without a gap, or are named one by one here.
struct ReadOptions {
  std::optional<std::string> episode{};
  std::optional<std::string> t{};
  std::vector<std::string> state{};
  std::vector<std::string> action{};
  std::optional<std::string> reward{};
  std::optional<std::string> behavior_prob{};
  std::optional<std::string> behavior_logp{};
  std::optional<std::string> target_prob{};
  std::optional<std::string> target_logp{};
  std::optional<std::string> behavior_probs{};  // the part of the names before the number of the action
  std::optional<std::string> target_probs{};
  std::optional<std::string> terminated{};
  std::optional<std::string> truncated{};

  // Automatic: one column whose first row is written as an integer holds ids, everything else holds numbers.
  // Actions with columns of action probabilities are ids.
  StateKind state_kind = StateKind::automatic;
  ActionKind action_kind = ActionKind::automatic;

  bool sort = false;  // rows of an episode may stand anywhere; ordered by t, or else as in the file

  // What the caller cannot do without. The episode and the reward are always needed.
  bool need_state = true;
  bool need_action = false;
  bool need_behavior = true;
  bool need_target = true;

  Threads threads = Threads::all();                  // results do not depend on it
  std::int64_t chunk_bytes = std::int64_t{4} << 20;  // parsed at a time by one thread; results do not depend on it
};

// Which column of a table plays which role; columns are numbered from 0.
struct ColumnRoles {
  struct Probability {
    std::int64_t column = 0;
    LoggedProbabilities::Scale scale = LoggedProbabilities::Scale::linear;
    friend bool operator==(const Probability&, const Probability&) = default;
  };
  std::int64_t episode = 0;
  std::optional<std::int64_t> t{};
  std::vector<std::int64_t> state{};
  bool state_is_list = false;  // numbered or several columns: numbers even if they look like ids
  std::vector<std::int64_t> action{};
  bool action_is_list = false;
  std::int64_t reward = 0;
  std::optional<Probability> behavior{};  // absent: taken from the distribution, if there is one
  std::optional<Probability> target{};
  std::vector<std::int64_t> behavior_probs{};
  std::vector<std::int64_t> target_probs{};
  std::optional<std::int64_t> terminated{};
  std::optional<std::int64_t> truncated{};
};

struct UsedColumn {
  std::string role{};  // the canonical name
  std::string name{};  // the name in the file
  friend bool operator==(const UsedColumn&, const UsedColumn&) = default;
};

// Finds the columns. DataError if one that is needed or named is missing, if a numbered list has a gap, or if
// two columns claim the same role.
ColumnRoles match_columns(std::span<const std::string> names, const ReadOptions& options, const std::string& file);

std::vector<UsedColumn> used_columns(const ColumnRoles& roles, std::span<const std::string> names);

}  // namespace starope::io
