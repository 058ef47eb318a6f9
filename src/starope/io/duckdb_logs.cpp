#include "starope/io/duckdb_logs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "starope/error.hpp"
#include "starope/io/arrow_reader.hpp"
#include "starope/io/atomic_file.hpp"
#include "starope/io/csv_reader.hpp"
#include "starope/io/duckdb.hpp"
#include "starope/io/input_file.hpp"
#include "starope/io/log_reader.hpp"
#include "starope/io/open.hpp"
#include "starope/io/write_source.hpp"

#if STAROPE_FILES
#include <unistd.h>

#include <filesystem>
#include <fstream>
#endif

namespace starope::io {
namespace {

enum class FileKind { parquet, json, text, database, unknown };

bool has_ending(const std::string& name, const char* end) {
  const std::string_view tail(end);
  if (name.size() < tail.size()) return false;
  return std::equal(tail.rbegin(), tail.rend(), name.rbegin(),
                    [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b); });
}

// A folder with Parquet files in it, or in folders in it.
bool is_folder([[maybe_unused]] const std::string& path) {
#if STAROPE_FILES
  std::error_code unknown;
  if (!std::filesystem::is_directory(path, unknown)) return false;
  constexpr int most = 10'000;  // looked at: a folder that is no table is not searched for ever
  int looked_at = 0;
  for (auto each = std::filesystem::recursive_directory_iterator(path, unknown);
       !unknown && each != std::filesystem::recursive_directory_iterator() && looked_at < most;
       each.increment(unknown), ++looked_at) {
    if (has_ending(each->path().string(), ".parquet")) return true;
  }
#endif
  return false;
}

// A file that is called so is that file.
bool is_pattern(const std::string& path) {
  return path.find_first_of("*?[") != std::string::npos && !size_of_file(path);
}

// What the first bytes of a file say.
FileKind kind_of_content(const std::string& path) {
  const std::string first = first_bytes(path, 12);
  const std::string_view bytes = first;
  if (bytes.substr(0, 4) == "PAR1") return FileKind::parquet;
  if (bytes.size() == 12 && bytes.substr(8, 4) == "DUCK") return FileKind::database;
  if (bytes.substr(0, 2) == "\x1f\x8b" || bytes.substr(0, 4) == "\x28\xb5\x2f\xfd") return FileKind::text;
  if (bytes.substr(0, 1) == "{") return FileKind::json;
  return path.empty() ? FileKind::text : FileKind::unknown;
}

FileKind kind_of_name(std::string path) {
  bool packed = false;
  for (const char* end : {".gz", ".zst"}) {
    if (!packed && has_ending(path, end)) {
      path = path.substr(0, path.rfind('.'));
      packed = true;
    }
  }
  for (const char* end : {".parquet", ".pq"}) {
    if (has_ending(path, end)) return FileKind::parquet;
  }
  for (const char* end : {".jsonl", ".ndjson", ".json"}) {
    if (has_ending(path, end)) return FileKind::json;
  }
  for (const char* end : {".duckdb", ".ddb", ".db"}) {
    if (has_ending(path, end)) return FileKind::database;
  }
  const bool text = has_ending(path, ".csv") || has_ending(path, ".tsv");
  return packed || (text && is_pattern(path)) ? FileKind::text : FileKind::unknown;
}

// The content of a file tells more than its name; only how packed text goes on is in the name alone.
FileKind kind_of(const std::string& path) {
  const FileKind kind = kind_of_name(path);
  if (is_pattern(path)) return kind;
  if (kind == FileKind::unknown && is_folder(path)) return FileKind::parquet;
  if (!size_of_file(path)) return kind;
  const FileKind content = kind_of_content(path);
  const bool ours = has_ending(path, ".csv") || has_ending(path, ".tsv") || has_ending(path, ".npz");
  if (kind == FileKind::unknown && content == FileKind::json) return ours ? FileKind::unknown : FileKind::json;
  if (content == FileKind::parquet || content == FileKind::database || kind == FileKind::unknown) return content;
  return is_zip(path) ? FileKind::unknown : kind;
}

// How text is packed whose name does not tell: DuckDB goes by the name.
std::string packed_with(const std::string& path) {
  if (is_pattern(path) || has_ending(path, ".gz") || has_ending(path, ".zst")) return {};
  const std::string first = first_bytes(path, 4);
  if (first.substr(0, 2) == "\x1f\x8b") return ", compression = 'gzip'";
  return first == "\x28\xb5\x2f\xfd" ? ", compression = 'zstd'" : "";
}

// Logs as a query in a database.
class DuckLogs {
 public:
  DuckLogs(const std::string& path, const ReadOptions& options, std::int64_t memory, const std::string& folder)
      : options_(options),
        database_(kind_of(path) == FileKind::database),
        name_(options.sql.empty() ? path : "the query"),
        db_(open(path, memory, folder)) {
    if (!options.sql.empty()) {
      query_ = fmt::format("({})", options.sql);
    } else if (database_) {
      query_ = sql_name(table());
    } else {
      query_ = rows_of(path);
    }
    countable_ = options.sql.empty() && (database_ || kind_of(path) == FileKind::parquet);
    choose_columns();
  }

