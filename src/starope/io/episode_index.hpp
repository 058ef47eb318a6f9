#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "starope/base/error.hpp"
#include "starope/data/dataset.hpp"
#include "starope/io/csv_chunk.hpp"

namespace starope::io {

// Where a table comes from, for messages.
struct TableSource {
  std::string file{};
  std::int64_t first_row = 2;  // the number of row 0 of the table in the file

  DataLocation at(std::int64_t row, std::string column) const;
};

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

}  // namespace starope::io
