#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "starope/io.hpp"
#include "starope/io/csv_table.hpp"
#include "starope/io/input_file.hpp"
#include "starope/io/table_reader.hpp"

namespace starope::io {

// A CSV file as a table: all of it as one batch, or as batches of some chunks each, of which one is held at a time. A
// pipe can be read either way.
class CsvTableReader : public TableReader {
 public:
  CsvTableReader(InputFile file, char delimiter, const ReadOptions& options);
  CsvTableReader(std::unique_ptr<InputStream> stream, char delimiter, const ReadOptions& options);

  const std::vector<TableColumn>& columns() const override { return columns_; }
  TableSource source() const override;
  std::optional<std::int64_t> next(std::int64_t key) override;
  TableReading read(std::vector<WantedColumn> wanted) override;
  void expect_unchanged() const override { part().expect_unchanged(); }

  // How many bytes of the text the batches so far had; the first batch is there from the beginning.
  std::int64_t bytes() const noexcept { return bytes_; }
  std::optional<double> share_read() const override;

 private:
  void describe_columns();
  std::vector<char> more();                                            // the next bytes, up to the end of a record
  const CsvTable& part() const { return later_ ? *later_ : *first_; }  // that is read

  std::unique_ptr<InputStream> stream_{};
  bool ended_ = false;  // what the stream had
  std::size_t bytes_per_batch_ = 0;
  std::vector<char> carried_{};  // the beginning of a record that is not complete
  std::unique_ptr<CsvTable> first_{};
  std::unique_ptr<CsvTable> later_{};
  std::vector<TableColumn> columns_{};
  std::int64_t bytes_ = 0;
  std::optional<std::int64_t> size_{};  // of the file
  bool begun_ = false;
};

// What separates the fields of a file that is read as text; none: it is of another format.
std::optional<char> delimiter_of(const std::string& path);
// The same of a file in memory that begins so.
std::optional<char> delimiter_of(const std::string& name, std::string_view begin);

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
