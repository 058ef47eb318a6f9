#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "starope/io/assemble.hpp"
#include "starope/io/column_roles.hpp"
#include "starope/io/long_table.hpp"
#include "starope/io/table_reader.hpp"

namespace starope::io {

// Reads from a table what its columns mean for logs: which of them play a role, which hold ids and which numbers, and
// what an empty cell says. The same for all formats.
class LogReader {
 public:
  LogReader(TableReader& table, const ReadOptions& options);  // DataError where a column is missing

  // Columns of the first batch may stay where they lie: for whoever expects no other batch.
  void borrow() { borrows_ = true; }

  const std::vector<UsedColumn>& used() const noexcept { return used_; }
  const std::vector<std::string>& ignored() const noexcept { return ignored_; }

  // The next batch of rows; none: that was all. Once a row is wrong, the rest is only looked at for others that are,
  // and the end is a DataError that tells of all.
  std::optional<LongTable> next();
  // The same behind the rows of a table that has those before, straight to where they stay; false: that was all.
  // Names of episodes that are not the table's own live as long as the reader stays at this batch.
  bool append(LongTable& to);

 private:
  TableReader& table_;
  ReadOptions options_;
  ColumnRoles roles_{};
  std::vector<UsedColumn> used_{};
  std::vector<std::string> ignored_{};
  std::int64_t first_row_ = 0;  // of the whole table, in the file
  bool begun_ = false;
  bool borrows_ = false;
  Offences offences_{};
};

// The first batch of a table as a data set: for tables that come in one.
ReadResult read_logs(TableReader& table, const ReadOptions& options);
// All batches. DataError if there are no rows.
ReadResult read_batches(TableReader& table, const ReadOptions& options);
// The same of a table that stays where it is: if it comes in one batch, it is used where it lies, as far as it can be.
LogsWithRows borrow_batches(TableReader& table, const ReadOptions& options);

[[noreturn]] void fail_no_rows(const TableReader& table);
[[noreturn]] void fail_no_rows(const std::string& file);

}  // namespace starope::io
