#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "starope/io/csv_chunk.hpp"
#include "starope/io/csv_layout.hpp"
#include "starope/io/input_file.hpp"

namespace starope::io {

// An open CSV file whose columns can be read. Only the columns asked for are parsed, chunk by chunk on several threads,
// straight to where they belong. The result, and which error is reported (the first in the file), depend neither on the
// number of threads nor on the size of the chunks.
class CsvTable {
 public:
  explicit CsvTable(std::string path, const CsvOptions& options = {});
  explicit CsvTable(InputFile file, const CsvOptions& options = {});
  // A later part of the file whose first part is `first`.
  CsvTable(InputFile part, const CsvTable& first, std::int64_t rows_before);

  void expect_unchanged() const { file_.expect_unchanged(); }  // FileError if somebody wrote to the file
  const std::string& path() const noexcept { return file_.path(); }
  const CsvLayout& layout() const noexcept { return layout_; }
  const std::vector<std::string>& names() const noexcept { return layout_.names; }
  std::int64_t rows() const noexcept { return layout_.rows; }

  // The cells of the first row, to see what kind of values the columns hold.
  std::vector<std::string> first_row() const;

  // Writes rows() cells of every column. Texts are views that live as long as this table. Rows that are wrong are noted
  // in the reading.
  CsvReading look(std::vector<WantedColumn> columns, std::string blank_remedy) const;
  // The same; DataError if rows are wrong.
  CsvReading read(std::vector<WantedColumn> columns, std::string blank_remedy) const;

 private:
  CsvOptions options_;
  InputFile file_;
  CsvLayout layout_;
};

}  // namespace starope::io
