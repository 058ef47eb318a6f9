#include "starope/data/take_rows.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace starope {
namespace {

template <class T>
Column<T> gathered(const Column<T>& from, std::span<const std::int64_t> rows, std::int64_t width) {
  std::vector<T> taken;
  taken.reserve(rows.size() * static_cast<std::size_t>(width));
  for (const std::int64_t row : rows) {
    const auto first = from.begin() + row * width;
    taken.insert(taken.end(), first, first + width);
  }
  return taken;
}

// The rows of a table with `width` values per row.
template <class T>
Column<T> step_rows(const Column<T>& from, const ChosenRows& rows, std::int64_t width = 1) {
  return gathered(from, rows.steps, width);
}
template <class T>
Column<T> step_rows(const Column<T>& from, const RowRange& rows, std::int64_t width = 1) {
  return from.slice(rows.first * width, rows.last * width);
}
template <class T>
Column<T> state_rows(const Column<T>& from, const ChosenRows& rows, std::int64_t width) {
  return gathered(from, rows.states, width);
}
template <class T>
Column<T> state_rows(const Column<T>& from, const RowRange& rows, std::int64_t width) {
  const Column<T> steps = step_rows(from, rows, width);
  if (rows.first_final == rows.last_final) return steps;
  const Column<T> finals = from.slice(rows.first_final * width, rows.last_final * width);
  std::vector<T> both;
  both.reserve(steps.size() + finals.size());
  both.insert(both.end(), steps.begin(), steps.end());
  both.insert(both.end(), finals.begin(), finals.end());
  return both;
}
template <class Rows>
RealColumn state_rows(const RealColumn& from, const Rows& rows, std::int64_t width) {
  return from.visit([&](const auto& values) { return RealColumn(state_rows(values, rows, width)); });
}

// Without the ids that no longer occur: the cells of an abstraction, and counts of states, are those of the part.
DiscreteStates compacted(Column<std::int32_t> code, const Column<std::int64_t>& ids) {
  std::vector<std::int32_t> renumbered(ids.size(), -1);
  for (const std::int32_t c : code) renumbered[c] = 0;
  if (std::find(renumbered.begin(), renumbered.end(), -1) == renumbered.end())
    return {.code = std::move(code), .ids = ids};
  std::vector<std::int64_t> left;
  for (std::size_t c = 0; c < renumbered.size(); ++c) {
    if (renumbered[c] < 0) continue;
    renumbered[c] = static_cast<std::int32_t>(left.size());
    left.push_back(ids[c]);
  }
  std::vector<std::int32_t> codes;
  codes.reserve(code.size());
  for (const std::int32_t c : code) codes.push_back(renumbered[c]);
  return {.code = std::move(codes), .ids = std::move(left)};
}

template <class Rows>
States take_states(const States& states, const Rows& rows) {
  if (const auto* discrete = std::get_if<DiscreteStates>(&states))
    return compacted(state_rows(discrete->code, rows, 1), discrete->ids);
  if (const auto* dense = std::get_if<DenseStates>(&states)) {
    return DenseStates{.dimension = dense->dimension,
                       .values = state_rows(dense->values, rows, dense->dimension),
                       .names = dense->names};
  }
  if (const auto* bits = std::get_if<BinaryStates>(&states)) {
    return BinaryStates{.dimension = bits->dimension,
                        .words = state_rows(bits->words, rows, static_cast<std::int64_t>(bits->words_per_row())),
                        .names = bits->names};
  }
  return {};
}

template <class Rows>
Actions take_actions(const Actions& actions, const Rows& rows) {
  if (const auto* discrete = std::get_if<DiscreteActions>(&actions))
    return DiscreteActions{.id = step_rows(discrete->id, rows), .count = discrete->count};
  if (const auto* continuous = std::get_if<ContinuousActions>(&actions)) {
    return ContinuousActions{.dimension = continuous->dimension,
                             .values = step_rows(continuous->values, rows, continuous->dimension)};
  }
  return {};
}

template <class Rows>
std::optional<LoggedProbabilities> take_column(const std::optional<LoggedProbabilities>& from, const Rows& rows) {
  if (!from) return std::nullopt;
  return LoggedProbabilities{.values = step_rows(from->values, rows), .scale = from->scale, .density = from->density};
}

template <class Rows>
std::optional<ActionProbabilities> take_column(const std::optional<ActionProbabilities>& from, const Rows& rows) {
  if (!from) return std::nullopt;
  return ActionProbabilities{.actions = from->actions, .values = step_rows(from->values, rows, from->actions)};
}

template <class Rows>
Columns take(const Columns& from, const Rows& rows) {
  Columns taken;
  taken.states = take_states(from.states, rows);
  taken.actions = take_actions(from.actions, rows);
  taken.rewards = step_rows(from.rewards, rows);
  taken.behavior = take_column(from.behavior, rows);
  taken.behavior_with_gaps = take_column(from.behavior_with_gaps, rows);
  taken.target = take_column(from.target, rows);
  taken.behavior_distribution = take_column(from.behavior_distribution, rows);
  taken.target_distribution = take_column(from.target_distribution, rows);
  return taken;
}

}  // namespace

Columns take_rows(const Columns& from, const ChosenRows& rows) {
  return take(from, rows);
}

Columns take_rows(const Columns& from, const RowRange& rows) {
  return take(from, rows);
}

EpisodeIds take_ids(const EpisodeIds& ids, std::span<const std::int64_t> episodes) {
  if (const auto* names = std::get_if<Column<std::string>>(&ids); names != nullptr && !names->empty())
    return gathered(*names, episodes, 1);
  const auto* numbers = std::get_if<Column<std::int64_t>>(&ids);
  if (numbers != nullptr && !numbers->empty()) return gathered(*numbers, episodes, 1);
  return std::vector<std::int64_t>(episodes.begin(), episodes.end());
}

EpisodeIds take_ids(const EpisodeIds& ids, std::int64_t first, std::int64_t last) {
  return std::visit(
      [&](const auto& all) -> EpisodeIds {
        if (!all.empty()) return all.slice(first, last);
        std::vector<std::int64_t> numbers(last - first);
        std::iota(numbers.begin(), numbers.end(), first);
        return numbers;
      },
      ids);
}

}  // namespace starope
