#include "starope/io/csv_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "starope/base/error.hpp"
#include "starope/io/csv_cells.hpp"
#include "starope/io/csv_table.hpp"

namespace starope::io {
namespace {

CellRule number_rule() {
  return {};
}
CellRule state_rule() {
  return {"bad_number", "is not a number; a state is an integer id or a number",
          "Number the categories of a state that is a text"};
}
CellRule action_rule() {
  return {"bad_number", "is not a number; an action is an integer id or a number",
          "Number the actions from 0 if they are texts"};
}
CellRule flag_rule() {
  return {"bad_flag", "is neither 0 nor 1", "Write 1 or true where the episode ends, 0 or false elsewhere"};
}

// A column of ids, because it was asked for or because its first row is written as one.
CellRule id_rule(const char* what, bool requested, std::int64_t first_row) {
  const std::string why =
      requested ? std::string("as requested") : fmt::format("because row {} holds an integer", first_row);
  return {
      fmt::format("non_integer_{}", what),
      fmt::format("is a non-integer discrete {}: this column was taken as integer ids, {}", what, why),
      fmt::format("Pass --{}-kind continuous if the {}s are numbers, or write every one as an integer", what, what)};
}

// What the reader wants from the table: the columns, and the vectors they are written to.
class Request {
 public:
  Request(const CsvTable& table, const ColumnRoles& roles, const ReadOptions& options)
      : csv_(table), roles_(roles), options_(options), first_row_(table.first_row()) {
    table_.source = {table.path(), table.layout().file_row(0)};
    table_.used = used_columns(roles, table.names());
    for (const std::string& name : table.names()) {
      const auto same = [&](const UsedColumn& used) { return used.name == name; };
      if (!std::any_of(table_.used.begin(), table_.used.end(), same)) table_.ignored.push_back(name);
    }
    table_.rows = table.rows();
    // A row without a state can give nothing: then no cell may be empty.
    step_blank_ = roles.state.empty() ? Blank::never : Blank::together;
    end_blank_ = roles.state.empty() ? Blank::never : Blank::excused;
  }

  LongTable read() {
    columns_.push_back({roles_.episode, TextCells{}, Blank::never, {}});
    if (roles_.t) want_numbers(table_.t, {*roles_.t}, end_blank_, number_rule());
    want_states();
    want_actions();
    want_numbers(table_.rewards, {roles_.reward}, step_blank_, number_rule());
    want_probability(table_.behavior, roles_.behavior);
    want_probability(table_.target, roles_.target);
    want_distribution(table_.behavior_distribution, roles_.behavior_probs);
    want_distribution(table_.target_distribution, roles_.target_probs);
    want_flag(table_.terminated, roles_.terminated);
    want_flag(table_.truncated, roles_.truncated);
    CsvReading reading = csv_.read(std::move(columns_), blank_cell_remedy);
    table_.episode = std::move(reading.text);
    table_.partial_rows = std::move(reading.partial_rows);
    return std::move(table_);
  }

 private:
  bool first_is_integer(std::int64_t column) const {
    const auto i = static_cast<std::size_t>(column);
    return i < first_row_.size() && written_as_integer(first_row_[i]);
  }

  // Row by row, the columns side by side.
  void want_numbers(std::vector<double>& to, const std::vector<std::int64_t>& fields, Blank blank,
                    const CellRule& rule) {
    const auto width = static_cast<std::int64_t>(fields.size());
    to.resize(static_cast<std::size_t>(table_.rows * width));
    for (std::size_t i = 0; i < fields.size(); ++i)
      columns_.push_back({fields[i], NumberCells{to.data() + i, width}, blank, rule});
  }

  void want_ids(std::vector<std::int64_t>& to, std::int64_t field, Blank blank, const CellRule& rule) {
    to.resize(static_cast<std::size_t>(table_.rows));
    columns_.push_back({field, IntegerCells{to.data()}, blank, rule});
  }

