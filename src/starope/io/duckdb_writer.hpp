#pragma once

#include <string>

#include "starope/data.hpp"
#include "starope/io.hpp"

namespace starope::io {

// Whether DuckDB writes a file of this name; and how: block by block, whole or not at all, as an AtomicFile.
bool duckdb_writes(const std::string& path);
void write_duckdb(const Source& source, const std::string& path, const WriteOptions& options);

}  // namespace starope::io
