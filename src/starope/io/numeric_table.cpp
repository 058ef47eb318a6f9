#include "starope/io/numeric_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "starope/base/text.hpp"
#include "starope/error.hpp"
#include "starope/io/csv_table.hpp"

namespace starope::io {
namespace {

constexpr const char* blank_remedy = "Fill it in: every cell of this table needs a value";

[[noreturn]] void fail(const char* code, const std::string& file, std::optional<std::int64_t> row, std::string column,
                       std::optional<std::string> value, std::string rule, std::string remedy) {
  DataError::Problem problem;
  problem.code = code;
  problem.at.file = file;
  problem.at.row = row;
  problem.at.column = std::move(column);
  problem.value = std::move(value);
  problem.rule = std::move(rule);
  problem.remedy = std::move(remedy);
  throw DataError(std::move(problem));
}

CsvOptions small_table(CsvOptions::Header header) {
  CsvOptions options;
  options.header = header;
  options.threads = Threads(1);
  return options;
}

std::int64_t column_named(const CsvTable& table, const std::string& name, const char* meaning) {
  const std::vector<std::string>& names = table.names();
  const auto at = std::find(names.begin(), names.end(), name);
  if (at != names.end()) return at - names.begin();
  const auto near = nearest_name(name, names);
  fail("missing_column", table.path(), std::nullopt, name, std::nullopt, fmt::format("is not in the file: {}", meaning),
       near ? fmt::format("Rename the column '{}' if it is the one", *near) : "Write a header line 'state,z'");
}

}  // namespace

NumericTable read_numeric_table(const std::string& path) {
  const CsvTable csv(path, small_table(CsvOptions::Header::automatic));
  NumericTable table;
  table.names = csv.names();
  table.columns = csv.layout().fields;
  table.rows = csv.rows();
  table.values.resize(table.rows * table.columns);
  std::vector<WantedColumn> columns;
  for (std::int64_t c = 0; c < table.columns; ++c) {
    double* const first = table.values.empty() ? nullptr : table.values.data() + c;
    columns.push_back({c, NumberCells{first, table.columns}, Blank::never, {}});
  }
  csv.read(std::move(columns), blank_remedy);
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    if (std::isfinite(table.values[i])) continue;
    const std::int64_t row = static_cast<std::int64_t>(i) / table.columns;
    const std::int64_t column = static_cast<std::int64_t>(i) % table.columns;
    fail("bad_number", path, csv.layout().file_row(row),
         table.names.empty() ? fmt::format("{}", column + 1) : table.names[column], fmt::format("{}", table.values[i]),
         "is not a finite number", "Write a finite number");
  }
  return table;
}

NumericTable read_centroids(const std::string& path) {
  NumericTable table = read_numeric_table(path);
  for (std::size_t c = 0; c < table.names.size(); ++c) {
    if (table.names[c] == fmt::format("c_{}", c)) continue;
    fail("not_centroids", path, 1, {}, table.names[c], fmt::format("stands where a table of centroids has 'c_{}'", c),
         "Write one centroid per row, without a header or with the header c_0,c_1,...");
  }
  return table;
}

