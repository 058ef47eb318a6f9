#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "starope/data.hpp"
#include "starope/error.hpp"
#include "starope/io/table_reader.hpp"

namespace starope::io {

// Which rows of a table make up which episode: episode i has rows offsets[i] .. offsets[i+1] of the table put in
// `order`.
struct EpisodeIndex {
  EpisodeIds ids{};  // integers if all are written as such, or else strings
  std::vector<std::int64_t> offsets{};
  std::vector<std::int64_t> order{};  // row r of the ordered table is row order[r] of the file; empty: as in the file
};

struct EpisodeIndexOptions {
  bool sort = false;               // collect the rows of each episode, in order of first appearance
  std::span<const double> t{};     // and order them by this, if it is not empty; NaN goes last
  std::string column = "episode";  // its name in the file
};

// DataError if an id comes back after another episode and `sort` is not set.
EpisodeIndex index_episodes(const TextRuns& runs, std::int64_t rows, const EpisodeIndexOptions& options,
                            const TableSource& source);

// The DataError for an episode that comes back at a place, after these rows of the file.
[[noreturn]] void fail_not_contiguous(DataLocation at, std::string episode, std::int64_t first_row,
                                      std::int64_t last_row);

}  // namespace starope::io
