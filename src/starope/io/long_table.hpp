#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "starope/base/finding.hpp"
#include "starope/data/dataset.hpp"
#include "starope/io/column_roles.hpp"
#include "starope/io/csv_chunk.hpp"
#include "starope/io/episode_index.hpp"

namespace starope::io {

// The canonical table, one row per step, as a reader of any format fills it in. Every column has `rows` rows.
//
// A partial row has a state, but neither action, reward nor probabilities (their entries are ignored). As the last row
// of an episode it gives the state after the last step; anywhere else it is an error.
struct LongTable {
  TableSource source{};
  std::vector<UsedColumn> used{};
  std::vector<std::string> ignored{};  // columns of the file that nobody asked for
  std::int64_t rows = 0;

  TextRuns episode{};
  std::vector<double> t{};  // empty: no such column
  std::variant<std::monostate, std::vector<std::int64_t>, DenseStates, BinaryStates> states{};
  std::variant<std::monostate, std::vector<std::int64_t>, ContinuousActions> actions{};
  std::vector<double> rewards{};
  std::optional<LoggedProbabilities> behavior{};  // absent, but a distribution and actions given: taken from there
  std::optional<LoggedProbabilities> target{};
  std::optional<ActionProbabilities> behavior_distribution{};
  std::optional<ActionProbabilities> target_distribution{};
  std::optional<std::vector<std::uint8_t>> terminated{};
  std::optional<std::vector<std::uint8_t>> truncated{};
  std::vector<std::int64_t> partial_rows{};  // ascending
};

struct ReadSummary {
  std::string file{};
  std::int64_t rows = 0;          // without the header
  std::int64_t final_states = 0;  // rows that are the state after a last step
  std::vector<UsedColumn> used{};
  std::vector<std::string> ignored{};
};

struct ReadResult {
  Dataset data;
  ReadSummary summary{};
  std::vector<Finding> findings{};  // what was assumed about the data
};

inline constexpr const char* blank_cell_remedy =
    "Fill it in; only the last row of an episode may be without action, reward and probabilities, all of them, and "
    "then "
    "gives the state after the last step";

// States with at least so many features, all of them 0 or 1, are kept as bits.
inline constexpr std::int64_t fewest_bits = 32;

// Groups the rows into episodes, checks them, and builds the data set.
//
// How episodes end: without the columns terminated and truncated, the last step of every episode terminates it. With
// them, a flag is set in the last step or the partial row behind it (both set: terminated); if neither is, the episode
// is truncated, unless truncated is the only column. A row after a flag is an error.
ReadResult assemble(LongTable table, bool sort);

}  // namespace starope::io
