#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "starope/io/input_file.hpp"
#include "starope/types.hpp"

namespace starope::io {

// Comma-separated values as RFC 4180 has them: fields may be quoted, a quote inside is doubled, quoted fields may hold
// delimiters and newlines. Lines end with LF or CRLF, the last one may lack its end, blank lines at the end and a UTF-8
// byte order mark are ignored.
struct CsvOptions {
  enum class Header { first_record, automatic };  // automatic: the first record is one if not all of it are numbers
  char delimiter = ',';
  Header header = Header::first_record;
  Threads threads = Threads::all();
  std::int64_t chunk_bytes = std::int64_t{4} << 20;  // what one thread parses at a time; results do not depend on it
};

// Consecutive records; the last byte is a newline.
struct CsvChunk {
  std::string_view bytes{};
  std::int64_t first_row = 0;  // 0-based, the header not counted
  std::int64_t rows = 0;
};

// Where the records of a file are. Views point into the InputFile, which must live as long.
struct CsvLayout {
  std::vector<std::string> names{};  // of the header; empty without one
  bool has_header = false;
  std::int64_t fields = 0;  // per record
  std::int64_t rows = 0;    // without the header, and without the record of an unterminated quote
  std::vector<CsvChunk> chunks{};
  bool quoted = false;                         // some byte behind the header is a quote
  std::string_view unterminated{};             // a last record in which a quote opens that never closes; no row
  std::unique_ptr<std::string> last_record{};  // the last record with a newline, if the file lacks it
  std::int64_t rows_before = 0;                // of a part of a file: in the parts before it

  // The number of a row in the file as messages give it: 1 is the first record, a header counts.
  std::int64_t file_row(std::int64_t row) const noexcept { return rows_before + row + (has_header ? 2 : 1); }
};

// DataError if the file is empty, has no data rows, is no text, or has a header with a name twice.
CsvLayout scan_csv(const InputFile& file, const CsvOptions& options);

// The same for a later part of a file whose first part has the layout `first`: there is no header, and all of it are
// records. A part ends where `end_of_records` says, or where the file does.
CsvLayout scan_csv_part(const InputFile& part, const CsvLayout& first, std::int64_t rows_before,
                        const CsvOptions& options);

// Where the last record of these bytes ends that surely is complete, behind its newline; the bytes begin with a record.
// Blank lines at the end stay for what comes next: at the end of a file they are none. 0: there is no such record.
std::size_t end_of_records(std::string_view bytes) noexcept;

// One field. `text` is what stands between delimiters without blanks, or between quotes (doubled quotes still doubled).
struct CsvField {
  enum class Flaw { none, stray_quote, text_behind_quote, unterminated };
  std::string_view text{};
  bool escaped = false;              // quoted, with doubled quotes inside
  bool ends_record = false;          // the terminator is a newline, or the end of the range
  const char* terminator = nullptr;  // the delimiter or newline behind the field, or the end of the range
  Flaw flaw = Flaw::none;
};

// The field that starts at `first`.
CsvField field_at(const char* first, const char* end, char delimiter) noexcept;

// The text of a field with doubled quotes made single.
std::string unescaped(const CsvField& field);

}  // namespace starope::io
