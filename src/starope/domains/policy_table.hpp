#pragma once

#include <cstdint>
#include <vector>

#include "starope/domains.hpp"

namespace starope::domains {

// Three ways to read the numbers; each returns a table of probabilities, and is a DataError that names file and row
// where that makes no sense.
PolicyTable as_probabilities(PolicyTable table);        // rows sum to 1 up to 1e-6, and are then made to
PolicyTable as_greedy(PolicyTable table, double eps);   // the (first) largest one, but with probability eps any action
PolicyTable as_softmax(PolicyTable table, double tau);  // proportional to exp(number / tau)

// The table as a policy over `symbols`. It must have one row, one per symbol, or one per symbol and further
// `terminal_states`, which are not looked at: DataError.
TabularPolicy table_policy(const PolicyTable& table, std::int32_t symbols, std::int32_t actions,
                           std::int32_t terminal_states = 0);

// A table from a file: a column per action, and a row per state, ordered by the column 'state' where there is one; or
// one row for all states.
PolicyTable read_policy_table(const std::string& path);

// The only row of a table for worlds whose states cannot be listed.
std::vector<double> only_row(const PolicyTable& table, std::int32_t actions);

}  // namespace starope::domains
