#include "starope/io/log_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>

#include "starope/base/work.hpp"
#include "starope/error.hpp"

namespace starope::io {
namespace {

CellRule number_rule() {
  return {};
}
CellRule time_rule() {
  return {"bad_number", "is not a number",
          "Write times as numbers, such as seconds since 1970, or pass an empty --t where the rows of every episode "
          "stand in order"};
}
CellRule state_rule() {
  return {"bad_number", "is not a number; a state is an integer id or a number",
          "Number the categories of a state that is a text"};
}
CellRule action_rule() {
  return {"bad_number", "is not a number; an action is an integer id or a number",
          "Number the actions from 0 if they are texts"};
}
CellRule behavior_rule() {
  CellRule rule;
  rule.blank_remedy = "Log it in every row, or have the missing ones estimated: evaluate --behavior fill";
  return rule;
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
      fmt::format("is not a discrete {}: this column was taken as ids, integers from -2^63 to 2^63 - 1, {}", what, why),
      fmt::format("Pass --{}-kind continuous if the {}s are numbers, or write every one as an integer; ids "
                  "that are larger have to be numbered",
                  what, what)};
}

// What is wanted of one batch of rows: the columns, and the vectors behind whose values they are written.
class Batch {
 public:
  // `lender`: whose columns may stay where they lie; none: they are copied.
  Batch(const std::vector<TableColumn>& columns, const ColumnRoles& roles, const ReadOptions& options,
        std::int64_t first_row, std::int64_t rows, LongTable& table, TableReader* lender)
      : columns_(columns),
        roles_(roles),
        options_(options),
        first_row_(first_row),
        before_(table.rows),
        rows_(table.rows + rows),
        lender_(lender),
        table_(table) {
    // A row without a state can give nothing: then no cell may be empty.
    step_blank_ = roles.state.empty() ? Blank::never : Blank::together;
    end_blank_ = roles.state.empty() ? Blank::never : Blank::excused;
    wanted_.push_back({roles_.episode, TextCells{}, Blank::never, {}});
    std::optional<RealColumn> unused;
    if (roles_.t) want_rows<NumberCells>(table_.t, unused, {*roles_.t}, {end_blank_, time_rule(), false});
    want_states();
    want_actions();
    want_rows<NumberCells>(table_.rewards, table_.lent.rewards, {roles_.reward}, {step_blank_, number_rule()});
    want_probability(table_.behavior, table_.lent.behavior, roles_.behavior,
                     {options_.behavior_gaps ? Blank::free : step_blank_, behavior_rule()});
    if (table_.behavior) table_.behavior->gaps = options_.behavior_gaps;
    want_probability(table_.target, table_.lent.target, roles_.target, {step_blank_, number_rule()});
    want_distribution(table_.behavior_distribution, table_.lent.behavior_distribution, roles_.behavior_probs);
    want_distribution(table_.target_distribution, table_.lent.target_distribution, roles_.target_probs);
    want_flag(table_.terminated, roles_.terminated);
    want_flag(table_.truncated, roles_.truncated);
  }

  void read(TableReader& reader) {
    TableReading reading = reader.read(std::move(wanted_));
    table_.episode.append(std::move(reading.text), before_);
    const std::vector<std::int64_t> partial = reading.partial_rows ? *std::move(reading.partial_rows) : unknown_rows();
    for (const std::int64_t row : partial) table_.partial_rows.push_back(before_ + row);
    table_.rows = rows_;
    offences_ = std::move(reading.offences);
    lost_ = reading.lost;
  }
  bool lost() const { return lost_; }
  Offences& offences() { return offences_; }

 private:
  struct Wish {
    Blank blank = Blank::never;
    CellRule rule{};
    bool may_be_lent = true;
  };

  const TableColumn& column(std::int64_t field) const { return columns_[field]; }

  bool all_of_type(const std::vector<std::int64_t>& fields, TableColumn::Type type) const {
    return std::all_of(fields.begin(), fields.end(), [&](std::int64_t field) { return column(field).type == type; });
  }

  // Row by row, the columns side by side: where they lie, or in `to`.
  template <class Cells, class Number>
  void want_rows(std::vector<Number>& to, std::optional<RealColumn>& lent, const std::vector<std::int64_t>& fields,
                 const Wish& wish) {
    const auto width = static_cast<std::int64_t>(fields.size());
    if (lender_ != nullptr && wish.may_be_lent) lent = lent_as<Number>(fields);
    if (lent) {
      for (std::size_t i = 0; i < fields.size() && wish.blank != Blank::never; ++i)
        wanted_.push_back({fields[i], Cells{}, wish.blank, wish.rule, true});
      return;
    }
    // A small archive may say that it is a large table.
    bytes_ += static_cast<double>(rows_) * static_cast<double>(width) * sizeof(Number);
    refuse_absurd({.what = fmt::format("a table of {} rows with {} columns of this kind", rows_, width),
                   .operations = 0.0,
                   .bytes = bytes_,
                   .remedy = "Read fewer columns or rows"});
    to.resize(rows_ * width);
    for (std::size_t i = 0; i < fields.size(); ++i)
      wanted_.push_back(
          {fields[i], Cells{to.empty() ? nullptr : to.data() + before_ * width + i, width}, wish.blank, wish.rule});
  }

