#pragma once

#include <cstdint>
#include <vector>

#include "starope/error.hpp"
#include "starope/finding.hpp"
#include "starope/phi.hpp"
#include "starope/problem.hpp"

namespace starope {

// How many of the states that count (s_0 .. s_{T-1} of every episode, up to the horizon) are in each cell.
std::vector<std::int64_t> visits_of_cells(const Labels& labels, const Problem& problem);

// Which episode and step a row of the state table belongs to, for messages. A final state is at step T.
DataLocation locate_state(const Dataset& data, std::int64_t row);

// `many_cells` if there are fewer than four counted states per cell: each cell's mean is then mostly noise.
std::vector<Finding> many_cells_finding(std::int64_t cells, const Problem& problem);

}  // namespace starope
