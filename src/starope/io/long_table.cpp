#include "starope/io/long_table.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace starope::io {
void own_columns(LongTable& table) {
  const auto own = [](std::optional<RealColumn>& lent, auto& values) {
    using Number = typename std::decay_t<decltype(values)>::value_type;
    if (!lent) return;
    if constexpr (std::is_same_v<Number, float>) {
      values = lent->floats()->to_vector();
    } else {
      values = lent->doubles()->to_vector();
    }
    lent.reset();
  };
  LentColumns& lent = table.lent;
  if (auto* rows = std::get_if<NumberRows>(&table.states)) own(lent.states, rows->values);
  if (auto* rows = std::get_if<FloatRows>(&table.states)) own(lent.states, rows->values);
  if (auto* rows = std::get_if<NumberRows>(&table.actions)) own(lent.actions, rows->values);
  own(lent.rewards, table.rewards);
  if (table.behavior) own(lent.behavior, table.behavior->values);
  if (table.target) own(lent.target, table.target->values);
  if (table.behavior_distribution) own(lent.behavior_distribution, table.behavior_distribution->values);
  if (table.target_distribution) own(lent.target_distribution, table.target_distribution->values);
}

LongTable split(LongTable& table, std::int64_t row) {
  own_columns(table);
  const auto tail = [row](auto& column, std::int64_t width) {
    const auto at = column.begin() + static_cast<std::ptrdiff_t>(row * width);
    std::decay_t<decltype(column)> behind(at, column.end());
    column.erase(at, column.end());
    return behind;
  };
  LongTable rest;
  rest.source = {.file = table.source.file, .first_row = table.source.first_row + row};
  rest.used = table.used;
  rest.ignored = table.ignored;
  rest.rows = table.rows - row;
  table.rows = row;
  if (!table.t.empty()) rest.t = tail(table.t, 1);
  rest.rewards = tail(table.rewards, 1);
  if (auto* ids = std::get_if<std::vector<std::int64_t>>(&table.states)) rest.states = tail(*ids, 1);
  if (auto* rows = std::get_if<NumberRows>(&table.states))
    rest.states = NumberRows{rows->dimension, tail(rows->values, rows->dimension), rows->names};
  if (auto* rows = std::get_if<FloatRows>(&table.states))
    rest.states = FloatRows{rows->dimension, tail(rows->values, rows->dimension), rows->names};
  if (auto* rows = std::get_if<BitRows>(&table.states))
    rest.states = BitRows{rows->dimension, tail(rows->words, rows->words_per_row()), rows->names};
  if (auto* ids = std::get_if<std::vector<std::int64_t>>(&table.actions)) rest.actions = tail(*ids, 1);
  if (auto* rows = std::get_if<NumberRows>(&table.actions))
    rest.actions = NumberRows{rows->dimension, tail(rows->values, rows->dimension), rows->names};
  const auto logged = [&](std::optional<LoggedRows>& p) {
    return p ? std::optional(LoggedRows{tail(p->values, 1), p->scale, p->density, p->gaps}) : std::nullopt;
  };
  rest.behavior = logged(table.behavior);
  rest.target = logged(table.target);
  const auto distribution = [&](std::optional<DistributionRows>& p) {
    return p ? std::optional(DistributionRows{p->actions, tail(p->values, p->actions)}) : std::nullopt;
  };
  rest.behavior_distribution = distribution(table.behavior_distribution);
  rest.target_distribution = distribution(table.target_distribution);
  if (table.terminated) rest.terminated = tail(*table.terminated, 1);
  if (table.truncated) rest.truncated = tail(*table.truncated, 1);

  const auto cut_at = [row](std::vector<std::int64_t>& rows) {
    return std::lower_bound(rows.begin(), rows.end(), row) - rows.begin();
  };
  const auto part = cut_at(table.partial_rows), run = cut_at(table.episode.first_row);
  for (auto at = table.partial_rows.begin() + part; at != table.partial_rows.end(); ++at)
    rest.partial_rows.push_back(*at - row);
  table.partial_rows.resize(part);
  TextRuns& runs = table.episode;
  for (auto i = static_cast<std::size_t>(run); i < runs.text.size(); ++i) {
    rest.episode.first_row.push_back(runs.first_row[i] - row);
    rest.episode.text.push_back(runs.text[i]);
  }
  rest.episode.own();
  runs.first_row.resize(run);
  runs.text.resize(run);
  runs.owned = std::min(runs.owned, runs.text.size());
  return rest;
}

}  // namespace starope::io
