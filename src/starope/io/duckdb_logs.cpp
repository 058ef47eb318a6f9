#include "starope/io/duckdb_logs.hpp"

#include <algorithm>
#include <optional>

#include "starope/error.hpp"
#include "starope/io/arrow_reader.hpp"
#include "starope/io/duckdb_query.hpp"
#include "starope/io/file_kind.hpp"
#include "starope/io/input_file.hpp"
#include "starope/io/log_reader.hpp"
#include "starope/io/open.hpp"

namespace starope::io {
namespace {

// What rows out of order look like. Whether they are, sorting shows.
bool may_be_disorder(const DataError& error) {
  return names_two_rows(error.problem()) || error.problem().code == "missing_value";
}

// `use(table)` for the rows as they are; and again for the sorted rows if they turn out not to be in order.
template <class Use>
auto in_order(DuckLogs& logs, const ReadOptions& options, const Use& use) {
  const auto with_rows = [&](bool sorted) {
    const auto known = logs.known_rows();  // before: a connection answers one question at a time
    ArrowArrayStream stream = logs.rows(sorted);
    ArrowTableReader table(&stream, sorted ? logs.name() + " (sorted by episode and time)" : logs.name());
    if (known) table.expect_rows(*known);
    if (!sorted) table.number_rows_from(logs.first_row());
    return use(table);
  };
  // A stream that breaks off does not say why; who counts all rows hears it.
  const auto with = [&](bool sorted) {
    try {
      return with_rows(sorted);
    } catch (const DataError& error) {
      if (error.problem().code == "bad_stream") logs.count();
      if (sorted) throw;
      throw logs.in_its_file(error);
    }
  };
  if (!logs.can_sort()) return with(false);
  std::optional<DataError> as_they_are;
  if (!options.sort) {
    try {
      return with(false);
    } catch (const DataError& error) {
      if (!may_be_disorder(error)) throw;
      as_they_are = error;
    }
  }
  const auto sorted = [&] {
    try {
      return with(true);
    } catch (const DataError& error) {
      if (error.problem().rule.find("Out of Memory") == std::string::npos) throw;
    }
    logs.keep();
    return with(true);
  };
  try {
    return sorted();
  } catch (const DataError& error) {
    // An empty cell that sorting does not explain is one in the file: its rows are what helps to find it.
    const std::string code = "missing_value";
    if (as_they_are && as_they_are->problem().code == code && error.problem().code == code)
      throw DataError(*as_they_are);
    throw;
  }
}

// What is wrong in a file that changes under our eyes is only that; and what seems right in it may be of two states.
// (Of several files, and of those that a query names, only DuckDB sees what it sees.)
template <class Use>
auto unless_changed(const std::string& path, const Use& use) {
  const auto before = moment_of_file(path);
  const auto expect_unchanged = [&] {
    if (before && moment_of_file(path) != before) fail_changed(path);
  };
  try {
    auto result = use();
    expect_unchanged();
    return result;
  } catch (const Error&) {
    expect_unchanged();
    throw;
  }
}

}  // namespace

bool needs_duckdb(const std::string& path, const ReadOptions& options) {
  return !options.sql.empty() || !options.table.empty() || kind_of(path) != FileKind::unknown;
}

ReadResult read_duckdb(const std::string& path, const ReadOptions& options) {
  return unless_changed(path, [&] {
    DuckLogs logs(path, options, half_the_memory(), {});
    ReadOptions unsorted = options;
    unsorted.sort = options.sort && !logs.can_sort();
    return logs.described(in_order(logs, options, [&](TableReader& table) { return read_batches(table, unsorted); }));
  });
}

OpenedLogs open_duckdb(const std::string& path, const ReadOptions& options, const OpenOptions& opening) {
  // DuckDB and the blocks share what there is. It cannot sort with less than that, and its library takes some, too.
  constexpr std::int64_t least = 200'000'000, library = 60'000'000;
  const std::int64_t memory = std::max(opening.memory / 2, least);
  OpenOptions half = opening;
  half.memory = std::max<std::int64_t>(opening.memory - memory - library, 0);
  return unless_changed(path, [&] {
    DuckLogs logs(path, options, memory, opening.folder);
    if (options.sort && !logs.can_sort()) return opened_in_memory(read_duckdb(path, options), opening.steps);
    ReadOptions unsorted = options;
    unsorted.sort = false;
    return logs.described(
        in_order(logs, options, [&](TableReader& table) { return open_logs(table, unsorted, half); }));
  });
}

void with_columns_of_duckdb(const std::string& path, const ReadOptions& options, const std::string& column,
                            const std::function<void(TableReader&)>& use) {
  const DuckLogs logs(path, options, half_the_memory(), {});
  ArrowArrayStream stream = logs.rows_with(column);
  ArrowTableReader table(&stream, logs.name());
  use(table);
}

std::optional<LogsSize> size_of_duckdb(const std::string& path, const ReadOptions& options) {
  const FileKind kind = kind_of(path);
  if (!options.sql.empty() || (kind != FileKind::parquet && kind != FileKind::database)) return std::nullopt;
  const DuckLogs logs(path, options, half_the_memory(), {});
  constexpr std::int64_t bytes = sizeof(double);  // of a cell, and of the ratio of a step
  const std::int64_t rows = logs.count();
  return LogsSize{
      .bytes = rows * (logs.fields() + 1) * bytes, .steps = rows, .state_numbers = logs.numbers_of_a_state()};
}

}  // namespace starope::io
