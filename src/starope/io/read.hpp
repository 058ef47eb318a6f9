#pragma once

#include <string>

#include "starope/io/column_roles.hpp"
#include "starope/io/long_table.hpp"

namespace starope::io {

// Reads logged episodes from a file whose format its name tells: .csv, .tsv or .npz (npz_logs.hpp); a name without an
// extension, such as /dev/stdin, is read as CSV, and "-" is the standard input. FileError for any other.
ReadResult read(const std::string& path, const ReadOptions& options = {});

}  // namespace starope::io