  template <class Number>
  std::optional<RealColumn> lent_as(const std::vector<std::int64_t>& fields) {
    std::optional<RealColumn> found = lender_->lend(fields);
    const bool single = found && found->floats() != nullptr;
    if (single != std::is_same_v<Number, float>) found.reset();
    return found;
  }

  void want_ids(std::vector<std::int64_t>& to, std::int64_t field, Blank blank, const CellRule& rule) {
    to.resize(rows_);
    wanted_.push_back({field, IntegerCells{to.data() + before_}, blank, rule});
  }

  // A column that the rows before have, or a new one.
  template <class Column, class Any>
  static Column& in(Any& any) {
    auto* const there = std::get_if<Column>(&any);
    return there != nullptr ? *there : any.template emplace<Column>();
  }

  void want_states() {
    const std::vector<std::int64_t>& fields = roles_.state;
    if (fields.empty()) return;
    const bool requested = options_.state_kind == StateKind::discrete;
    const bool automatic = options_.state_kind == StateKind::automatic && !roles_.state_is_list;
    if (requested || (automatic && column(fields[0]).holds_integers())) {
      auto& ids = in<std::vector<std::int64_t>>(table_.states);
      want_ids(ids, fields[0], Blank::never, id_rule("state", requested, first_row_));
      return;
    }
    const auto described = [&](auto& rows) -> auto& {
      rows.dimension = static_cast<std::int64_t>(fields.size());
      for (std::size_t i = rows.names.size(); i < fields.size(); ++i) rows.names.push_back(column(fields[i]).name);
      return rows;
    };
    if (static_cast<std::int64_t>(fields.size()) >= fewest_bits && all_of_type(fields, TableColumn::Type::boolean)) {
      BitRows& bits = described(in<BitRows>(table_.states));
      bits.words.resize(rows_ * bits.words_per_row());
      for (std::size_t i = 0; i < fields.size(); ++i) {
        const BitCells cells{bits.words.data() + before_ * bits.words_per_row(), bits.words_per_row(),
                             static_cast<std::int64_t>(i)};
        wanted_.push_back({fields[i], cells, Blank::never, state_rule()});
      }
    } else if (all_of_type(fields, TableColumn::Type::single)) {
      FloatRows& rows = described(in<FloatRows>(table_.states));
      want_rows<FloatCells>(rows.values, table_.lent.states, fields, {Blank::never, state_rule()});
    } else {
      NumberRows& rows = described(in<NumberRows>(table_.states));
      want_rows<NumberCells>(rows.values, table_.lent.states, fields, {Blank::never, state_rule()});
    }
  }

  void want_actions() {
    const std::vector<std::int64_t>& fields = roles_.action;
    if (fields.empty()) return;
    const bool numbered = !roles_.behavior_probs.empty() || !roles_.target_probs.empty();
    const bool requested = options_.action_kind == ActionKind::discrete || numbered;
    const bool automatic = options_.action_kind == ActionKind::automatic && !roles_.action_is_list;
    if (requested || (automatic && column(fields[0]).holds_integers())) {
      auto& ids = in<std::vector<std::int64_t>>(table_.actions);
      want_ids(ids, fields[0], step_blank_, id_rule("action", requested, first_row_));
      return;
    }
    auto& numbers = in<NumberRows>(table_.actions);
    numbers.dimension = static_cast<std::int64_t>(fields.size());
    want_rows<NumberCells>(numbers.values, table_.lent.actions, fields, {step_blank_, action_rule()});
  }

  void want_probability(std::optional<LoggedRows>& to, std::optional<RealColumn>& lent,
                        const std::optional<ColumnRoles::Probability>& role, const Wish& wish) {
    if (!role) return;
    if (!to) to.emplace();
    to->scale = role->scale;
    to->density = std::holds_alternative<NumberRows>(table_.actions) ||
                  (roles_.action.empty() && options_.action_kind == ActionKind::continuous);
    want_rows<NumberCells>(to->values, lent, {role->column}, wish);
  }

  void want_distribution(std::optional<DistributionRows>& to, std::optional<RealColumn>& lent,
                         const std::vector<std::int64_t>& fields) {
    if (fields.empty()) return;
    if (!to) to.emplace();
    to->actions = static_cast<std::int32_t>(fields.size());
    want_rows<NumberCells>(to->values, lent, fields, {step_blank_, number_rule()});
  }

  void want_flag(std::optional<std::vector<std::uint8_t>>& to, const std::optional<std::int64_t>& field) {
    if (!field) return;
    if (!to) to.emplace();
    to->resize(rows_);
    wanted_.push_back({*field, FlagCells{to->data() + before_}, end_blank_, flag_rule()});
  }

