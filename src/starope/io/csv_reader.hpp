#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "starope/io.hpp"
#include "starope/io/csv_table.hpp"
#include "starope/io/input_file.hpp"
#include "starope/io/table_reader.hpp"

namespace starope::io {

// A CSV file as a table. A batch is as many whole chunks as it takes to have `rows_per_batch` rows.
class CsvTableReader : public TableReader {
 public:
  explicit CsvTableReader(std::shared_ptr<const CsvTable> csv,
                          std::int64_t rows_per_batch = std::numeric_limits<std::int64_t>::max());

  const std::vector<TableColumn>& columns() const override { return columns_; }
  TableSource source() const override;
  std::optional<std::int64_t> next(std::int64_t key) override;
  TableReading read(std::vector<WantedColumn> wanted) override;

 private:
  std::shared_ptr<const CsvTable> csv_;
  std::int64_t rows_per_batch_;
  std::vector<TableColumn> columns_{};
  ChunkRange batch_{};
  bool begun_ = false;
};

// What separates the fields of a file that is read as text; none: it is of another format.
std::optional<char> delimiter_of(const std::string& path);

std::shared_ptr<const CsvTable> open_csv(InputFile file, char delimiter, const ReadOptions& options);

// Reads logged episodes from a CSV file with a header and one row per step.
//
// Whatever is wrong is a DataError that names file, row, column, value, the rule and what to do, or a FileError. Rows
// are counted as records from 1, the header being row 1 (a quoted newline starts no new row). Neither the data nor the
// error depend on options.threads and options.chunk_bytes.
ReadResult read_csv(const std::string& path, const ReadOptions& options = {});

// The same with fields separated by tabs.
ReadResult read_tsv(const std::string& path, const ReadOptions& options = {});

// The same for files that are open already.
ReadResult read_csv(InputFile file, const ReadOptions& options);
ReadResult read_tsv(InputFile file, const ReadOptions& options);

}  // namespace starope::io
