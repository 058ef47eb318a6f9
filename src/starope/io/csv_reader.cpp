#include "starope/io/csv_reader.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "starope/error.hpp"
#include "starope/io/assemble.hpp"
#include "starope/io/csv_cells.hpp"
#include "starope/io/log_reader.hpp"

namespace starope::io {
namespace {

// No record is that long. One that seems to be has a quote that does not close: the table ends there, and says so.
constexpr std::size_t longest_record = std::size_t{1} << 28;

CsvOptions csv_options(char delimiter, const ReadOptions& options) {
  CsvOptions csv;
  csv.delimiter = delimiter;
  csv.threads = options.threads;
  csv.chunk_bytes = options.chunk_bytes;
  return csv;
}

}  // namespace

CsvTableReader::CsvTableReader(InputFile file, char delimiter, const ReadOptions& options)
    : ended_(true), bytes_(static_cast<std::int64_t>(file.bytes().size())) {
  first_ = std::make_unique<CsvTable>(std::move(file), csv_options(delimiter, options));
  describe_columns();
}

CsvTableReader::CsvTableReader(std::unique_ptr<InputStream> stream, char delimiter, const ReadOptions& options)
    : stream_(std::move(stream)), size_(size_of_file(stream_->path())) {
  if (options.chunk_bytes < 1) throw InvalidArgument("chunk_bytes must be at least 1");
  const std::int64_t chunks = std::max(2, options.threads.count());  // each thread has one at a time
  bytes_per_batch_ = static_cast<std::size_t>(chunks * std::min(options.chunk_bytes, std::int64_t{1} << 40));
  std::vector<char> bytes = more();
  // A header alone is no part of a table.
  while (!ended_ && end_of_records({bytes.data(), bytes.size() - 1}) == 0) {
    const std::vector<char> rows = more();
    bytes.insert(bytes.end(), rows.begin(), rows.end());
  }
  first_ = std::make_unique<CsvTable>(InputFile(std::move(bytes), stream_->path()), csv_options(delimiter, options));
  describe_columns();
}

void CsvTableReader::describe_columns() {
  const std::vector<std::string> first = first_->first_row();
  for (std::size_t i = 0; i < first_->names().size(); ++i) {
    const bool integer = i < first.size() && written_as_integer(first[i]);
    columns_.push_back(
        {.name = first_->names()[i], .type = integer ? TableColumn::Type::integer : TableColumn::Type::text});
  }
}

std::vector<char> CsvTableReader::more() {
  std::vector<char> bytes = std::exchange(carried_, {});
  std::size_t end = 0;
  while (end == 0 && !ended_) {
    ended_ = stream_->append(bytes, bytes_per_batch_) < bytes_per_batch_;
    if (ended_) break;
    end = end_of_records({bytes.data(), bytes.size()});
    ended_ = end == 0 && bytes.size() > longest_record;
  }
  if (!ended_) {
    carried_.assign(bytes.begin() + static_cast<std::ptrdiff_t>(end), bytes.end());
    bytes.resize(end);
  }
  bytes_ += static_cast<std::int64_t>(bytes.size());
  return bytes;
}

std::optional<double> CsvTableReader::share_read() const {
  if (!size_ || *size_ < 1) return std::nullopt;
  return std::min(1.0, static_cast<double>(bytes_) / static_cast<double>(*size_));
}

TableSource CsvTableReader::source() const {
  return {.file = first_->path(), .first_row = part().layout().file_row(0)};
}

std::optional<std::int64_t> CsvTableReader::next(std::int64_t /*key*/) {
  if (!begun_) {
    begun_ = true;  // the first batch may be empty: then it has a record that is no row
    return first_->rows();
  }
  while (!ended_) {
    const CsvLayout& before = part().layout();
    const std::int64_t rows = before.rows_before + before.rows;
    std::vector<char> bytes = more();
    later_ = std::make_unique<CsvTable>(InputFile(std::move(bytes), first_->path()), *first_, rows);
    const CsvLayout& layout = later_->layout();
    if (layout.rows > 0 || !layout.unterminated.empty()) return layout.rows;
  }
  return std::nullopt;
}

TableReading CsvTableReader::read(std::vector<WantedColumn> wanted) {
  CsvReading reading = part().look(std::move(wanted), blank_cell_remedy);
  return {.text = std::move(reading.text),
          .partial_rows = std::move(reading.partial_rows),
          .offences = std::move(reading.offences),
          .lost = reading.lost};
}

ReadResult read_csv(const std::string& path, const ReadOptions& options) {
  return read_csv(InputFile(path), options);
}

ReadResult read_tsv(const std::string& path, const ReadOptions& options) {
  return read_tsv(InputFile(path), options);
}

ReadResult read_csv(InputFile file, const ReadOptions& options) {
  CsvTableReader table(std::move(file), ',', options);
  return read_logs(table, options);
}

ReadResult read_tsv(InputFile file, const ReadOptions& options) {
  CsvTableReader table(std::move(file), '\t', options);
  return read_logs(table, options);
}

}  // namespace starope::io
