#include "starope/io/duckdb_query.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "starope/io/arrow_reader.hpp"
#include "starope/io/file_kind.hpp"
#include "starope/io/input_file.hpp"
#include "starope/io/log_reader.hpp"
#include "starope/io/packed_file.hpp"

namespace starope::io {
namespace {

// A query as one writes it ends with a semicolon, which has no place inside of another one.
std::string without_end(const std::string& sql) {
  const std::size_t last = sql.find_last_not_of("; \t\r\n");
  return last == std::string::npos ? sql : sql.substr(0, last + 1);
}

std::int64_t line_of_first_row(FileKind kind) {
  if (kind == FileKind::text) return 2;  // below the header
  return kind == FileKind::json ? 1 : 0;
}

// Where the name tells what separates fields. Otherwise DuckDB looks.
std::string delimiter_option(std::string path) {
  for (char& c : path) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (path.find(".tsv") != std::string::npos) return ", delim = '\\t'";
  return path.find(".csv") != std::string::npos ? ", delim = ','" : "";
}

// Sorting takes memory for every thread, which has to leave enough for the sorting itself.
Threads threads_in(std::int64_t memory, Threads threads) {
  constexpr std::int64_t of_a_thread = 100'000'000;
  return Threads(static_cast<int>(std::clamp<std::int64_t>(memory / of_a_thread, 1, threads.count())));
}

// DuckDB takes a "~" at the beginning of a name for a home.
std::string name_text(const std::string& path) {
  return sql_text(path.starts_with('~') ? "./" + path : path);
}

// A file, a pattern, or the Parquet files of a folder, whose own name is no pattern.
std::string files_text(const std::string& path) {
  if (!is_parquet_folder(path)) return name_text(path);
  std::string folder;
  for (const char c : path) folder += c == '*' || c == '?' || c == '[' ? fmt::format("[{}]", c) : std::string(1, c);
  return name_text(folder + "/**/*.parquet");
}

// KEY of the parts KEY=VALUE of a path.
std::vector<std::string> keys_in(const std::string& path) {
  std::vector<std::string> keys;
  std::size_t begin = 0;
  for (std::size_t end = path.find('/'); end != std::string::npos; end = path.find('/', begin)) {
    const std::string part = path.substr(begin, end - begin);
    if (const std::size_t is = part.find('='); is != std::string::npos) keys.push_back(part.substr(0, is));
    begin = end + 1;
  }
  return keys;
}

}  // namespace

bool names_two_rows(const DataError::Problem& problem) {
  return problem.code == "not_contiguous" || problem.code == "t_not_increasing" ||
         problem.code == "row_after_termination";
}

std::string rows_of(const std::string& path, bool keys_are_columns) {
  const bool folder = is_parquet_folder(path), several = folder || is_pattern(path);
  const std::string from = files_text(path);
  // Otherwise the first file decides which columns there are, and a 0.4 is 0 where it has integers.
  constexpr int text_buffer = 4'000'000;  // bytes for every thread; eight times that are usual, and sorting needs them
  const char* const together = several ? ", union_by_name = true" : "";
  switch (kind_of(path)) {
    case FileKind::parquet:
      return fmt::format("read_parquet({}{}{})", from, together,
                         !several || keys_are_columns ? ", hive_partitioning = false"
                         : folder                     ? ", hive_partitioning = true"
                                                      : "");  // where all of them have the same keys in their names
    case FileKind::json:
      // Not from a sample of rows and files: what comes later would be forced into the types of the first ones.
      return fmt::format("read_json({}{}, sample_size = -1, maximum_sample_files = 1000000000)", from, together);
    default:
      // As texts: then numbers and ids are read by the rules of our own text files. Nor is DuckDB to guess what such a
      // file looks like: it would pass over lines that do not fit what it takes for the rest.
      return fmt::format(
          "read_csv({}, header = true, all_varchar = true, quote = '\"', escape = '\"', skip = 0, comment = '', "
          "buffer_size = {}{}{}{})",
          from, text_buffer, delimiter_option(path), together, compression_option(path));
  }
}

DuckLogs::DuckLogs(const std::string& path, const ReadOptions& options, std::int64_t memory, const std::string& folder)
    : options_(options),
      database_(kind_of(path) == FileKind::database),
      name_(options.sql.empty() ? path : "the query"),
      db_(open(path, memory, folder)) {
  if (options.sql.empty() && kind_of(path) == FileKind::parquet) look_at_parquet(path);
  if (!options.sql.empty()) {
    query_ = fmt::format("({}\n)", without_end(options.sql));
  } else if (database_) {
    query_ = table();
  } else {
    query_ = rows_of(path, keys_are_columns_);
  }
  if (options.sql.empty() && !database_) expect_whole_files(path);
  if (options.sql.empty() && kind_of(path) == FileKind::json) {
    if (size_of_file(path) == 0) fail_no_rows(path);  // DuckDB would make up a column
    query_ = with_types(path);
  }
  countable_ = options.sql.empty() && (database_ || kind_of(path) == FileKind::parquet);
  several_ = options.sql.empty() && (is_pattern(path) || is_parquet_folder(path));
  if (options.sql.empty() && !database_) first_row_of_a_file_ = line_of_first_row(kind_of(path));
  if (!several_) first_row_ = first_row_of_a_file_;
  choose_columns();
}

ArrowArrayStream DuckLogs::rows(bool sorted) const {
  std::string sql = fmt::format("SELECT {} FROM {}", fmt::join(columns_, ", "), query_);
  if (sorted) sql += fmt::format(" ORDER BY {}", fmt::join(order_, ", "));
  return db_.query(sql, name_);
}

ArrowArrayStream DuckLogs::rows_with(const std::string& column) const {
  std::string names = sql_name(episode_);
  if (t_) names += ", " + sql_name(*t_);
  const std::string another = [&] {  // a connection answers one question at a time
    ArrowArrayStream stream = first_row_of_all();
    const ArrowTableReader first(&stream, name_);
    return first.column_of(first.columns()[field_of(first, column, "--by")].name);
  }();
  if (another != episode_ && another != t_) names += ", " + sql_name(another);
  return db_.query(fmt::format("SELECT {} FROM {}", names, query_), name_);
}

void DuckLogs::keep() {
  constexpr const char* copy = "starope_rows";
  db_.run(fmt::format("CREATE TEMP TABLE {} AS SELECT {} FROM {}", copy, fmt::join(columns_, ", "), query_), name_);
  query_ = fmt::format("temp.{}", copy);
}

std::int64_t DuckLogs::count() const {
  const auto counted = db_.texts(fmt::format("SELECT count(*) FROM {}", query_), name_);
  return std::stoll(counted.at(0));
}

DataError DuckLogs::in_its_file(const DataError& error) const {
  std::vector<DataError::Problem> all = {error.problem()};
  all.insert(all.end(), error.others().begin(), error.others().end());
  std::int64_t last = -1;
  for (const DataError::Problem& problem : all) {
    if (names_two_rows(problem)) return error;
    last = std::max(last, problem.at.row.value_or(-1));
  }
  if (!several_ || last < 0) return error;
  const std::vector<FirstRow> files = files_of_rows(last + 1);
  for (DataError::Problem& problem : all) {
    if (!problem.at.row) continue;
    const auto behind = std::upper_bound(files.begin(), files.end(), *problem.at.row,
                                         [](std::int64_t row, const FirstRow& file) { return row < file.row; });
    if (behind == files.begin()) return error;
    const FirstRow& file = *std::prev(behind);
    problem.at.file = file.of;
    problem.at.row = *problem.at.row - file.row + first_row_of_a_file_;
  }
  return DataError(all.front(), {std::next(all.begin()), all.end()}, error.more());
}

DuckDb DuckLogs::open(const std::string& path, std::int64_t memory, const std::string& folder) const {
  // What is not there should not cost a library to say so.
  if (!path.empty() && !is_pattern(path) && !is_parquet_folder(path)) InputStream{path};
  expect_used(path);
  try {
    return DuckDb({.library = options_.duckdb_library,
                   .database = database_ ? path : "",
                   .memory = memory,
                   .folder = folder,
                   .threads = threads_in(memory, options_.threads)});
  } catch (const FileError& error) {
    throw FileError(fmt::format("{}: {}", name_, error.what()));
  }
}

void DuckLogs::expect_used(const std::string& path) const {
  const bool query = !options_.sql.empty();
  if (query && !options_.table.empty()) {
    throw InvalidArgument("--sql and --table both say what the logs are: name the table in the query");
  }
  if (database_ || path.empty()) {
    if (query || database_) return;
    throw InvalidArgument("--table names a table of a DuckDB database: say of which one");
  }
  if (query) {
    throw InvalidArgument(
        fmt::format("{} is no DuckDB database, and --sql says what the logs are: leave the file "
                    "out, and name it in the query: from '{}'",
                    path, path));
  }
  if (!options_.table.empty()) {
    throw InvalidArgument(
        fmt::format("{} is no DuckDB database, and --table names a table of one: leave --table out", path));
  }
}

void DuckLogs::look_at_parquet(const std::string& path) {
  const std::string files = files_text(path);
  constexpr char wide = '\x1f';  // behind the name of a column that holds decimals of more digits than DuckDB has
  const auto described =
      db_.texts(fmt::format("SELECT DISTINCT name || CASE WHEN precision > 38 THEN chr({}) ELSE '' END FROM "
                            "parquet_schema({}) ORDER BY 1",
                            static_cast<int>(wide), files),
                name_);
  std::vector<std::string> names;
  for (const std::string& each : described) {
    names.push_back(each.substr(0, each.find(wide)));
    if (each.back() == wide) wide_.push_back(names.back());
  }
  if (!is_pattern(path) && !is_parquet_folder(path)) return;
  std::vector<std::string> keys, both;
  for (const std::string& file : db_.texts(fmt::format("SELECT file FROM glob({})", files), name_)) {
    for (std::string& key : keys_in(file)) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(std::move(key));
    }
  }
  std::copy_if(keys.begin(), keys.end(), std::back_inserter(both),
               [&](const std::string& key) { return std::find(names.begin(), names.end(), key) != names.end(); });
  keys_are_columns_ = !both.empty() && both.size() == keys.size();
  if (both.empty() || keys_are_columns_) return;
  throw FileError(fmt::format(
      "{}: '{}' is a column of the files and in the names of their folders ({}=...), of which one would hide the "
      "other. Say which one is meant with --sql, for example: select * from read_parquet('{}', hive_partitioning = "
      "false)",
      name_, both.front(), both.front(), is_parquet_folder(path) ? path + "/**/*.parquet" : path));
}

