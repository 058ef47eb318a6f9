#include "starope/io/duckdb_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "starope/error.hpp"
#include "starope/io/atomic_file.hpp"
#include "starope/io/duckdb.hpp"
#include "starope/io/file_kind.hpp"
#include "starope/io/nameless_file.hpp"
#include "starope/io/write_source.hpp"

namespace starope::io {
namespace {

// What a column of the canonical table holds.
std::string type_of_column(std::string_view name, const Dataset& data) {
  if (name == "episode") return std::holds_alternative<Column<std::string>>(data.episode_ids()) ? "VARCHAR" : "BIGINT";
  if (name == "t" || name == "state" || name == "action") return "BIGINT";
  if (name == "terminated" || name == "truncated") return "BOOLEAN";
  return "DOUBLE";
}

// The names of a header with their types, as DuckDB wants them told.
std::string columns_of(std::string_view header, const Dataset& data) {
  std::string columns;
  for (std::size_t at = 0; at < header.size();) {
    const std::size_t end = std::min(header.find(',', at), header.size());
    const std::string_view name = header.substr(at, end - at);
    columns +=
        fmt::format("{}{}: '{}'", columns.empty() ? "" : ", ", sql_text(std::string(name)), type_of_column(name, data));
    at = end + 1;
  }
  return columns;
}

std::string format_of(const std::string& path) {
  const bool gzip = has_ending(path, ".gz"), zstd = has_ending(path, ".zst");
  std::string format = "FORMAT parquet, COMPRESSION zstd";
  if (kind_of_name(path) == FileKind::json) format = "FORMAT json";
  if (kind_of_name(path) == FileKind::text) format = "FORMAT csv, HEADER";
  // The reader goes by the name as well.
  if ((gzip || zstd) && has_ending(path.substr(0, path.rfind('.')), ".tsv")) format += ", DELIMITER '\t'";
  if (gzip || zstd) format += fmt::format(", COMPRESSION {}", gzip ? "gzip" : "zstd");
  return format;
}

}  // namespace

bool duckdb_writes(const std::string& path) {
  const FileKind kind = kind_of_name(path);
  return !is_pattern(path) && (kind == FileKind::parquet || kind == FileKind::json || kind == FileKind::text);
}

// By way of our own text, whose numbers read back as the same doubles. Neither that text nor what DuckDB writes has a
// name before it is whole: whatever ends the process leaves nothing behind.
void write_duckdb(const Source& source, const std::string& path, const WriteOptions& options) {
  const DuckDb db({.library = options.duckdb_library});
  AtomicFile made(path);
  NamelessFile text({}, "which holds the logs on their way to another kind of file");
  std::string header;
  write_csv(
      source,
      [&](std::string_view piece) {
        if (text.size() == 0) header = piece.substr(0, piece.find('\n'));
        text.append(piece);
      },
      options);
  const Dataset first = *source.open()();
  db.run(
      fmt::format("COPY (SELECT * FROM read_csv({}, header = true, delim = ',', quote = '\"', escape = '\"', "
                  "columns = {{{}}})) TO {} ({}, USE_TMP_FILE false)",
                  sql_text(text.path()), columns_of(header, first), sql_text(made.open_elsewhere()), format_of(path)),
      path);
  made.commit();
}

}  // namespace starope::io
