#include "starope/io/assemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "starope/base/offences.hpp"
#include "starope/error.hpp"
#include "starope/io/episode_index.hpp"
#include "starope/io/time_gaps.hpp"

namespace starope::io {
namespace {

// Row i of the result is row order[i] of the column.
template <class T>
void reorder(std::vector<T>& column, std::size_t width, const std::vector<std::int64_t>& order) {
  std::vector<T> ordered(column.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto from = column.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(order[i]) * width);
    std::copy(from, from + static_cast<std::ptrdiff_t>(width),
              ordered.begin() + static_cast<std::ptrdiff_t>(i * width));
  }
  column = std::move(ordered);
}

// Takes the rows (ascending) out of the column and appends those at `kept` behind the rest.
template <class T>
void remove_rows(std::vector<T>& column, std::size_t width, const std::vector<std::int64_t>& removed,
                 const std::vector<std::int64_t>& kept) {
  const auto at = [&](std::int64_t row) { return column.begin() + row * static_cast<std::ptrdiff_t>(width); };
  std::vector<T> behind;
  behind.reserve(kept.size() * width);
  for (const std::int64_t row : kept) behind.insert(behind.end(), at(row), at(row + 1));
  auto to = at(removed.front());
  for (std::size_t k = 0; k < removed.size(); ++k) {
    const auto next = k + 1 < removed.size() ? at(removed[k + 1]) : column.end();
    to = std::copy(at(removed[k] + 1), next, to);
  }
  column.erase(std::copy(behind.begin(), behind.end(), to), column.end());
}

class Assembler {
 public:
  Assembler(LongTable table, const AssembleOptions& options)
      : table_(std::move(table)), source_(table_.source), options_(options) {}

  ReadResult run() {
    summary_ = {source_.file, table_.rows, 0, table_.used, table_.ignored};
    index_ = index_episodes(table_.episode, table_.rows, {options_.sort, table_.t, name_of("episode")}, source_);
    if (!index_.order.empty() || !table_.partial_rows.empty()) own_columns(table_);
    if (!index_.order.empty()) apply_order();
    check_episodes();
    if (const auto gaps = gaps_in_t(table_.t, index_.offsets)) findings_.push_back(*gaps);
    table_.t = {};
    decide_ends();
    if (!table_.partial_rows.empty()) separate_final_states();
    make_actions();
    const bool gaps = table_.behavior && table_.behavior->gaps;
    LentColumns& lent = table_.lent;
    columns_.behavior_distribution = distribution_of(lent.behavior_distribution, table_.behavior_distribution);
    columns_.target_distribution = distribution_of(lent.target_distribution, table_.target_distribution);
    take_logged(gaps ? columns_.behavior_with_gaps : columns_.behavior, lent.behavior, table_.behavior,
                columns_.behavior_distribution);
    take_logged(columns_.target, lent.target, table_.target, columns_.target_distribution);
    make_states();
    columns_.offsets = std::move(index_.offsets);
    columns_.episode_ids = episode_ids();
    columns_.ends = std::move(ends_);
    columns_.rewards = taken(lent.rewards, table_.rewards);
    Dataset data = build();
    return ReadResult{std::move(data), std::move(summary_), std::move(findings_)};
  }

  // The row of the file that each step was; empty: every one is where it was. After run().
  std::vector<std::int64_t> rows_of_steps(std::int64_t steps) const {
    std::vector<std::int64_t> rows;
    if (index_.order.empty() && table_.partial_rows.empty()) return rows;
    rows.reserve(steps);
    for (std::int64_t step = 0; step < steps; ++step) {
      const std::int64_t row = row_of_step(step);
      rows.push_back(index_.order.empty() ? row : index_.order[row]);
    }
    return rows;
  }

 private:
  // ---- places -------------------------------------------------------------------------------------------------

  std::string name_of(const std::string& role) const {
    for (const UsedColumn& column : summary_.used) {
      if (column.role == role) return column.name;
    }
    return role;
  }

  // Of a row of the ordered table.
  DataLocation at(std::int64_t row, const std::string& role) const {
    const std::int64_t in_file = index_.order.empty() ? row : index_.order[row];
    return source_.at(in_file, role.empty() ? role : name_of(role));
  }