  const std::string& name() const { return name_; }
  bool can_sort() const { return t_.has_value(); }
  // As if all columns had been read.
  template <class Read>
  Read described(Read result) const {
    result.summary.file = name_;
    result.summary.ignored = ignored_;
    return result;
  }

  ArrowArrayStream rows(bool sorted) const {
    std::string sql = fmt::format("SELECT {} FROM {}", fmt::join(columns_, ", "), query_);
    if (sorted) sql += fmt::format(" ORDER BY {}, {} NULLS LAST", sql_name(episode_), sql_name(*t_));
    return db_.query(sql, name_);
  }

  std::int64_t count() const {
    const auto counted = db_.texts(fmt::format("SELECT count(*) FROM {}", query_), name_);
    return std::stoll(counted.at(0));
  }
  std::int64_t fields() const { return fields_; }
  // How many rows there are, where that costs nothing to know.
  std::optional<std::int64_t> known_rows() const { return countable_ ? std::optional(count()) : std::nullopt; }

 private:
  DuckDb open(const std::string& path, std::int64_t memory, const std::string& folder) const {
    // What is not there should not cost a library to say so.
    if (!path.empty() && !is_pattern(path) && !is_folder(path)) InputStream{path};
    try {
      return DuckDb({.library = options_.duckdb_library,
                     .database = database_ ? path : "",
                     .memory = memory,
                     .folder = folder,
                     .threads = options_.threads});
    } catch (const FileError& error) {
      throw FileError(fmt::format("{}: {}", name_, error.what()));
    }
  }

  // The one that was named, or the only one there is.
  std::string table() const {
    if (!options_.table.empty()) return options_.table;
    const auto tables = db_.texts("SELECT table_name FROM information_schema.tables ORDER BY table_name", name_);
    if (tables.size() == 1) return tables[0];
    throw FileError(fmt::format("{}: this database has {} tables ({}). Name the one that holds the logs with --table",
                                name_, tables.size(), fmt::join(tables, ", ")));
  }

  // The first row tells names, types and the length of lists. What plays no role is not read.
  void choose_columns() {
    ArrowArrayStream stream = db_.query(fmt::format("SELECT * FROM {} LIMIT 1", query_), name_);
    ArrowTableReader first(&stream, name_);
    const LogReader logs(first, options_);
    for (const UsedColumn& used : logs.used()) {
      const std::string column = first.column_of(used.name);
      if (used.role == "episode") episode_ = column;
      if (used.role == "t") t_ = column;
      const std::string quoted = sql_name(column);
      if (std::find(columns_.begin(), columns_.end(), quoted) == columns_.end()) columns_.push_back(quoted);
    }
    fields_ = static_cast<std::int64_t>(logs.used().size());
    ignored_ = logs.ignored();
  }

  const ReadOptions& options_;
  bool database_;
  std::string name_;
  DuckDb db_;
  std::string query_{};
  std::vector<std::string> ignored_{};
  std::vector<std::string> columns_{};
  std::string episode_{};
  std::optional<std::string> t_{};
  std::int64_t fields_ = 0;
  bool countable_ = false;
};

// What rows out of order look like. Whether they are, sorting shows.
bool may_be_disorder(const DataError& error) {
  const std::string& code = error.problem().code;
  return code == "not_contiguous" || code == "t_not_increasing" || code == "row_after_termination" ||
         code == "missing_value";
}

// `use(table)` for the rows as they are; and again for the sorted rows if they turn out not to be in order.
template <class Use>
auto in_order(const DuckLogs& logs, const ReadOptions& options, const Use& use) {
  const auto with = [&](bool sorted) {
    const auto known = logs.known_rows();  // before: a connection answers one question at a time
    ArrowArrayStream stream = logs.rows(sorted);
    ArrowTableReader table(&stream, sorted ? logs.name() + " (sorted by episode and time)" : logs.name());
    if (known) table.expect_rows(*known);
    return use(table);
  };
  if (!logs.can_sort()) return with(false);
  if (!options.sort) {
    try {
      return with(false);
    } catch (const DataError& error) {
      if (!may_be_disorder(error)) throw;
    }
  }
  return with(true);
}

}  // namespace

bool needs_duckdb(const std::string& path, const ReadOptions& options) {
  return !options.sql.empty() || !options.table.empty() || kind_of(path) != FileKind::unknown;
}

