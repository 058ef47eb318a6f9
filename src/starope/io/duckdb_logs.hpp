#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "starope/data.hpp"
#include "starope/io.hpp"
#include "starope/io/open.hpp"
#include "starope/io/table_reader.hpp"

namespace starope::io {

// Logs that DuckDB reads: Parquet, JSON lines, compressed text, tables of a database, results of a query. Only the
// columns that play a role are asked for. Rows that do not stand in order are sorted by episode and time, by DuckDB,
// which writes to a folder what memory does not hold.
ReadResult read_duckdb(const std::string& path, const ReadOptions& options);
OpenedLogs open_duckdb(const std::string& path, const ReadOptions& options, const OpenOptions& opening);

// From the number of rows, where that costs no reading: of Parquet files and tables.
std::optional<LogsSize> size_of_duckdb(const std::string& path, const ReadOptions& options);

// Calls use(table) with a table of the columns that hold episodes and times, and of one more, which may play no role:
// all rows, in the order they come. DataError where there is no such column.
void with_columns_of_duckdb(const std::string& path, const ReadOptions& options, const std::string& column,
                            const std::function<void(TableReader&)>& use);

}  // namespace starope::io
