#pragma once

#include <string>

#include "cli11_fwd.hpp"
#include "starope/io.hpp"

namespace starope::cli {

// The flags that say which column of the file means what (--episode, --state, ...).
void add_column_flags(CLI::App& page, io::ReadOptions& options);

// UsageError unless there is a file or a query.
void check_data(const std::string& data, const io::ReadOptions& options, const char* command);

}  // namespace starope::cli