  // The row of a step: partial row k stands before it if it did so before the k partial rows above were taken out.
  std::int64_t row_of_step(std::int64_t step) const {
    const std::vector<std::int64_t>& partial = table_.partial_rows;
    std::size_t low = 0;
    for (std::size_t high = partial.size(); low < high;) {
      const std::size_t middle = (low + high) / 2;
      if (partial[middle] - static_cast<std::int64_t>(middle) <= step) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return step + static_cast<std::int64_t>(low);
  }

  // What is wrong with a row of the ordered table is noted, and the others are looked at.
  void note(const char* code, std::int64_t row, const std::string& role, std::optional<std::string> value,
            std::string rule, std::string remedy) {
    offences_.add(row, [&] {
      return DataError::Problem{code, at(row, role), std::move(value), std::move(rule), std::move(remedy)};
    });
  }

  EpisodeIds episode_ids() {
    const auto* integers = std::get_if<Column<std::int64_t>>(&index_.ids);
    if (integers == nullptr || !options_.whole || options_.whole->integer_ids) return std::move(index_.ids);
    std::vector<std::string> texts;
    for (const std::int64_t id : *integers) texts.push_back(std::to_string(id));
    return Column<std::string>(std::move(texts));
  }

  // ---- rows ---------------------------------------------------------------------------------------------------

  template <class Visit>
  void for_each_column_of_steps(const Visit& visit) {
    io::for_each_column_of_steps(table_, visit);
  }
  template <class Visit>
  void for_each_column_of_states(const Visit& visit) {
    io::for_each_column_of_states(table_, visit);
  }

  void apply_order() {
    const auto visit = [&](auto& column, std::int64_t width) {
      reorder(column, static_cast<std::size_t>(width), index_.order);
    };
    for_each_column(table_, visit);
    std::vector<std::int64_t> partial;
    for (std::size_t i = 0; i < index_.order.size() && !table_.partial_rows.empty(); ++i) {
      const auto& before = table_.partial_rows;
      if (std::binary_search(before.begin(), before.end(), index_.order[i]))
        partial.push_back(static_cast<std::int64_t>(i));
    }
    table_.partial_rows = std::move(partial);
  }

  // Walks through the rows in order, so that the first thing wrong is what is reported.
  void check_episodes() {
    auto partial = table_.partial_rows.begin();
    for (std::size_t e = 0; e + 1 < index_.offsets.size(); ++e) {
      const std::int64_t first = index_.offsets[e];
      const std::int64_t end = index_.offsets[e + 1];
      for (std::int64_t row = first; row < end; ++row) {
        const bool is_partial = partial != table_.partial_rows.end() && *partial == row;
        if (is_partial && (row == first || row + 1 != end)) {
          note("missing_value", row, "reward", std::nullopt, "is empty: a missing value", blank_cell_remedy);
        }
        if (!table_.t.empty()) check_t(row, row > first, is_partial);
        if (row > first) check_not_ended(row, is_partial);
        if (is_partial) ++partial;
      }
    }
    offences_.raise();
  }

  void check_t(std::int64_t row, bool has_before, bool is_partial) {
    const double t = table_.t[row];
    if (is_partial && std::isnan(t)) return;
    if (!std::isfinite(t)) {
      return note("bad_number", row, "t", fmt::format("{}", t), "is not a finite number; every time must be",
                  "Write when the step happened, or pass an empty --t to ignore the column");
    }
    if (!has_before) return;
    const double before = table_.t[row - 1];
    if (t > before || !std::isfinite(before)) return;
    note("t_not_increasing", row, "t", fmt::format("{}", t),
         fmt::format("does not come after {}, the time of the step before in row {}: t must increase within an episode",
                     before, *at(row - 1, "").row),
         t == before ? "Give each step its own time, or pass an empty --t to ignore the column"
                     : "Put the rows of each episode in order of time, or pass --sort");
  }

  static bool is_set(const std::optional<std::vector<std::uint8_t>>& flags, std::int64_t row) {
    return flags && (*flags)[row] != 0;
  }

  void check_not_ended(std::int64_t row, bool is_partial) {
    if (is_partial) return;  // the state after the last step belongs behind it
    for (const bool terminated : {true, false}) {
      if (!is_set(terminated ? table_.terminated : table_.truncated, row - 1)) continue;
      const std::string column = name_of(terminated ? "terminated" : "truncated");
      note("row_after_termination", row, "", std::nullopt,
           fmt::format("is a row after termination: {} = 1 in row {} already ended this episode", column,
                       *at(row - 1, "").row),
           fmt::format("Set {} only in the last row of an episode, or start a new episode id here", column));
    }
  }

  // ---- how episodes end ---------------------------------------------------------------------------------------

  void decide_ends() {
    const bool flags_known = table_.terminated || table_.truncated;
    std::int64_t unmarked = 0;
    for (std::size_t e = 0; e + 1 < index_.offsets.size(); ++e) {
      const std::int64_t last = index_.offsets[e + 1] - 1;
      // Of the last step, and of a partial row behind it: a step before the last one has no flag set any more.
      const std::int64_t from = std::max(index_.offsets[e], last - 1);
      bool terminated = !flags_known;
      bool truncated = false;
      for (std::int64_t row = from; row <= last; ++row) {
        terminated = terminated || is_set(table_.terminated, row);
        truncated = truncated || is_set(table_.truncated, row);
      }
      if (!terminated && !truncated) {
        terminated = !table_.terminated;
        unmarked += terminated ? 0 : 1;
      }
      ends_.push_back(terminated ? EpisodeEnd::terminated : EpisodeEnd::truncated);
    }
    if (unmarked > 0) {
      const std::string columns = name_of("terminated") + (table_.truncated ? " or " + name_of("truncated") : "");
      findings_.push_back({Severity::info, "unmarked_end", {{"episodes", unmarked}, {"columns", columns}}});
    }
    table_.terminated.reset();
    table_.truncated.reset();
  }

  // Partial rows leave the steps. Those of truncated episodes go behind the states of the steps; what follows a
  // termination means nothing.
  void separate_final_states() {
    const std::vector<std::int64_t>& partial = table_.partial_rows;
    std::vector<std::uint8_t> has_final_state;
    std::int64_t before = 0;
    for (std::size_t e = 0; e + 1 < index_.offsets.size(); ++e) {
      const std::int64_t end = index_.offsets[e + 1];
      const auto k = static_cast<std::size_t>(before);
      const bool has = k < partial.size() && partial[k] == end - 1;
      const bool kept = has && ends_[e] == EpisodeEnd::truncated;
      has_final_state.push_back(kept);
      if (kept) final_rows_.push_back(end - 1);
      before += has ? 1 : 0;
      index_.offsets[e + 1] = end - before;
    }
    columns_.has_final_state = std::move(has_final_state);
    for_each_column_of_steps(
        [&](auto& column, std::int64_t width) { remove_rows(column, static_cast<std::size_t>(width), partial, {}); });
    for_each_column_of_states([&](auto& column, std::int64_t width) {
      remove_rows(column, static_cast<std::size_t>(width), partial, final_rows_);
    });
    summary_.final_states = static_cast<std::int64_t>(final_rows_.size());
    const auto unused = static_cast<std::int64_t>(partial.size() - final_rows_.size());
    if (unused > 0) {
      findings_.push_back({Severity::info, "final_state_unused", {{"states", unused}}});
    }
  }

  // ---- columns ------------------------------------------------------------------------------------------------

  void make_actions() {
    if (auto* numbers = std::get_if<NumberRows>(&table_.actions))
      columns_.actions =
          ContinuousActions{.dimension = numbers->dimension, .values = taken(table_.lent.actions, numbers->values)};
    auto* ids = std::get_if<std::vector<std::int64_t>>(&table_.actions);
    if (ids == nullptr) return;
    std::int64_t count = 0;
    if (table_.behavior_distribution) count = table_.behavior_distribution->actions;
    if (table_.target_distribution) count = table_.target_distribution->actions;
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    if (count == 0 && options_.whole) count = options_.whole->actions;
    if (count == 0) count = std::clamp<std::int64_t>(*std::max_element(ids->begin(), ids->end()), 0, most - 1) + 1;
    std::vector<std::int32_t> actions(ids->size());
    for (std::size_t i = 0; i < ids->size(); ++i) {
      const std::int64_t id = (*ids)[i];
      if (id < 0 || id >= count) {
        note("bad_action", row_of_step(static_cast<std::int64_t>(i)), "action", fmt::format("{}", id),
             fmt::format("is not one of the {} actions 0..{}: inconsistent action range", count, count - 1),
             "Number the actions from 0, and give every action its own probability column if there are any");
        continue;
      }
      actions[i] = static_cast<std::int32_t>(id);
    }
    offences_.raise();
    columns_.actions = DiscreteActions{.id = std::move(actions), .count = static_cast<std::int32_t>(count)};
    table_.actions = std::monostate();
  }

  // Where they lie, or the table's own.
  template <class Number>
  static Column<Number> taken(std::optional<RealColumn>& lent, std::vector<Number>& own) {
    if (!lent) return std::move(own);
    if constexpr (std::is_same_v<Number, float>) {
      return *lent->floats();
    } else {
      return *lent->doubles();
    }
  }

  static std::optional<ActionProbabilities> distribution_of(std::optional<RealColumn>& lent,
                                                            std::optional<DistributionRows>& rows) {
    if (!rows) return std::nullopt;
    return ActionProbabilities{.actions = rows->actions, .values = taken(lent, rows->values)};
  }

  // Of the logged actions: as they were logged, or looked up among those of all actions.
  void take_logged(std::optional<LoggedProbabilities>& to, std::optional<RealColumn>& lent,
                   std::optional<LoggedRows>& logged, const std::optional<ActionProbabilities>& distribution) {
    if (logged) {
      to = LoggedProbabilities{
          .values = taken(lent, logged->values), .scale = logged->scale, .density = logged->density};
      return;
    }
    const auto* actions = std::get_if<DiscreteActions>(&columns_.actions);
    if (!distribution || actions == nullptr) return;
    std::vector<double> values;
    values.reserve(actions->id.size());
    for (std::int64_t i = 0; i < actions->id.size(); ++i)
      values.push_back(distribution->values[i * distribution->actions + actions->id[i]]);
    to = LoggedProbabilities{.values = std::move(values)};
  }

  void make_states() {
    if (auto* ids = std::get_if<std::vector<std::int64_t>>(&table_.states)) {
      columns_.states = make_discrete_states(*ids);
    }
    if (auto* bits = std::get_if<BitRows>(&table_.states)) {
      columns_.states =
          BinaryStates{.dimension = bits->dimension, .words = std::move(bits->words), .names = std::move(bits->names)};
    }
    if (auto* numbers = std::get_if<NumberRows>(&table_.states)) make_dense(*numbers);
    if (auto* floats = std::get_if<FloatRows>(&table_.states)) make_dense(*floats);
    table_.states = std::monostate();
  }

  template <class Number>
  void make_dense(RowsOf<Number>& rows) {
    DenseStates dense{
        .dimension = rows.dimension, .values = taken(table_.lent.states, rows.values), .names = std::move(rows.names)};
    std::optional<BinaryStates> bits;
    if (dense.dimension >= fewest_bits && (!options_.whole || options_.whole->bits)) bits = to_bits(dense);
    if (bits) {
      columns_.states = *std::move(bits);
    } else {
      columns_.states = std::move(dense);
    }
  }

  // The data set's own rules on values, with the file, its rows and its names for the columns.
  Dataset build() {
    const std::int64_t steps = columns_.offsets.back();
    const auto locate = [&](std::int64_t row) {
      return at(row < steps ? row_of_step(row) : final_rows_[row - steps], "");
    };
    try {
      return Dataset(std::move(columns_), locate);
    } catch (const DataError& error) {
      DataError::Problem first = error.problem();
      first.at.column = name_in_file(first);
      std::vector<DataError::Problem> others = error.others();
      for (DataError::Problem& other : others) other.at.column = name_in_file(other);
      throw DataError(std::move(first), std::move(others), error.more());
    }
  }

  std::string name_in_file(const DataError::Problem& problem) const {
    const std::string& role = problem.at.column;
    if (problem.code == "bad_state") return role;  // features carry the names of the file
    // Of its own column, or of the columns of all actions, from which it was taken.
    for (const auto& [wanted, more] : {std::pair{role, ""}, std::pair{role + "s_0", ".."}}) {
      for (const UsedColumn& column : summary_.used) {
        if (column.role == wanted) return column.name + more;
      }
    }
    return role;
  }

  LongTable table_;
  TableSource source_;
  AssembleOptions options_;
  EpisodeIndex index_{};
  std::vector<std::int64_t> final_rows_{};  // of the ordered table
  std::vector<EpisodeEnd> ends_{};
  Columns columns_{};
  ReadSummary summary_{};
  std::vector<Finding> findings_{};
  Offences offences_{};
};

}  // namespace

ReadResult assemble(LongTable table, const AssembleOptions& options) {
  return Assembler(std::move(table), options).run();
}

LogsWithRows assemble_with_rows(LongTable table, const AssembleOptions& options) {
  Assembler assembler(std::move(table), options);
  ReadResult logs = assembler.run();
  std::vector<std::int64_t> rows = assembler.rows_of_steps(logs.data.steps());
  return {std::move(logs), std::move(rows)};
}

}  // namespace starope::io
