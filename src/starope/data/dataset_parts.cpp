// Data sets made of others: some of their episodes, several in one, one column exchanged. All that must know every
// column by name is here and in the checks of dataset.cpp.

#include "starope/data/dataset_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "starope/base/error.hpp"

namespace starope {
namespace {

// The rows of a table with `width` values per row.
template <class T>
std::vector<T> rows_of(std::span<const T> from, std::span<const std::int64_t> rows, std::int64_t width) {
  std::vector<T> taken;
  taken.reserve(rows.size() * static_cast<std::size_t>(width));
  for (const std::int64_t row : rows) {
    const auto first = from.begin() + row * width;
    taken.insert(taken.end(), first, first + width);
  }
  return taken;
}

template <class T>
std::vector<T> rows_of(const std::vector<T>& from, std::span<const std::int64_t> rows, std::int64_t width = 1) {
  return rows_of(std::span<const T>(from), rows, width);
}

States take_states(const States& states, std::span<const std::int64_t> rows) {
  if (const auto* discrete = std::get_if<DiscreteStates>(&states)) {
    std::vector<std::int64_t> ids;
    ids.reserve(rows.size());
    for (const std::int64_t row : rows)
      ids.push_back(discrete->ids[static_cast<std::size_t>(discrete->code[static_cast<std::size_t>(row)])]);
    return make_discrete_states(ids);
  }
  if (const auto* dense = std::get_if<DenseStates>(&states)) {
    return DenseStates{
        .dimension = dense->dimension, .values = rows_of(dense->values, rows, dense->dimension), .names = dense->names};
  }
  if (const auto* bits = std::get_if<BinaryStates>(&states)) {
    return BinaryStates{.dimension = bits->dimension,
                        .words = rows_of(bits->words, rows, static_cast<std::int64_t>(bits->words_per_row())),
                        .names = bits->names};
  }
  return {};
}

Actions take_actions(const Actions& actions, std::span<const std::int64_t> rows) {
  if (const auto* discrete = std::get_if<DiscreteActions>(&actions))
    return DiscreteActions{.id = rows_of(discrete->id, rows), .count = discrete->count};
  if (const auto* continuous = std::get_if<ContinuousActions>(&actions)) {
    return ContinuousActions{.dimension = continuous->dimension,
                             .values = rows_of(continuous->values, rows, continuous->dimension)};
  }
  return {};
}

std::optional<LoggedProbabilities> take_column(const std::optional<LoggedProbabilities>& from,
                                               std::span<const std::int64_t> rows) {
  if (!from) return std::nullopt;
  return LoggedProbabilities{.values = rows_of(from->values, rows), .scale = from->scale, .density = from->density};
}

std::optional<ActionProbabilities> take_column(const std::optional<ActionProbabilities>& from,
                                               std::span<const std::int64_t> rows) {
  if (!from) return std::nullopt;
  return ActionProbabilities{.actions = from->actions, .values = rows_of(from->values, rows, from->actions)};
}

[[noreturn]] void differ(const char* what) {
  throw InvalidArgument(fmt::format(
      "cannot put these logs one behind the other: they differ in {}. All parts need the same columns", what));
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Step rows first, then the rows of final states of all parts: one pass for each.
template <class T, class ValuesOf>
std::vector<T> join_states(std::span<const Dataset> parts, std::int64_t width, const ValuesOf& values_of) {
  std::vector<T> joined;
  for (const bool final_rows : {false, true}) {
    for (const Dataset& part : parts) {
      const std::span<const T> values = values_of(part);
      const auto split = values.begin() + part.steps() * width;
      joined.insert(joined.end(), final_rows ? split : values.begin(), final_rows ? values.end() : split);
    }
  }
  return joined;
}

template <class Kind>
const Kind& same_kind(const Dataset& part, const Kind& first) {
  const auto* other = std::get_if<Kind>(&part.states());
  if (other == nullptr) differ("the kind of their states");
  if constexpr (requires { first.dimension; }) {
    if (other->dimension != first.dimension) differ("the number of state features");
  }
  return *other;
}

States join_states(std::span<const Dataset> parts) {
  const States& first = parts.front().states();
  if (const auto* discrete = std::get_if<DiscreteStates>(&first)) {
    std::vector<std::vector<std::int64_t>> ids;
    for (const Dataset& part : parts) {
      const DiscreteStates& states = same_kind(part, *discrete);
      ids.emplace_back();
      for (const std::int32_t code : states.code) ids.back().push_back(states.ids[static_cast<std::size_t>(code)]);
    }
    return make_discrete_states(join_states<std::int64_t>(parts, 1, [&](const Dataset& part) {
      return std::span<const std::int64_t>(ids[static_cast<std::size_t>(&part - parts.data())]);
    }));
  }
  if (const auto* dense = std::get_if<DenseStates>(&first)) {
    return DenseStates{
        .dimension = dense->dimension,
        .values = join_states<double>(parts, dense->dimension,
                                      [&](const Dataset& part) { return std::span(same_kind(part, *dense).values); }),
        .names = dense->names};
  }
  if (const auto* bits = std::get_if<BinaryStates>(&first)) {
    return BinaryStates{.dimension = bits->dimension,
                        .words = join_states<std::uint64_t>(
                            parts, static_cast<std::int64_t>(bits->words_per_row()),
                            [&](const Dataset& part) { return std::span(same_kind(part, *bits).words); }),
                        .names = bits->names};
  }
  for (const Dataset& part : parts) {
    if (part.states().index() != first.index()) differ("the kind of their states");
  }
  return {};
}

Actions join_actions(std::span<const Dataset> parts) {
  Actions joined = parts.front().actions();
  for (const Dataset& part : parts.subspan(1)) {
    if (part.actions().index() != joined.index()) differ("the kind of their actions");
    if (auto* discrete = std::get_if<DiscreteActions>(&joined)) {
      const auto& more = std::get<DiscreteActions>(part.actions());
      append(discrete->id, more.id);
      discrete->count = std::max(discrete->count, more.count);
    }
    if (auto* continuous = std::get_if<ContinuousActions>(&joined)) {
      const auto& more = std::get<ContinuousActions>(part.actions());
      if (more.dimension != continuous->dimension) differ("the dimension of their actions");
      append(continuous->values, more.values);
    }
  }
  return joined;
}

template <class Column, class Get>
std::optional<Column> join_column(std::span<const Dataset> parts, const char* what, const Get& get) {
  std::optional<Column> joined = get(parts.front());
  for (const Dataset& part : parts.subspan(1)) {
    const std::optional<Column>& more = get(part);
    if (more.has_value() != joined.has_value()) differ(what);
    if (!more) continue;
    if constexpr (requires { more->scale; }) {
      if (more->scale != joined->scale || more->density != joined->density) differ(what);
    } else {
      if (more->actions != joined->actions) differ(what);
    }
    append(joined->values, more->values);
  }
  return joined;
}

// Texts unless all parts have numbers; nothing if nobody has ids.
EpisodeIds join_ids(std::span<const Dataset> parts) {
  const auto is_empty = [](const Dataset& part) {
    return std::visit([](const auto& ids) { return ids.empty(); }, part.episode_ids());
  };
  if (std::all_of(parts.begin(), parts.end(), is_empty)) return {};
  std::vector<std::int64_t> numbers;
  std::vector<std::string> names;
  bool all_numbers = true;
  for (const Dataset& part : parts) {
    const auto* ids = std::get_if<std::vector<std::int64_t>>(&part.episode_ids());
    all_numbers = all_numbers && ids != nullptr && !ids->empty();
    if (all_numbers) append(numbers, *ids);
  }
  if (all_numbers) return numbers;
  for (const Dataset& part : parts) {
    for (std::int64_t i = 0; i < part.episodes(); ++i) names.push_back(part.episode_name(i));
  }
  return names;
}

}  // namespace

Columns columns_of(const Dataset& data) {
  Columns columns;
  columns.offsets.push_back(0);
  bool any_final = false;
  for (std::int64_t i = 0; i < data.episodes(); ++i) {
    columns.offsets.push_back(data.first_step(i + 1));
    columns.has_final_state.push_back(data.final_row(i).has_value());
    any_final = any_final || columns.has_final_state.back();
    columns.ends.push_back(data.end(i));
  }
  if (!any_final) columns.has_final_state.clear();
  columns.episode_ids = data.episode_ids();
  columns.states = data.states();
  columns.actions = data.actions();
  columns.rewards.assign(data.rewards().begin(), data.rewards().end());
  columns.behavior = data.behavior();
  columns.target = data.target();
  columns.behavior_distribution = data.behavior_distribution();
  columns.target_distribution = data.target_distribution();
  return columns;
}

Dataset Dataset::take(std::span<const std::int64_t> episodes) const {
  Columns columns;
  columns.offsets = {0};
  std::vector<std::int64_t> rows, final_rows, numbers;
  std::vector<std::string> names;
  const bool named = std::holds_alternative<std::vector<std::string>>(columns_->episode_ids);
  const auto* ids = std::get_if<std::vector<std::int64_t>>(&columns_->episode_ids);
  for (const std::int64_t i : episodes) {
    if (i < 0 || i >= this->episodes())
      throw InvalidArgument(
          fmt::format("there is no episode {}: these logs have episodes 0..{}", i, this->episodes() - 1));
    for (std::int64_t t = 0; t < length(i); ++t) rows.push_back(first_step(i) + t);
    columns.offsets.push_back(static_cast<std::int64_t>(rows.size()));
    const auto last = final_row(i);
    columns.has_final_state.push_back(last.has_value());
    if (last) final_rows.push_back(*last);
    columns.ends.push_back(end(i));
    if (named) {
      names.push_back(episode_name(i));
    } else {
      numbers.push_back(ids->empty() ? i : (*ids)[static_cast<std::size_t>(i)]);
    }
  }
  if (named) {
    columns.episode_ids = std::move(names);
  } else {
    columns.episode_ids = std::move(numbers);
  }
  columns.actions = take_actions(actions(), rows);
  columns.rewards = rows_of(rewards(), rows, 1);
  columns.behavior = take_column(behavior(), rows);
  columns.target = take_column(target(), rows);
  columns.behavior_distribution = take_column(behavior_distribution(), rows);
  columns.target_distribution = take_column(target_distribution(), rows);
  if (final_rows.empty()) columns.has_final_state.clear();
  rows.insert(rows.end(), final_rows.begin(), final_rows.end());
  columns.states = take_states(states(), rows);
  return Dataset(std::move(columns));
}

Dataset Dataset::take(std::int64_t first, std::int64_t last) const {
  std::vector<std::int64_t> episodes(static_cast<std::size_t>(std::max<std::int64_t>(0, last - first)));
  std::iota(episodes.begin(), episodes.end(), first);
  return take(episodes);
}

Dataset Dataset::with_behavior(LoggedProbabilities behavior) const {
  Columns columns = columns_of(*this);
  columns.behavior = std::move(behavior);
  return Dataset(std::move(columns));
}

Dataset Dataset::with_target(LoggedProbabilities target) const {
  Columns columns = columns_of(*this);
  columns.target = std::move(target);
  return Dataset(std::move(columns));
}

Dataset Dataset::with_behavior_distribution(ActionProbabilities distribution) const {
  Columns columns = columns_of(*this);
  columns.behavior_distribution = std::move(distribution);
  return Dataset(std::move(columns));
}

Dataset Dataset::with_target_distribution(ActionProbabilities distribution) const {
  Columns columns = columns_of(*this);
  columns.target_distribution = std::move(distribution);
  return Dataset(std::move(columns));
}

Dataset concat(std::span<const Dataset> parts) {
  if (parts.empty()) throw InvalidArgument("there are no logs to put one behind the other");
  Columns columns;
  columns.offsets = {0};
  bool any_final = false;
  for (const Dataset& part : parts) {
    const std::int64_t before = columns.offsets.back();
    for (std::int64_t i = 0; i < part.episodes(); ++i) {
      columns.offsets.push_back(before + part.first_step(i + 1));
      columns.has_final_state.push_back(part.final_row(i).has_value());
      any_final = any_final || columns.has_final_state.back();
      columns.ends.push_back(part.end(i));
    }
    columns.rewards.insert(columns.rewards.end(), part.rewards().begin(), part.rewards().end());
  }
  if (!any_final) columns.has_final_state.clear();
  columns.episode_ids = join_ids(parts);
  columns.states = join_states(parts);
  columns.actions = join_actions(parts);
  columns.behavior = join_column<LoggedProbabilities>(
      parts, "the behavior probabilities", [](const Dataset& d) -> const auto& { return d.behavior(); });
  columns.target = join_column<LoggedProbabilities>(
      parts, "the target probabilities", [](const Dataset& d) -> const auto& { return d.target(); });
  columns.behavior_distribution = join_column<ActionProbabilities>(
      parts, "the distributions of the behavior policy",
      [](const Dataset& d) -> const auto& { return d.behavior_distribution(); });
  columns.target_distribution = join_column<ActionProbabilities>(
      parts, "the distributions of the target policy",
      [](const Dataset& d) -> const auto& { return d.target_distribution(); });
  return Dataset(std::move(columns));
}

}  // namespace starope
