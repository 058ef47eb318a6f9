#pragma once

#include <string>

#include "starope/io/column_roles.hpp"
#include "starope/io/long_table.hpp"

namespace starope::io {

// Reads logged episodes from a CSV file with a header and one row per step.
//
// Whatever is wrong is a DataError that names file, row, column, value, the rule and what to do, or a FileError. Rows
// are counted as records from 1, the header being row 1 (a quoted newline starts no new row). Neither the data nor the
// error depend on options.threads and options.chunk_bytes.
ReadResult read_csv(const std::string& path, const ReadOptions& options = {});

// The same with fields separated by tabs.
ReadResult read_tsv(const std::string& path, const ReadOptions& options = {});

}  // namespace starope::io
