#include "starope/io/numeric_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "starope/base/error.hpp"
#include "starope/base/text.hpp"
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
  table.values.resize(static_cast<std::size_t>(table.rows * table.columns));
  std::vector<CsvColumn> columns;
  for (std::int64_t c = 0; c < table.columns; ++c)
    columns.push_back({c, NumberCells{table.values.data() + c, table.columns}, Blank::never, {}});
  csv.read(std::move(columns), blank_remedy);
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    if (std::isfinite(table.values[i])) continue;
    const std::int64_t row = static_cast<std::int64_t>(i) / table.columns;
    const std::int64_t column = static_cast<std::int64_t>(i) % table.columns;
    fail("bad_number", path, csv.layout().file_row(row),
         table.names.empty() ? fmt::format("{}", column + 1) : table.names[static_cast<std::size_t>(column)],
         fmt::format("{}", table.values[i]), "is not a finite number", "Write a finite number");
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
  table.states.resize(static_cast<std::size_t>(csv.rows()));
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
  // Equal states become neighbours, in the order of the file; the first repetition in the file is the one to report.
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

}  // namespace starope::io