LookupTable read_lookup(const std::string& path) {
  const CsvTable csv(path, small_table(CsvOptions::Header::first_record));
  LookupTable table;
  const std::int64_t state = column_named(csv, "state", "the id of a state");
  const std::int64_t label = column_named(csv, "z", "the number of its abstract state");
  table.states.resize(csv.rows());
  table.labels.resize(table.states.size());
  const CellRule rule{"bad_number", "is not an integer", "Write the ids of states and abstract states as integers"};
  csv.read({{state, IntegerCells{table.states.data()}, Blank::never, rule},
            {label, IntegerCells{table.labels.data()}, Blank::never, rule}},
           blank_remedy);
  for (std::size_t i = 0; i < table.labels.size(); ++i) {
    if (table.labels[i] >= 0) continue;
    fail("bad_label", path, csv.layout().file_row(static_cast<std::int64_t>(i)), "z",
         fmt::format("{}", table.labels[i]), "is negative; abstract states are numbered from 0", "Number them from 0");
  }
  // Equal states become neighbors, in the order of the file; the first repetition in the file is the one to report.
  std::vector<std::size_t> by_state(table.states.size());
  std::iota(by_state.begin(), by_state.end(), std::size_t{0});
  std::stable_sort(by_state.begin(), by_state.end(),
                   [&](std::size_t a, std::size_t b) { return table.states[a] < table.states[b]; });
  std::optional<std::pair<std::size_t, std::size_t>> repeated;  // the later row, the earlier row
  for (std::size_t k = 1; k < by_state.size(); ++k) {
    const std::pair<std::size_t, std::size_t> rows{by_state[k], by_state[k - 1]};
    if (table.states[rows.first] == table.states[rows.second] && (!repeated || rows < *repeated)) repeated = rows;
  }
  if (repeated) {
    fail("duplicate_state", path, csv.layout().file_row(static_cast<std::int64_t>(repeated->first)), "state",
         fmt::format("{}", table.states[repeated->first]),
         fmt::format("is already in row {}", csv.layout().file_row(static_cast<std::int64_t>(repeated->second))),
         "Give each state one row");
  }
  return table;
}

StateRows read_q_rows(const std::string& path) {
  constexpr const char* code = "not_a_q_table";
  constexpr const char* remedy = "Write the header state,q_0,q_1,... and one row per state";
  const NumericTable table = read_numeric_table(path);
  for (std::int64_t c = 0; c < std::max<std::int64_t>(2, table.columns); ++c) {
    const std::string wanted = c == 0 ? "state" : fmt::format("q_{}", c - 1);
    const std::string found =
        c < static_cast<std::int64_t>(table.names.size()) ? table.names[c] : std::string("nothing");
    if (found != wanted)
      fail(code, path, 1, {}, found, fmt::format("stands where a Q table has the column '{}'", wanted), remedy);
  }
  StateRows rows{.columns = table.columns - 1};
  for (std::int64_t i = 0; i < table.rows; ++i) {
    const auto row = table.values.begin() + i * table.columns;
    constexpr double largest = 9007199254740992.0;  // 2^53: beyond it a double does not tell integers apart
    if (*row != std::floor(*row) || std::abs(*row) > largest)
      fail(code, path, i + 2, "state", fmt::format("{}", *row), "is not an integer id", remedy);
    rows.states.push_back(static_cast<std::int64_t>(*row));
    rows.values.insert(rows.values.end(), row + 1, row + table.columns);
  }
  return rows;
}

StateRows read_rows_by_state(const std::string& path) {
  const NumericTable table = read_numeric_table(path);
  const std::int64_t state = std::find(table.names.begin(), table.names.end(), "state") - table.names.begin();
  const bool named = state < static_cast<std::int64_t>(table.names.size());
  std::vector<std::int64_t> row_of(table.rows, -1);
  for (std::int64_t i = 0; i < table.rows; ++i) {
    const double id = named ? table.values[i * table.columns + state] : static_cast<double>(i);
    const bool fits = id >= 0.0 && id < static_cast<double>(table.rows) && id == std::floor(id);
    if (fits && row_of[static_cast<std::size_t>(id)] < 0) {
      row_of[static_cast<std::size_t>(id)] = i;
      continue;
    }
    fail("bad_policy_table", path, i + 2, "state", fmt::format("{}", id),
         fmt::format("the states of a table of {} rows are 0 to {}, each once", table.rows, table.rows - 1),
         "Give every state one row");
  }
  StateRows rows{.columns = table.columns - (named ? 1 : 0)};
  for (std::int64_t s = 0; s < table.rows; ++s) {
    rows.states.push_back(s);
    const auto row = table.values.begin() + row_of[s] * table.columns;
    for (std::int64_t c = 0; c < table.columns; ++c) {
      if (!named || c != state) rows.values.push_back(row[c]);
    }
  }
  return rows;
}

}  // namespace starope::io
