#include "starope/io/csv_table.hpp"

#include <utility>

#include "starope/error.hpp"
#include "starope/parallel/parallel_for.hpp"

namespace starope::io {
namespace {

void append(CsvReading& all, CsvReading part) {
  for (std::size_t i = 0; i < part.text.text.size(); ++i) {
    if (!all.text.text.empty() && all.text.text.back() == part.text.text[i]) continue;
    all.text.first_row.push_back(part.text.first_row[i]);
    all.text.text.push_back(part.text.text[i]);
  }
  for (auto& text : part.text.unescaped) all.text.unescaped.push_back(std::move(text));
  all.partial_rows.insert(all.partial_rows.end(), part.partial_rows.begin(), part.partial_rows.end());
  if (part.offences.any()) all.offences.append(std::move(part.offences));
}

CsvLayout scanned(const InputFile& file, const CsvOptions& options) {
  try {
    return scan_csv(file, options);
  } catch (const Error&) {
    file.expect_unchanged();  // what is wrong in a file that changes under our eyes is only that
    throw;
  }
}

}  // namespace

CsvTable::CsvTable(std::string path, const CsvOptions& options) : CsvTable(InputFile(std::move(path)), options) {}

CsvTable::CsvTable(InputFile file, const CsvOptions& options)
    : options_(options), file_(std::move(file)), layout_(scanned(file_, options)) {}

CsvTable::CsvTable(InputFile part, const CsvTable& first, std::int64_t rows_before)
    : options_(first.options_),
      file_(std::move(part)),
      layout_(scan_csv_part(file_, first.layout_, rows_before, options_)) {}

std::vector<std::string> CsvTable::first_row() const {
  std::vector<std::string> cells;
  if (layout_.chunks.empty()) return cells;  // its only record has a quote that never closes
  const std::string_view bytes = layout_.chunks.front().bytes;
  const char* const end = bytes.data() + bytes.size();
  for (const char* p = bytes.data();;) {
    const CsvField field = field_at(p, end, options_.delimiter);
    cells.push_back(unescaped(field));
    if (field.ends_record) return cells;
    p = field.terminator + 1;
  }
}

CsvReading CsvTable::read(std::vector<WantedColumn> columns, std::string blank_remedy) const {
  CsvReading reading = look(std::move(columns), std::move(blank_remedy));
  reading.offences.raise();
  return reading;
}

CsvReading CsvTable::look(std::vector<WantedColumn> columns, std::string blank_remedy) const {
  const CsvPlan plan = make_csv_plan(path(), layout_, options_.delimiter, std::move(columns), std::move(blank_remedy));
  std::vector<CsvReading> parts(layout_.chunks.size());
  try {
    parallel_for(static_cast<std::int64_t>(parts.size()), options_.threads,
                 [&](std::int64_t i) { parts[i] = parse_csv_chunk(plan, layout_.chunks[i]); });
  } catch (const Error&) {
    file_.expect_unchanged();
    throw;
  }
  file_.expect_unchanged();
  CsvReading all;
  for (CsvReading& part : parts) {
    all.lost = part.lost;
    append(all, std::move(part));
    if (all.lost) return all;  // whatever the chunks: nothing is said about what is behind
  }
  try {
    if (!layout_.unterminated.empty()) fail_unterminated(plan);  // behind all chunks
  } catch (const DataError& error) {
    all.offences.append(error);
    all.lost = true;
  }
  return all;
}

}  // namespace starope::io
