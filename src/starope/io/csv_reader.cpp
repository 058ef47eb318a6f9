#include "starope/io/csv_reader.hpp"

#include <utility>

#include "starope/io/assemble.hpp"
#include "starope/io/csv_cells.hpp"
#include "starope/io/log_reader.hpp"

namespace starope::io {

CsvTableReader::CsvTableReader(std::shared_ptr<const CsvTable> csv, std::int64_t rows_per_batch)
    : csv_(std::move(csv)), rows_per_batch_(rows_per_batch) {
  const std::vector<std::string> first = csv_->first_row();
  for (std::size_t i = 0; i < csv_->names().size(); ++i) {
    const bool integer = i < first.size() && written_as_integer(first[i]);
    columns_.push_back(
        {.name = csv_->names()[i], .type = integer ? TableColumn::Type::integer : TableColumn::Type::text});
  }
}

TableSource CsvTableReader::source() const {
  const CsvLayout& layout = csv_->layout();
  const std::int64_t row = batch_.first < batch_.last ? layout.chunks[batch_.first].first_row : 0;
  return {.file = csv_->path(), .first_row = layout.file_row(row)};
}

std::optional<std::int64_t> CsvTableReader::next(std::int64_t /*key*/) {
  const std::vector<CsvChunk>& chunks = csv_->layout().chunks;
  if (begun_ && batch_.last == chunks.size()) return std::nullopt;
  begun_ = true;  // the first batch may be empty: then it has a record that is no row
  batch_.first = batch_.last;
  std::int64_t rows = 0;
  while (batch_.last < chunks.size() && rows < rows_per_batch_) rows += chunks[batch_.last++].rows;
  return rows;
}

TableReading CsvTableReader::read(std::vector<WantedColumn> wanted) {
  CsvReading reading = csv_->read(std::move(wanted), blank_cell_remedy, batch_);
  return {.text = std::move(reading.text), .partial_rows = std::move(reading.partial_rows)};
}

std::shared_ptr<const CsvTable> open_csv(InputFile file, char delimiter, const ReadOptions& options) {
  CsvOptions csv;
  csv.delimiter = delimiter;
  csv.threads = options.threads;
  csv.chunk_bytes = options.chunk_bytes;
  return std::make_shared<const CsvTable>(std::move(file), csv);
}

ReadResult read_csv(const std::string& path, const ReadOptions& options) {
  return read_csv(InputFile(path), options);
}

ReadResult read_tsv(const std::string& path, const ReadOptions& options) {
  return read_tsv(InputFile(path), options);
}

ReadResult read_csv(InputFile file, const ReadOptions& options) {
  CsvTableReader table(open_csv(std::move(file), ',', options));
  return read_logs(table, options);
}

ReadResult read_tsv(InputFile file, const ReadOptions& options) {
  CsvTableReader table(open_csv(std::move(file), '\t', options));
  return read_logs(table, options);
}

}  // namespace starope::io
