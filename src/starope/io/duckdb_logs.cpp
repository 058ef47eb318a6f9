#include "starope/io/duckdb_logs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "starope/error.hpp"
#include "starope/io/arrow_reader.hpp"
#include "starope/io/csv_reader.hpp"
#include "starope/io/duckdb.hpp"
#include "starope/io/file_kind.hpp"
#include "starope/io/input_file.hpp"
#include "starope/io/log_reader.hpp"
#include "starope/io/open.hpp"
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

// Then the other one would be looked for in the same file.
bool names_two_rows(const DataError::Problem& problem) {
  return problem.code == "not_contiguous" || problem.code == "t_not_increasing" ||
         problem.code == "row_after_termination";
}

// Logs as a query in a database.
class DuckLogs {
 public:
  DuckLogs(const std::string& path, const ReadOptions& options, std::int64_t memory, const std::string& folder)
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
    if (sorted) sql += fmt::format(" ORDER BY {}", fmt::join(order_, ", "));
    return db_.query(sql, name_);
  }

  // The columns of episodes and times, and of another one; all rows as they come.
  ArrowArrayStream rows_with(const std::string& column) const {
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

  // From here on rows come from a copy on the disk: what reads a query and what sorts it do not share the memory then.
  void keep() {
    constexpr const char* copy = "starope_rows";
    db_.run(fmt::format("CREATE TEMP TABLE {} AS SELECT {} FROM {}", copy, fmt::join(columns_, ", "), query_), name_);
    query_ = fmt::format("temp.{}", copy);
  }

  std::int64_t count() const {
    const auto counted = db_.texts(fmt::format("SELECT count(*) FROM {}", query_), name_);
    return std::stoll(counted.at(0));
  }
  std::int64_t fields() const { return fields_; }
  std::int64_t numbers_of_a_state() const { return state_numbers_; }
  // The number of the first row: its line, where rows are lines of one text.
  std::int64_t first_row() const { return first_row_; }
  // What is wrong with rows as they come, at the file and the row of it where they stand if the rows are those of
  // several files. Looking for them takes as long as reading up to them did.
  DataError in_its_file(const DataError& error) const {
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

  // How many rows there are, where that costs nothing to know.
  std::optional<std::int64_t> known_rows() const { return countable_ ? std::optional(count()) : std::nullopt; }

 private:
  DuckDb open(const std::string& path, std::int64_t memory, const std::string& folder) const {
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

  // What would be passed over in silence is a mistake.
  void expect_used(const std::string& path) const {
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

  // What DuckDB would get wrong in silence: columns in files which folders named KEY=VALUE hide, and long decimals.
  void look_at_parquet(const std::string& path) {
    const std::string files = sql_text(is_parquet_folder(path) ? path + "/**/*.parquet" : path);
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

  // The one that was named, or the only one there is, as a query calls it. Tables of other schemas are SCHEMA.NAME.
  std::string table() const {
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

  // Packed ones, of a pattern all of them.
  void expect_whole_files(const std::string& path) const {
    if (kind_of(path) == FileKind::parquet) return;
    if (!is_pattern(path)) return expect_whole(path);
    for (const std::string& file : db_.texts(fmt::format("SELECT file FROM glob({})", sql_text(path)), name_))
      expect_whole(file);
  }

  // The rows of a JSON file, whose types are looked for once and then told.
  std::string with_types(const std::string& path) const {
    // In one column, because texts that repeat come once.
    const auto described = db_.texts(
        fmt::format("SELECT column_name || chr(31) || column_type FROM (DESCRIBE SELECT * FROM {})", query_), name_);
    std::string columns;
    for (const std::string& each : described) {
      const std::size_t between = each.rfind('\x1f');
      std::string type = each.substr(between + 1);
      // Of values of several kinds, numbers and texts for example, DuckDB makes texts with their quotes.
      if (type.substr(0, 4) == "JSON") type = "VARCHAR" + type.substr(4);
      columns +=
          fmt::format("{}{}: {}", columns.empty() ? "" : ", ", sql_text(each.substr(0, between)), sql_text(type));
    }
    return fmt::format("read_json({}, columns = {{{}}})", sql_text(path), columns);
  }

  struct FirstRow {
    std::string of{};  // a file
    std::int64_t row = 0;
  };

  // The files that hold the first rows, in their order; none where this version of DuckDB cannot tell.
  std::vector<FirstRow> files_of_rows(std::int64_t rows) const {
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

  // It tells names, types and the length of lists.
  ArrowArrayStream first_row_of_all() const {
    return db_.query(fmt::format("SELECT * FROM {} LIMIT 1", query_), name_);
  }

  // What plays no role is not read.
  void choose_columns() {
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

  [[noreturn]] void fail_wide(const std::string& column) const {
    DataError::Problem problem;
    problem.code = "wide_decimals";
    problem.at.file = name_;
    problem.at.column = column;
    problem.rule = "holds decimals of more than 38 digits, which DuckDB does not read exactly";
    problem.remedy = "Write it as float64, or as decimals of at most 38 digits";
    throw DataError(std::move(problem));
  }

  const ReadOptions& options_;
  bool database_;
  std::string name_;
  DuckDb db_;
  std::string query_{};
  std::vector<std::string> wide_{};  // columns of decimals with more digits than DuckDB has
  bool keys_are_columns_ = false;    // what the names of folders say stands in the files as well
  std::vector<std::string> ignored_{};
  std::vector<std::string> columns_{};
  std::string episode_{};
  std::optional<std::string> t_{};
  std::vector<std::string> order_{};  // what rows are sorted by
  std::int64_t fields_ = 0;
  std::int64_t state_numbers_ = 0;
  std::int64_t first_row_ = 0;
  std::int64_t first_row_of_a_file_ = 0;
  bool countable_ = false;
  bool several_ = false;  // files
};

// What rows out of order look like. Whether they are, sorting shows.
bool may_be_disorder(const DataError& error) {
  return names_two_rows(error.problem()) || error.problem().code == "missing_value";
}

// `use(table)` for the rows as they are; and again for the sorted rows if they turn out not to be in order.
template <class Use>
auto in_order(DuckLogs& logs, const ReadOptions& options, const Use& use) {
  const auto with_rows = [&](bool sorted) {
    const auto known = logs.known_rows();  // before: a connection answers one question at a time
    ArrowArrayStream stream = logs.rows(sorted);
    ArrowTableReader table(&stream, sorted ? logs.name() + " (sorted by episode and time)" : logs.name());
    if (known) table.expect_rows(*known);
    if (!sorted) table.number_rows_from(logs.first_row());
    return use(table);
  };
  // A stream that breaks off does not say why; who counts all rows hears it.
  const auto with = [&](bool sorted) {
    try {
      return with_rows(sorted);
    } catch (const DataError& error) {
      if (error.problem().code == "bad_stream") logs.count();
      if (sorted) throw;
      throw logs.in_its_file(error);
    }
  };
  if (!logs.can_sort()) return with(false);
  std::optional<DataError> as_they_are;
  if (!options.sort) {
    try {
      return with(false);
    } catch (const DataError& error) {
      if (!may_be_disorder(error)) throw;
      as_they_are = error;
    }
  }
  const auto sorted = [&] {
    try {
      return with(true);
    } catch (const DataError& error) {
      if (error.problem().rule.find("Out of Memory") == std::string::npos) throw;
    }
    logs.keep();
    return with(true);
  };
  try {
    return sorted();
  } catch (const DataError& error) {
    // An empty cell that sorting does not explain is one in the file: its rows are what helps to find it.
    const std::string code = "missing_value";
    if (as_they_are && as_they_are->problem().code == code && error.problem().code == code)
      throw DataError(*as_they_are);
    throw;
  }
}

}  // namespace

bool needs_duckdb(const std::string& path, const ReadOptions& options) {
  return !options.sql.empty() || !options.table.empty() || kind_of(path) != FileKind::unknown;
}

std::string rows_of(const std::string& path, bool keys_are_columns) {
  const bool folder = is_parquet_folder(path), several = folder || is_pattern(path);
  const std::string from = sql_text(folder ? path + "/**/*.parquet" : path);
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

ReadResult read_duckdb(const std::string& path, const ReadOptions& options) {
  DuckLogs logs(path, options, half_the_memory(), {});
  ReadOptions unsorted = options;
  unsorted.sort = options.sort && !logs.can_sort();
  return logs.described(in_order(logs, options, [&](TableReader& table) { return read_batches(table, unsorted); }));
}

OpenedLogs open_duckdb(const std::string& path, const ReadOptions& options, const OpenOptions& opening) {
  // DuckDB and the blocks share what there is. It cannot sort with less than that, and its library takes some, too.
  constexpr std::int64_t least = 200'000'000, library = 60'000'000;
  const std::int64_t memory = std::max(opening.memory / 2, least);
  OpenOptions half = opening;
  half.memory = std::max<std::int64_t>(opening.memory - memory - library, 0);
  DuckLogs logs(path, options, memory, opening.folder);
  if (options.sort && !logs.can_sort()) return opened_in_memory(read_duckdb(path, options), opening.steps);
  ReadOptions unsorted = options;
  unsorted.sort = false;
  return logs.described(in_order(logs, options, [&](TableReader& table) { return open_logs(table, unsorted, half); }));
}

void with_columns_of_duckdb(const std::string& path, const ReadOptions& options, const std::string& column,
                            const std::function<void(TableReader&)>& use) {
  const DuckLogs logs(path, options, half_the_memory(), {});
  ArrowArrayStream stream = logs.rows_with(column);
  ArrowTableReader table(&stream, logs.name());
  use(table);
}

std::optional<LogsSize> size_of_duckdb(const std::string& path, const ReadOptions& options) {
  const FileKind kind = kind_of(path);
  if (!options.sql.empty() || (kind != FileKind::parquet && kind != FileKind::database)) return std::nullopt;
  const DuckLogs logs(path, options, half_the_memory(), {});
  constexpr std::int64_t bytes = sizeof(double);  // of a cell, and of the ratio of a step
  const std::int64_t rows = logs.count();
  return LogsSize{
      .bytes = rows * (logs.fields() + 1) * bytes, .steps = rows, .state_numbers = logs.numbers_of_a_state()};
}

}  // namespace starope::io