std::string DuckLogs::table() const {
  // In one column, because texts that repeat come once.
  const auto found =
      db_.texts("SELECT table_schema || chr(31) || table_name FROM information_schema.tables ORDER BY 1", name_);
  std::vector<std::string> names;
  for (const std::string& each : found) {
    const std::size_t between = each.find('\x1f');
    const std::string schema = each.substr(0, between), table = each.substr(between + 1);
    names.push_back(schema == "main" ? table : schema + "." + table);
    if (options_.table == names.back() || options_.table == schema + "." + table ||
        (options_.table.empty() && found.size() == 1))
      return sql_name(schema) + "." + sql_name(table);
  }
  if (options_.table.empty()) {
    throw FileError(fmt::format("{}: this database has {} tables ({}). Name the one that holds the logs with --table",
                                name_, names.size(), fmt::join(names, ", ")));
  }
  throw FileError(fmt::format("{}: there is no table '{}' in this database, which has {}", name_, options_.table,
                              names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
}

void DuckLogs::expect_whole_files(const std::string& path) const {
  if (kind_of(path) == FileKind::parquet) return;
  if (!is_pattern(path)) return expect_whole(path);
  for (const std::string& file : db_.texts(fmt::format("SELECT file FROM glob({})", name_text(path)), name_))
    expect_whole(file);
}

std::string DuckLogs::with_types(const std::string& path) const {
  // In one column, because texts that repeat come once.
  const auto described = db_.texts(
      fmt::format("SELECT column_name || chr(31) || column_type FROM (DESCRIBE SELECT * FROM {})", query_), name_);
  std::string columns;
  for (const std::string& each : described) {
    const std::size_t between = each.rfind('\x1f');
    std::string type = each.substr(between + 1);
    // Of values of several kinds, numbers and texts for example, DuckDB makes texts with their quotes.
    if (type.substr(0, 4) == "JSON") type = "VARCHAR" + type.substr(4);
    columns += fmt::format("{}{}: {}", columns.empty() ? "" : ", ", sql_text(each.substr(0, between)), sql_text(type));
  }
  return fmt::format("read_json({}, columns = {{{}}})", name_text(path), columns);
}

std::vector<DuckLogs::FirstRow> DuckLogs::files_of_rows(std::int64_t rows) const {
  std::vector<FirstRow> files;
  const std::string named = query_.substr(0, query_.rfind(')')) + ", filename = 'starope_file')";
  try {
    const auto found = db_.texts(
        fmt::format("SELECT min(n) || chr(31) || starope_file FROM (SELECT starope_file, row_number() OVER () - 1 AS "
                    "n FROM {} LIMIT {}) GROUP BY starope_file ORDER BY min(n)",
                    named, rows),
        name_);
    for (const std::string& each : found) {
      const std::size_t between = each.find('\x1f');
      files.push_back({each.substr(between + 1), std::stoll(each.substr(0, between))});
    }
  } catch (const Error&) {
    files.clear();
  }
  return files;
}

ArrowArrayStream DuckLogs::first_row_of_all() const {
  return db_.query(fmt::format("SELECT * FROM {} LIMIT 1", query_), name_);
}

void DuckLogs::choose_columns() {
  ArrowArrayStream stream = first_row_of_all();
  ArrowTableReader first(&stream, name_);
  const LogReader logs(first, options_);
  for (const UsedColumn& used : logs.used()) {
    const std::string column = first.column_of(used.name);
    if (used.role.rfind("state_", 0) == 0) ++state_numbers_;
    const std::string quoted = sql_name(column);
    if (std::find(wide_.begin(), wide_.end(), column) != wide_.end()) fail_wide(column);
    // Texts that hold numbers stand in the order of the numbers: "10" behind "9".
    const bool text = first.holds_texts(used.name);
    if (used.role == "episode") {
      episode_ = column;
      if (text) order_.push_back(fmt::format("TRY_CAST({} AS BIGINT) NULLS LAST", quoted));
      order_.push_back(quoted);
    }
    if (used.role == "t") {
      t_ = column;
      order_.push_back(text ? fmt::format("TRY_CAST({} AS DOUBLE) NULLS LAST", quoted) : quoted + " NULLS LAST");
    }
    if (std::find(columns_.begin(), columns_.end(), quoted) == columns_.end()) columns_.push_back(quoted);
  }
  fields_ = static_cast<std::int64_t>(logs.used().size());
  ignored_ = logs.ignored();
}

void DuckLogs::fail_wide(const std::string& column) const {
  DataError::Problem problem;
  problem.code = "wide_decimals";
  problem.at.file = name_;
  problem.at.column = column;
  problem.rule = "holds decimals of more than 38 digits, which DuckDB does not read exactly";
  problem.remedy = "Write it as float64, or as decimals of at most 38 digits";
  throw DataError(std::move(problem));
}

}  // namespace starope::io
