#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "starope/io.hpp"
#include "starope/io/long_table.hpp"

namespace starope::io {

inline constexpr const char* blank_cell_remedy =
    "Fill it in; only the last row of an episode may be without action, reward and probabilities, all of them, and "
    "then "
    "gives the state after the last step";

// States with at least so many features, all of them 0 or 1, are kept as bits.
inline constexpr std::int64_t fewest_bits = 32;

// What the rows of a part cannot tell.
struct WholeTable {
  std::int64_t actions = 0;  // how many there are, where actions are ids
  bool bits = false;         // whether states of numbers are all 0 or 1
  bool integer_ids = false;  // whether all episodes have integers for names
};

struct AssembleOptions {
  bool sort = false;
  std::optional<WholeTable> whole{};  // of which these rows are a part; none: they are all
};

// Groups the rows into episodes, checks them, and builds the data set.
//
// How episodes end: without the columns terminated and truncated, the last step of every episode terminates it. With
// them, a flag is set in the last step or the partial row behind it (both set: terminated); if neither is, the episode
// is truncated, unless truncated is the only column. A row after a flag is an error.
ReadResult assemble(LongTable table, const AssembleOptions& options = {});

// The same, and the row of the table that every step was, counted from 0; empty: the steps are its rows.
struct LogsWithRows {
  ReadResult logs;
  std::vector<std::int64_t> rows{};
};
LogsWithRows assemble_with_rows(LongTable table, const AssembleOptions& options = {});

}  // namespace starope::io
