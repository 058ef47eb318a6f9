#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace starope::io {

// A small table of numbers, such as centroids or a Q function, row by row.
struct NumericTable {
  std::vector<std::string> names{};  // empty: the file has no header
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  std::vector<double> values{};  // rows x columns, all finite
};

// Every column of a CSV file that holds nothing but finite numbers. The first row is a header unless all of it are
// numbers.
NumericTable read_numeric_table(const std::string& path);

// One centroid per row; without a header, or with the header c_0, c_1, ...
NumericTable read_centroids(const std::string& path);

// Which abstract state each state belongs to: row i says that states[i] is in labels[i].
struct LookupTable {
  std::vector<std::int64_t> states{};  // distinct
  std::vector<std::int64_t> labels{};  // not negative
};

// A CSV file with the columns state and z; others are ignored.
LookupTable read_lookup(const std::string& path);

// Numbers of states, row by row: row i belongs to states[i].
struct StateRows {
  std::vector<std::int64_t> states{};
  std::int64_t columns = 0;
  std::vector<double> values{};  // rows x columns, all finite
};

// A Q-function: a CSV file with the columns state, q_0, q_1, ...
StateRows read_q_rows(const std::string& path);

// A row for each of the states 0, 1, ..., in this order: sorted by the column 'state' where there is one, otherwise as
// they stand in the file.
StateRows read_rows_by_state(const std::string& path);

}  // namespace starope::io