std::string rows_of(const std::string& path) {
  const std::string from = sql_text(is_folder(path) ? path + "/**/*.parquet" : path);
  switch (kind_of(path)) {
    case FileKind::parquet:
      return fmt::format("read_parquet({}, hive_partitioning = {})", from, is_folder(path));
    case FileKind::json:
      return fmt::format("read_json({})", from);
    default:
      // As texts: then numbers and ids are read by the rules of our own text files.
      return fmt::format("read_csv({}, header = true, all_varchar = true{})", from, packed_with(path));
  }
}

ReadResult read_duckdb(const std::string& path, const ReadOptions& options) {
  const DuckLogs logs(path, options, half_the_memory(), {});
  ReadOptions unsorted = options;
  unsorted.sort = options.sort && !logs.can_sort();
  return logs.described(in_order(logs, options, [&](TableReader& table) { return read_batches(table, unsorted); }));
}

OpenedLogs open_duckdb(const std::string& path, const ReadOptions& options, const OpenOptions& opening) {
  // DuckDB and the blocks share what there is.
  OpenOptions half = opening;
  half.memory = opening.memory / 2;
  const DuckLogs logs(path, options, std::max(half.memory, std::int64_t{200'000'000}), opening.folder);
  if (options.sort && !logs.can_sort()) return opened_in_memory(read_duckdb(path, options), opening.steps);
  ReadOptions unsorted = options;
  unsorted.sort = false;
  return logs.described(in_order(logs, options, [&](TableReader& table) { return open_logs(table, unsorted, half); }));
}

std::optional<std::int64_t> memory_needed_duckdb(const std::string& path, const ReadOptions& options) {
  const FileKind kind = kind_of(path);
  if (!options.sql.empty() || (kind != FileKind::parquet && kind != FileKind::database)) return std::nullopt;
  const DuckLogs logs(path, options, half_the_memory(), {});
  constexpr std::int64_t bytes = sizeof(double);  // of a cell, and of the ratio of a step
  return logs.count() * (logs.fields() + 1) * bytes;
}

bool duckdb_writes(const std::string& path) {
  const FileKind kind = kind_of_name(path);
  return !is_pattern(path) && (kind == FileKind::parquet || kind == FileKind::json || kind == FileKind::text);
}

#if !STAROPE_FILES

void write_duckdb(const Source& /*source*/, const std::string& path, const WriteOptions& /*options*/) {
  throw FileError(fmt::format("{}: this starope was built without files", path));
}

#else

namespace {

// What a column of the canonical table holds.
std::string type_of_column(const std::string& name, const Dataset& data) {
  if (name == "episode") return std::holds_alternative<Column<std::string>>(data.episode_ids()) ? "VARCHAR" : "BIGINT";
  if (name == "t" || name == "state" || name == "action") return "BIGINT";
  if (name == "terminated" || name == "truncated") return "BOOLEAN";
  return "DOUBLE";
}

// Gone when it is no longer needed, whatever happens.
struct Temporary {
  std::string path;
  ~Temporary() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
};

}  // namespace

// By way of our own text, whose numbers read back as the same doubles.
void write_duckdb(const Source& source, const std::string& path, const WriteOptions& options) {
  const std::string own = fmt::format(".starope-{}", ::getpid());
  const std::filesystem::path target(path);
  const Temporary text{(std::filesystem::temp_directory_path() / (own + ".csv")).string()};
  const Temporary made{(target.parent_path() / (own + target.filename().string())).string()};
  {
    AtomicFile file(text.path);
    write_csv(
        source, [&](std::string_view piece) { file.write(piece); }, options);
    file.commit();
  }
  const Dataset first = *source.open()();
  std::ifstream file(text.path);
  std::string header, columns;
  std::getline(file, header);
  for (std::size_t at = 0; at < header.size();) {
    const std::size_t end = std::min(header.find(',', at), header.size());
    const std::string name = header.substr(at, end - at);
    columns += fmt::format("{}{}: '{}'", columns.empty() ? "" : ", ", sql_text(name), type_of_column(name, first));
    at = end + 1;
  }
  const bool gzip = has_ending(path, ".gz"), zstd = has_ending(path, ".zst");
  std::string format = "FORMAT parquet, COMPRESSION zstd";
  if (kind_of_name(path) == FileKind::json) format = "FORMAT json";
  if (kind_of_name(path) == FileKind::text) format = "FORMAT csv, HEADER";
  if (gzip || zstd) format += fmt::format(", COMPRESSION {}", gzip ? "gzip" : "zstd");
  const DuckDb db({.library = options.duckdb_library});
  db.run(fmt::format(
             "COPY (SELECT * FROM read_csv({}, header = true, delim = ',', quote = '\"', columns = {{{}}})) TO {} ({})",
             sql_text(text.path), columns, sql_text(made.path), format),
         path);
  std::filesystem::rename(made.path, path);
}

#endif

}  // namespace starope::io
