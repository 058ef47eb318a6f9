#pragma once

#include <string>
#include <vector>

#include "starope/io.hpp"

namespace starope::io {

struct FirstValue {
  std::string episode{};  // its name
  std::string value{};    // of the column, in the first row of the episode; empty: the cell is
};

// A column that plays no role, from the first row of every episode, in the order in which they begin. Texts and numbers
// of text files; numbers of all others. DataError where there is no such column.
std::vector<FirstValue> first_values(const std::string& path, const std::string& column, const ReadOptions& options);

}  // namespace starope::io
