#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "starope/data.hpp"
#include "starope/io.hpp"

namespace starope::io {

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

// Finds the columns. DataError if one that is needed or named is missing, if a numbered list has a gap, or if
// two columns claim the same role.
ColumnRoles match_columns(std::span<const std::string> names, const ReadOptions& options, const std::string& file);

std::vector<UsedColumn> used_columns(const ColumnRoles& roles, std::span<const std::string> names);

}  // namespace starope::io
