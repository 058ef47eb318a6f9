#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "starope/data.hpp"
#include "starope/finding.hpp"
#include "starope/io.hpp"
#include "starope/io/column_roles.hpp"
#include "starope/io/table_reader.hpp"

namespace starope::io {

// Columns that are still being filled: what becomes of them is in dataset.hpp.
template <class Number>
struct RowsOf {
  std::int64_t dimension = 0;
  std::vector<Number> values{};
  std::vector<std::string> names{};
};
using NumberRows = RowsOf<double>;
using FloatRows = RowsOf<float>;
struct BitRows {
  std::int64_t dimension = 0;
  std::vector<std::uint64_t> words{};
  std::vector<std::string> names{};

  std::int64_t words_per_row() const noexcept { return (dimension + 63) / 64; }
};
struct LoggedRows {
  std::vector<double> values{};
  LoggedProbabilities::Scale scale = LoggedProbabilities::Scale::linear;
  bool density = false;
  bool gaps = false;  // NaN where nothing was logged
};
struct DistributionRows {
  std::int32_t actions = 0;
  std::vector<double> values{};
};

// Columns that are used where they lie; what would hold their values in the table is empty.
struct LentColumns {
  std::optional<RealColumn> states{};
  std::optional<RealColumn> actions{};
  std::optional<RealColumn> rewards{};
  std::optional<RealColumn> behavior{};
  std::optional<RealColumn> target{};
  std::optional<RealColumn> behavior_distribution{};
  std::optional<RealColumn> target_distribution{};
};

// The canonical table, one row per step, as a reader of any format fills it in. Every column has `rows` rows.
//
// A partial row has a state, but neither action, reward nor probabilities (their entries are ignored). As the last row
// of an episode it gives the state after the last step; anywhere else it is an error.
struct LongTable {
  TableSource source{};
  std::vector<UsedColumn> used{};
  std::vector<std::string> ignored{};  // columns of the file that nobody asked for
  std::int64_t rows = 0;

  TextRuns episode{};
  std::vector<double> t{};  // empty: no such column
  std::variant<std::monostate, std::vector<std::int64_t>, NumberRows, FloatRows, BitRows> states{};
  std::variant<std::monostate, std::vector<std::int64_t>, NumberRows> actions{};
  std::vector<double> rewards{};
  std::optional<LoggedRows> behavior{};  // absent, but a distribution and actions given: taken from there
  std::optional<LoggedRows> target{};
  std::optional<DistributionRows> behavior_distribution{};
  std::optional<DistributionRows> target_distribution{};
  std::optional<std::vector<std::uint8_t>> terminated{};
  std::optional<std::vector<std::uint8_t>> truncated{};
  std::vector<std::int64_t> partial_rows{};  // ascending
  LentColumns lent{};
};

// Copies what was lent: before rows move.
void own_columns(LongTable& table);

// Calls visit(column, width) for the columns of a table that have a value, or `width` of them, per row.
template <class Visit>
void for_each_column_of_steps(LongTable& table, const Visit& visit) {
  if (auto* ids = std::get_if<std::vector<std::int64_t>>(&table.actions)) visit(*ids, 1);
  if (auto* numbers = std::get_if<NumberRows>(&table.actions)) visit(numbers->values, numbers->dimension);
  visit(table.rewards, 1);
  if (table.behavior) visit(table.behavior->values, 1);
  if (table.target) visit(table.target->values, 1);
  for (auto* distribution : {&table.behavior_distribution, &table.target_distribution}) {
    if (*distribution) visit((*distribution)->values, (*distribution)->actions);
  }
}

template <class Visit>
void for_each_column_of_states(LongTable& table, const Visit& visit) {
  if (auto* ids = std::get_if<std::vector<std::int64_t>>(&table.states)) visit(*ids, 1);
  if (auto* numbers = std::get_if<NumberRows>(&table.states)) visit(numbers->values, numbers->dimension);
  if (auto* floats = std::get_if<FloatRows>(&table.states)) visit(floats->values, floats->dimension);
  if (auto* bits = std::get_if<BitRows>(&table.states)) visit(bits->words, bits->words_per_row());
}

template <class Visit>
void for_each_column(LongTable& table, const Visit& visit) {
  for_each_column_of_steps(table, visit);
  for_each_column_of_states(table, visit);
  if (!table.t.empty()) visit(table.t, 1);
  if (table.terminated) visit(*table.terminated, 1);
  if (table.truncated) visit(*table.truncated, 1);
}

// Cuts the table: rows from `row` on, which begins an episode, become a table of their own.
LongTable split(LongTable& table, std::int64_t row);

}  // namespace starope::io
