#pragma once

#include <cstdint>
#include <vector>

#include "starope/base/bytes.hpp"
#include "starope/base/error.hpp"
#include "starope/base/finding.hpp"
#include "starope/base/types.hpp"
#include "starope/data/problem.hpp"

namespace starope {

// phi applied to every row of a data set's state table: computed once, shared by all clips, families and resamples.
struct Labels {
  std::int64_t cells = 0;
  std::vector<Label> of_row{};  // one per state row: the steps, then the final states
  Fingerprint phi{};            // of the abstraction; statistics of different ones do not merge
  friend bool operator==(const Labels&, const Labels&) = default;
};

// How many of the states that count (s_0 .. s_{T-1} of every episode, up to the horizon) are in each cell.
std::vector<std::int64_t> visits_of_cells(const Labels& labels, const Problem& problem);

// Which episode and step a row of the state table belongs to, for messages. A final state is at step T.
DataLocation locate_state(const Dataset& data, std::int64_t row);

// `many_cells` if there are fewer than four counted states per cell: each cell's mean is then mostly noise.
std::vector<Finding> many_cells_finding(std::int64_t cells, const Problem& problem);

}  // namespace starope
