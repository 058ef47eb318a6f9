#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "starope/error.hpp"
#include "starope/io.hpp"
#include "starope/io/arrow_array.hpp"
#include "starope/io/duckdb.hpp"

namespace starope::io {

// The query that has the rows of a file, of a pattern of files or of a folder. keys_are_columns: what the names of
// folders say (KEY=VALUE) stands in the files as well, and is not looked at.
std::string rows_of(const std::string& path, bool keys_are_columns);

// Whether it is about two rows: then the other one would be looked for in the same file.
bool names_two_rows(const DataError::Problem& problem);

// Logs as a query in a database: which columns, in which order, from which files. The options have to outlive it.
class DuckLogs {
 public:
  DuckLogs(const std::string& path, const ReadOptions& options, std::int64_t memory, const std::string& folder);

  const std::string& name() const { return name_; }
  bool can_sort() const { return t_.has_value(); }
  // As if all columns had been read.
  template <class Read>
  Read described(Read result) const {
    result.summary.file = name_;
    result.summary.ignored = ignored_;
    return result;
  }

  ArrowArrayStream rows(bool sorted) const;

  // The columns of episodes and times, and of another one; all rows as they come.
  ArrowArrayStream rows_with(const std::string& column) const;

  // From here on rows come from a copy on the disk: what reads a query and what sorts it do not share the memory then.
  void keep();

  std::int64_t count() const;
  std::int64_t fields() const { return fields_; }
  std::int64_t numbers_of_a_state() const { return state_numbers_; }
  // The number of the first row: its line, where rows are lines of one text.
  std::int64_t first_row() const { return first_row_; }
  // What is wrong with rows as they come, at the file and the row of it where they stand if the rows are those of
  // several files. Looking for them takes as long as reading up to them did.
  DataError in_its_file(const DataError& error) const;

  // How many rows there are, where that costs nothing to know.
  std::optional<std::int64_t> known_rows() const { return countable_ ? std::optional(count()) : std::nullopt; }

 private:
  DuckDb open(const std::string& path, std::int64_t memory, const std::string& folder) const;

  // What would be passed over in silence is a mistake.
  void expect_used(const std::string& path) const;

  // What DuckDB would get wrong in silence: columns in files which folders named KEY=VALUE hide, and long decimals.
  void look_at_parquet(const std::string& path);

  // The one that was named, or the only one there is, as a query calls it. Tables of other schemas are SCHEMA.NAME.
  std::string table() const;

  // Packed ones, of a pattern all of them.
  void expect_whole_files(const std::string& path) const;

  // The rows of a JSON file, whose types are looked for once and then told.
  std::string with_types(const std::string& path) const;

  struct FirstRow {
    std::string of{};  // a file
    std::int64_t row = 0;
  };

  // The files that hold the first rows, in their order; none where this version of DuckDB cannot tell.
  std::vector<FirstRow> files_of_rows(std::int64_t rows) const;

  // It tells names, types and the length of lists.
  ArrowArrayStream first_row_of_all() const;

  // What plays no role is not read.
  void choose_columns();

  [[noreturn]] void fail_wide(const std::string& column) const;

  const ReadOptions& options_;
  bool database_;
  std::string name_;
  DuckDb db_;
  std::string query_{};
  std::vector<std::string> wide_{};  // columns of decimals with more digits than DuckDB has
  bool keys_are_columns_ = false;    // what the names of folders say stands in the files as well
  std::vector<std::string> ignored_{};
  std::vector<std::string> columns_{};
  std::string episode_{};
  std::optional<std::string> t_{};
  std::vector<std::string> order_{};  // what rows are sorted by
  std::int64_t fields_ = 0;
  std::int64_t state_numbers_ = 0;
  std::int64_t first_row_ = 0;
  std::int64_t first_row_of_a_file_ = 0;
  bool countable_ = false;
  bool several_ = false;  // files
};

}  // namespace starope::io
