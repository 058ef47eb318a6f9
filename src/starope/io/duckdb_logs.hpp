#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "starope/data.hpp"
#include "starope/io.hpp"

namespace starope::io {

// Logs that DuckDB reads: Parquet, JSON lines, compressed text, tables of a database, results of a query. Only the
// columns that play a role are asked for. Rows that do not stand in order are sorted by episode and time, by DuckDB,
// which writes to a folder what memory does not hold.
ReadResult read_duckdb(const std::string& path, const ReadOptions& options);
OpenedLogs open_duckdb(const std::string& path, const ReadOptions& options, const OpenOptions& opening);

// From the number of rows, where that costs no reading: of Parquet files and tables.
std::optional<std::int64_t> memory_needed_duckdb(const std::string& path, const ReadOptions& options);

// The query that has the rows of a file, of a pattern of files, of a folder or of a table.
std::string rows_of(const std::string& path);

}  // namespace starope::io
