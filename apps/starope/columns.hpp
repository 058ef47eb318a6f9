#pragma once

#include "cli11_fwd.hpp"
#include "starope/io/column_roles.hpp"

namespace starope::cli {

// The flags that say which column of the file means what (--episode, --state, ...).
void add_column_flags(CLI::App& page, io::ReadOptions& options);

}  // namespace starope::cli