  // The partial rows of a format without empty cells: neither reward nor probabilities are numbers.
  std::vector<std::int64_t> unknown_rows() const {
    std::vector<std::int64_t> rows;
    // Who lends columns has empty cells, and tells them.
    if (roles_.state.empty() || lender_ != nullptr) return rows;
    for (std::int64_t i = before_; i < rows_; ++i) {
      const auto unknown = [&](const std::optional<LoggedRows>& p) { return !p || std::isnan(p->values[i]); };
      if (std::isnan(table_.rewards[i]) && unknown(table_.behavior) && unknown(table_.target))
        rows.push_back(i - before_);
    }
    return rows;
  }

  const std::vector<TableColumn>& columns_;
  const ColumnRoles& roles_;
  const ReadOptions& options_;
  std::int64_t first_row_;
  std::int64_t before_;  // rows that the table has
  std::int64_t rows_;    // and will have
  TableReader* lender_;
  Blank step_blank_ = Blank::never;
  Blank end_blank_ = Blank::never;
  double bytes_ = 0.0;  // of what is wanted so far
  std::vector<WantedColumn> wanted_{};
  LongTable& table_;
  Offences offences_{};
  bool lost_ = false;
};

// Which of them is meant?
[[noreturn]] void fail_twice(const TableReader& table, const std::string& name) {
  DataError::Problem problem;
  problem.code = "duplicate_column";
  problem.at.file = table.source().file;
  problem.at.column = name;
  problem.rule = "is the name of two columns";
  problem.remedy = "Give each column its own name";
  throw DataError(std::move(problem));
}

LongTable all_batches(LogReader& reader, const TableReader& table) {
  LongTable all;
  bool any = false;
  while (reader.append(all)) {
    all.episode.own();
    if (any) continue;
    any = true;
    // Vectors that grow are copied again and again. What a table declares is believed within reason.
    constexpr std::int64_t most = std::int64_t{1} << 27;
    if (const auto rows = table.expected_rows(); rows && *rows > all.rows && *rows <= most) {
      for_each_column(all, [&](auto& column, std::int64_t width) { column.reserve(*rows * width); });
    }
  }
  if (!any) fail_no_rows(table);
  return all;
}

}  // namespace

LogReader::LogReader(TableReader& table, const ReadOptions& options) : table_(table), options_(options) {
  std::vector<std::string> names;
  for (const TableColumn& column : table.columns()) names.push_back(column.name);
  roles_ = match_columns(names, options, table.source().file);
  used_ = used_columns(roles_, names);
  std::unordered_set<std::string_view> used;  // there may be a hundred thousand of them
  for (const UsedColumn& column : used_) used.insert(column.name);
  std::unordered_set<std::string_view> seen;
  for (const std::string& name : names) {
    if (!used.contains(name)) {
      ignored_.push_back(name);
    } else if (!seen.insert(name).second) {
      fail_twice(table, name);
    }
  }
}

bool LogReader::append(LongTable& to) {
  for (;;) {
    const std::optional<std::int64_t> rows = table_.next(roles_.reward);
    if (!rows) {
      offences_.raise();
      return false;
    }
    const bool alone = !begun_ && rows == table_.expected_rows().value_or(*rows);
    if (!begun_) first_row_ = table_.source().first_row;
    begun_ = true;
    LongTable looked_at;
    LongTable& table = offences_.any() ? looked_at : to;
    if (table.rows == 0) {
      table.source = table_.source();
      table.used = used_;
      table.ignored = ignored_;
    }
    own_columns(table);  // more rows go behind them
    Batch reading(table_.columns(), roles_, options_, first_row_, *rows, table, borrows_ && alone ? &table_ : nullptr);
    reading.read(table_);
    if (!offences_.any() && !reading.offences().any()) return true;
    offences_.append(std::move(reading.offences()));
    if (reading.lost()) offences_.raise();
  }
}

std::optional<LongTable> LogReader::next() {
  LongTable batch;
  return append(batch) ? std::optional(std::move(batch)) : std::nullopt;
}

ReadResult read_batches(TableReader& table, const ReadOptions& options) {
  LogReader reader(table, options);
  return assemble(all_batches(reader, table), {.sort = options.sort});
}

LogsWithRows borrow_batches(TableReader& table, const ReadOptions& options) {
  LogReader reader(table, options);
  reader.borrow();
  return assemble_with_rows(all_batches(reader, table), {.sort = options.sort});
}

void fail_no_rows(const TableReader& table) {
  fail_no_rows(table.source().file);
}

void fail_no_rows(const std::string& file) {
  DataError::Problem problem;
  problem.code = "no_rows";
  problem.at.file = file;
  problem.rule = "has no rows";
  problem.remedy = "Give it one row per step";
  throw DataError(std::move(problem));
}

ReadResult read_logs(TableReader& table, const ReadOptions& options) {
  try {
    LogReader reader(table, options);
    auto batch = reader.next();
    if (!batch) fail_no_rows(table);
    ReadResult logs = assemble(*std::move(batch), {.sort = options.sort});
    table.expect_unchanged();  // ids of episodes were compared where they lie
    return logs;
  } catch (const Error&) {
    table.expect_unchanged();  // what is wrong in a file that changes under our eyes is only that
    throw;
  }
}

}  // namespace starope::io