  void want_states() {
    const std::vector<std::int64_t>& fields = roles_.state;
    if (fields.empty()) return;
    const bool requested = options_.state_kind == StateKind::discrete;
    const bool automatic = options_.state_kind == StateKind::automatic && !roles_.state_is_list;
    if (requested || (automatic && first_is_integer(fields[0]))) {
      auto& ids = table_.states.emplace<std::vector<std::int64_t>>();
      want_ids(ids, fields[0], Blank::never, id_rule("state", requested, table_.source.first_row));
      return;
    }
    auto& numbers = table_.states.emplace<DenseStates>();
    numbers.dimension = static_cast<std::int64_t>(fields.size());
    for (const std::int64_t field : fields) numbers.names.push_back(csv_.names()[static_cast<std::size_t>(field)]);
    want_numbers(numbers.values, fields, Blank::never, state_rule());
  }

  void want_actions() {
    const std::vector<std::int64_t>& fields = roles_.action;
    if (fields.empty()) return;
    const bool numbered = !roles_.behavior_probs.empty() || !roles_.target_probs.empty();
    const bool requested = options_.action_kind == ActionKind::discrete || numbered;
    const bool automatic = options_.action_kind == ActionKind::automatic && !roles_.action_is_list;
    if (requested || (automatic && first_is_integer(fields[0]))) {
      auto& ids = table_.actions.emplace<std::vector<std::int64_t>>();
      want_ids(ids, fields[0], step_blank_, id_rule("action", requested, table_.source.first_row));
      return;
    }
    auto& numbers = table_.actions.emplace<ContinuousActions>();
    numbers.dimension = static_cast<std::int64_t>(fields.size());
    want_numbers(numbers.values, fields, step_blank_, action_rule());
  }

  void want_probability(std::optional<LoggedProbabilities>& to, const std::optional<ColumnRoles::Probability>& role) {
    if (!role) return;
    to.emplace();
    to->scale = role->scale;
    to->density = std::holds_alternative<ContinuousActions>(table_.actions) ||
                  (roles_.action.empty() && options_.action_kind == ActionKind::continuous);
    want_numbers(to->values, {role->column}, step_blank_, number_rule());
  }

  void want_distribution(std::optional<ActionProbabilities>& to, const std::vector<std::int64_t>& fields) {
    if (fields.empty()) return;
    to.emplace();
    to->actions = static_cast<std::int32_t>(fields.size());
    want_numbers(to->values, fields, step_blank_, number_rule());
  }

  void want_flag(std::optional<std::vector<std::uint8_t>>& to, const std::optional<std::int64_t>& field) {
    if (!field) return;
    to.emplace(static_cast<std::size_t>(table_.rows));
    columns_.push_back({*field, FlagCells{to->data()}, end_blank_, flag_rule()});
  }

  const CsvTable& csv_;
  const ColumnRoles& roles_;
  const ReadOptions& options_;
  std::vector<std::string> first_row_;
  Blank step_blank_ = Blank::never;
  Blank end_blank_ = Blank::never;
  std::vector<CsvColumn> columns_{};
  LongTable table_{};
};

ReadResult read_delimited(const std::string& path, char delimiter, const ReadOptions& options) {
  CsvOptions csv;
  csv.delimiter = delimiter;
  csv.threads = options.threads;
  csv.chunk_bytes = options.chunk_bytes;
  const CsvTable table(path, csv);  // lives until the texts of the ids have been copied
  const ColumnRoles roles = match_columns(table.names(), options, path);
  return assemble(Request(table, roles, options).read(), options.sort);
}

}  // namespace

ReadResult read_csv(const std::string& path, const ReadOptions& options) {
  return read_delimited(path, ',', options);
}

ReadResult read_tsv(const std::string& path, const ReadOptions& options) {
  return read_delimited(path, '\t', options);
}

}  // namespace starope::io
