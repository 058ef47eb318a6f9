#include "starope/io/csv_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_set>

#include "starope/base/text.hpp"
#include "starope/error.hpp"
#include "starope/io/csv_cells.hpp"
#include "starope/parallel/parallel_for.hpp"

namespace starope::io {
namespace {

const char* find(std::string_view bytes, char c) noexcept {
  return bytes.empty() ? nullptr : static_cast<const char*>(std::memchr(bytes.data(), c, bytes.size()));
}

std::string_view between(const char* first, const char* end) noexcept {
  return {first, static_cast<std::size_t>(end - first)};
}

[[noreturn]] void fail(const InputFile& file, std::optional<std::int64_t> row, const char* code, std::string rule,
                       std::string remedy) {
  DataError::Problem problem;
  problem.code = code;
  problem.at.file = file.path();
  problem.at.row = row;
  problem.rule = std::move(rule);
  problem.remedy = std::move(remedy);
  throw DataError(std::move(problem));
}

// Without blank lines at the end. One newline stays, if there is one.
std::string_view without_blank_end(std::string_view bytes) noexcept {
  std::size_t size = bytes.size();
  const auto blank = [&](std::size_t i) { return bytes[i] == '\n' || bytes[i] == '\r'; };
  while (size > 0 && blank(size - 1)) --size;
  if (size == 0) return {};
  const std::size_t newline = bytes.find('\n', size);
  return newline == std::string_view::npos ? bytes.substr(0, size) : bytes.substr(0, newline + 1);
}

std::string_view content_of(std::string_view bytes) noexcept {
  if (bytes.substr(0, 3) == "\xEF\xBB\xBF") bytes.remove_prefix(3);  // a byte order mark
  return without_blank_end(bytes);
}

struct Counts {
  std::int64_t newlines = 0;
  bool quotes = false;
  bool zeros = false;
};

// Three passes over blocks that stay in the first-level cache cost hardly more than the one that fetches them.
Counts count_in(std::string_view bytes) noexcept {
  constexpr std::size_t block_size = 16384;
  Counts counts;
  for (std::size_t start = 0; start < bytes.size(); start += block_size) {
    std::string_view block = bytes.substr(start, block_size);
    counts.quotes = counts.quotes || find(block, '"') != nullptr;
    counts.zeros = counts.zeros || find(block, '\0') != nullptr;
    while (const char* newline = find(block, '\n')) {
      ++counts.newlines;
      block.remove_prefix(static_cast<std::size_t>(newline - block.data()) + 1);
    }
  }
  return counts;
}

// Cuts behind the first newline at or after each multiple of chunk_bytes. Every newline must end a record.
std::vector<CsvChunk> cut_at_newlines(std::string_view body, std::int64_t chunk_bytes) {
  std::vector<CsvChunk> chunks;
  const char* const end = body.data() + body.size();
  for (const char* first = body.data(); first != end;) {
    const auto left = end - first;
    const char* next = end;
    if (left > chunk_bytes) {
      if (const char* newline = find(between(first + chunk_bytes - 1, end), '\n')) next = newline + 1;
    }
    chunks.push_back({between(first, next), 0, 0});
    first = next;
  }
  return chunks;
}

struct QuotedCut {
  std::vector<CsvChunk> chunks{};
  std::string_view rest{};  // a last record without its newline
  bool open = false;        // and a quote in it stays open
};

// The same for bodies with quotes: a newline ends a record if the number of quotes before it is even (a doubled quote
// closes and opens again). A quote where none may stand breaks this from its own record on, and that record is still
// found where it begins, so the error is reported where it is.
QuotedCut cut_outside_quotes(std::string_view body, std::int64_t chunk_bytes) {
  QuotedCut cut;
  const char* const end = body.data() + body.size();
  const char* first = body.data();   // of the chunk
  const char* record = body.data();  // first of the record
  std::int64_t rows = 0;
  const auto close_chunk = [&] {
    if (record != first) cut.chunks.push_back({between(first, record), 0, rows});
    first = record;
    rows = 0;
  };
  for (const char* p = body.data(); p != end && !cut.open;) {
    const char* const quote = find(between(p, end), '"');
    const char* const outside_end = quote == nullptr ? end : quote;
    while (const char* newline = find(between(p, outside_end), '\n')) {
      p = newline + 1;
      record = p;
      ++rows;
      if (record - first >= chunk_bytes) close_chunk();
    }
    if (quote == nullptr) break;
    const char* const closing = find(between(quote + 1, end), '"');
    cut.open = closing == nullptr;
    p = cut.open ? end : closing + 1;
  }
  close_chunk();
  cut.rest = between(record, end);
  return cut;
}

[[noreturn]] void fail_binary(const InputFile& file, std::string_view content, const char* zero,
                              std::int64_t first_row = 1) {
  fail(file, first_row + std::count(content.data(), zero, '\n'), "binary_data", "holds a zero byte, which no text does",
       "Give a CSV file in UTF-8; a compressed file, a spreadsheet or UTF-16 text must be converted first");
}

// Counts the rows of every chunk, and whether quotes make this count wrong.
bool count_rows(std::vector<CsvChunk>& chunks, std::string_view content, std::int64_t first_row, const InputFile& file,
                Threads threads) {
  std::vector<Counts> counts(chunks.size());
  parallel_for(static_cast<std::int64_t>(chunks.size()), threads, [&](std::int64_t i) {
    counts[i] = count_in(chunks[i].bytes);
    chunks[i].rows = counts[i].newlines;
  });
  bool quotes = false;
  for (std::size_t k = 0; k < chunks.size(); ++k) {
    if (counts[k].zeros) fail_binary(file, content, find(chunks[k].bytes, '\0'), first_row);
    quotes = quotes || counts[k].quotes;
  }
  return quotes;
}

void cut_into_chunks(CsvLayout& layout, std::string_view content, std::string_view body, const InputFile& file,
                     const CsvOptions& options) {
  QuotedCut cut{cut_at_newlines(body, options.chunk_bytes), {}, false};
  const std::int64_t first_row = layout.rows_before == 0 ? 1 : layout.file_row(0);
  layout.quoted = count_rows(cut.chunks, content, first_row, file, options.threads);
  if (layout.quoted) {
    cut = cut_outside_quotes(body, options.chunk_bytes);
  } else if (body.back() != '\n') {
    const std::string_view last = cut.chunks.back().bytes;
    const std::size_t complete = last.rfind('\n') + 1;  // 0 if there is none: npos + 1
    cut.rest = last.substr(complete);
    cut.chunks.back().bytes = last.substr(0, complete);
    if (complete == 0) cut.chunks.pop_back();
  }
  layout.chunks = std::move(cut.chunks);
  // Every chunk ends with a newline, so the parser needs no other end. Only the last record can lack it.
  if (!cut.rest.empty() && !cut.open) {
    layout.last_record = std::make_unique<std::string>(cut.rest);
    *layout.last_record += '\n';
    layout.chunks.push_back({*layout.last_record, 0, 1});
  }
  for (CsvChunk& chunk : layout.chunks) {
    chunk.first_row = layout.rows;
    layout.rows += chunk.rows;
  }
  if (cut.open) layout.unterminated = cut.rest;
}

// Removes the first record from the content and returns its fields.
std::vector<std::string> take_record(std::string_view& content, const InputFile& file, char delimiter) {
  const char* const end = content.data() + content.size();
  std::vector<std::string> fields;
  for (const char* p = content.data();;) {
    const CsvField field = field_at(p, end, delimiter);
    if (field.flaw == CsvField::Flaw::unterminated) {
      fail(file, 1, "unterminated_quote", "opens a quote that never closes", "Close it, or remove it");
    }
    if (field.flaw != CsvField::Flaw::none) {
      fail(file, 1, "stray_quote", "has a quote in the middle of a field",
           "Put the whole field in quotes and double the quotes inside");
    }
    fields.push_back(unescaped(field));
    p = field.terminator == end ? end : field.terminator + 1;
    if (!field.ends_record) continue;
    content = between(p, end);
    return fields;
  }
}

void check_header(const std::vector<std::string>& names, const InputFile& file) {
  std::unordered_set<std::string_view> seen;
  for (const std::string& name : names) {
    if (name.find('\r') != std::string::npos) {
      fail(file, 1, "line_ends", "holds a carriage return without a newline",
           "Save the file with LF or CRLF line ends");
    }
    if (!name.empty() && !seen.insert(name).second) {
      fail(file, 1, "duplicate_column", fmt::format("names the column '{}' twice", name),
           "Rename or remove one of them, so that it is clear which is meant");
    }
  }
}

bool all_numbers(const std::vector<std::string>& fields) {
  return std::all_of(fields.begin(), fields.end(), [](const std::string& f) { return number_in(f).has_value(); });
}

}  // namespace

CsvField field_at(const char* first, const char* end, char delimiter) noexcept {
  CsvField field;
  const auto end_at = [&](const char* p) {
    field.terminator = p;
    field.ends_record = p == end || *p == '\n';
  };
  if (first == end || *first != '"') {
    end_at(find_either(first, end, delimiter, '\n'));
    const char* last = field.terminator;
    if (field.ends_record && last != first && last[-1] == '\r') --last;
    field.text = between(first, last);
    if (find(field.text, '"') != nullptr) field.flaw = CsvField::Flaw::stray_quote;
    if (delimiter != '\t') field.text = trimmed(field.text);
    return field;
  }
  const char* p = first + 1;
  for (;;) {
    const char* const quote = find(between(p, end), '"');
    if (quote == nullptr) {
      field.text = between(first + 1, end);
      field.flaw = CsvField::Flaw::unterminated;
      end_at(end);
      return field;
    }
    p = quote + 1;
    if (p == end || *p != '"') {
      field.text = between(first + 1, quote);
      break;
    }
    field.escaped = true;
    ++p;
  }
  if (end - p >= 2 && p[0] == '\r' && p[1] == '\n') ++p;
  if (p != end && *p != delimiter && *p != '\n') {
    field.flaw = CsvField::Flaw::text_behind_quote;
    p = find_either(p, end, delimiter, '\n');
  }
  end_at(p);
  return field;
}

std::string unescaped(const CsvField& field) {
  if (!field.escaped) return std::string(field.text);
  std::string text;
  for (std::size_t i = 0; i < field.text.size(); ++i) {
    text += field.text[i];
    if (field.text[i] == '"') ++i;
  }
  return text;
}

CsvLayout scan_csv(const InputFile& file, const CsvOptions& options) {
  if (options.chunk_bytes < 1) throw InvalidArgument("chunk_bytes must be at least 1");
  std::string_view content = content_of(file.bytes());
  if (content.empty()) {
    fail(file, std::nullopt, "empty_file", "is empty", "Write a header line and the rows below it");
  }
  // A file that is no text at all would give odd messages about its header.
  if (const char* zero = find(content.substr(0, 65536), '\0')) fail_binary(file, content, zero);

  CsvLayout layout;
  std::string_view body = content;
  layout.names = take_record(body, file, options.delimiter);
  layout.fields = static_cast<std::int64_t>(layout.names.size());
  layout.has_header = options.header == CsvOptions::Header::first_record || !all_numbers(layout.names);
  if (layout.has_header) {
    check_header(layout.names, file);
  } else {
    layout.names.clear();
    body = content;
  }
  if (body.empty()) fail(file, std::nullopt, "no_rows", "has a header but no rows", "Write the rows below it");

  cut_into_chunks(layout, content, body, file, options);
  return layout;
}

CsvLayout scan_csv_part(const InputFile& part, const CsvLayout& first, std::int64_t rows_before,
                        const CsvOptions& options) {
  CsvLayout layout;
  layout.names = first.names;
  layout.has_header = first.has_header;
  layout.fields = first.fields;
  layout.rows_before = rows_before;
  const std::string_view content = without_blank_end(part.bytes());
  if (!content.empty()) cut_into_chunks(layout, content, content, part, options);
  return layout;
}

std::size_t end_of_records(std::string_view bytes) noexcept {
  std::size_t outside = 0;  // behind the last newline that no quote is around
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t quote = std::min(bytes.find('"', at), bytes.size());
    const std::size_t newline = quote == 0 ? std::string_view::npos : bytes.rfind('\n', quote - 1);
    if (newline != std::string_view::npos && newline >= at) outside = newline + 1;
    if (quote == bytes.size()) break;
    const std::size_t closing = bytes.find('"', quote + 1);
    if (closing == std::string_view::npos) break;
    at = closing + 1;
  }
  return without_blank_end(bytes.substr(0, outside)).size();
}

}  // namespace starope::io
