#include "starope/data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "starope/error.hpp"

namespace starope {
namespace {

[[noreturn]] void differ(const char* what) {
  throw InvalidArgument(fmt::format(
      "cannot put these logs one behind the other: they differ in {}. All parts need the same columns", what));
}

// The same column of all parts, one behind the other.
template <class T, class ColumnOf>
Column<T> joined(std::span<const Dataset> parts, const ColumnOf& column_of) {
  std::vector<T> values;
  for (const Dataset& part : parts) {
    const Column<T>& more = column_of(part);
    values.insert(values.end(), more.begin(), more.end());
  }
  return values;
}

// Step rows first, then the rows of final states of all parts: one pass for each.
template <class T, class ValuesOf>
std::vector<T> join_states(std::span<const Dataset> parts, std::int64_t width, const ValuesOf& values_of) {
  std::vector<T> joined;
  for (const bool final_rows : {false, true}) {
    for (const Dataset& part : parts) {
      const auto& values = values_of(part);
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

// As floats if all parts have floats, or else as doubles.
RealColumn join_features(std::span<const Dataset> parts, const DenseStates& first) {
  bool all_floats = true;
  std::vector<RealColumn> values;
  for (const Dataset& part : parts) {
    values.push_back(same_kind(part, first).values);
    all_floats = all_floats && values.back().floats() != nullptr;
  }
  const auto of = [&](const Dataset& part) -> const RealColumn& { return values[&part - parts.data()]; };
  if (all_floats) {
    return join_states<float>(parts, first.dimension,
                              [&](const Dataset& part) -> const Column<float>& { return *of(part).floats(); });
  }
  for (RealColumn& each : values) each = each.widened();
  return join_states<double>(parts, first.dimension,
                             [&](const Dataset& part) -> const Column<double>& { return *of(part).doubles(); });
}

States join_states(std::span<const Dataset> parts) {
  const States& first = parts.front().states();
  if (const auto* discrete = std::get_if<DiscreteStates>(&first)) {
    std::vector<std::vector<std::int64_t>> ids;
    for (const Dataset& part : parts) {
      const DiscreteStates& states = same_kind(part, *discrete);
      ids.emplace_back();
      for (const std::int32_t code : states.code) ids.back().push_back(states.ids[code]);
    }
    return make_discrete_states(join_states<std::int64_t>(
        parts, 1, [&](const Dataset& part) -> const auto& { return ids[&part - parts.data()]; }));
  }
  if (const auto* dense = std::get_if<DenseStates>(&first)) {
    return DenseStates{.dimension = dense->dimension, .values = join_features(parts, *dense), .names = dense->names};
  }
  if (const auto* bits = std::get_if<BinaryStates>(&first)) {
    return BinaryStates{.dimension = bits->dimension,
                        .words = join_states<std::uint64_t>(
                            parts, static_cast<std::int64_t>(bits->words_per_row()),
                            [&](const Dataset& part) -> const auto& { return same_kind(part, *bits).words; }),
                        .names = bits->names};
  }
  for (const Dataset& part : parts) {
    if (part.states().index() != first.index()) differ("the kind of their states");
  }
  return {};
}

Actions join_actions(std::span<const Dataset> parts) {
  Actions all = parts.front().actions();
  for (const Dataset& part : parts) {
    if (part.actions().index() != all.index()) differ("the kind of their actions");
  }
  if (auto* discrete = std::get_if<DiscreteActions>(&all)) {
    const auto of = [](const Dataset& part) -> const auto& {
      return std::get<DiscreteActions>(part.actions());
    };
    for (const Dataset& part : parts) discrete->count = std::max(discrete->count, of(part).count);
    discrete->id = joined<std::int32_t>(
        parts, [&](const Dataset& part) -> const auto& { return of(part).id; });
  }
  if (auto* continuous = std::get_if<ContinuousActions>(&all)) {
    const auto of = [](const Dataset& part) -> const auto& {
      return std::get<ContinuousActions>(part.actions());
    };
    for (const Dataset& part : parts) {
      if (of(part).dimension != continuous->dimension) differ("the dimension of their actions");
    }
    continuous->values = joined<double>(
        parts, [&](const Dataset& part) -> const auto& { return of(part).values; });
  }
  return all;
}

template <class Kind>
std::optional<Kind> join_column(std::span<const Dataset> parts, const char* what,
                                std::optional<Kind> Columns::*column) {
  const auto of = [&](const Dataset& part) -> const auto& {
    return part.columns().*column;
  };
  std::optional<Kind> all = of(parts.front());
  for (const Dataset& part : parts) {
    const std::optional<Kind>& more = of(part);
    if (more.has_value() != all.has_value()) differ(what);
    if (!more) continue;
    if constexpr (requires { more->scale; }) {
      if (more->scale != all->scale || more->density != all->density) differ(what);
    } else {
      if (more->actions != all->actions) differ(what);
    }
  }
  if (all)
    all->values = joined<double>(
        parts, [&](const Dataset& part) -> const auto& { return of(part)->values; });
  return all;
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
    const auto* ids = std::get_if<Column<std::int64_t>>(&part.episode_ids());
    all_numbers = all_numbers && ids != nullptr && !ids->empty();
    if (all_numbers) numbers.insert(numbers.end(), ids->begin(), ids->end());
  }
  if (all_numbers) return numbers;
  for (const Dataset& part : parts) {
    for (std::int64_t i = 0; i < part.episodes(); ++i) names.push_back(part.episode_name(i));
  }
  return names;
}

}  // namespace

Dataset concat(std::span<const Dataset> parts) {
  if (parts.empty()) throw InvalidArgument("there are no logs to put one behind the other");
  std::vector<std::int64_t> offsets{0};
  std::vector<std::uint8_t> has_final_state;
  for (const Dataset& part : parts) {
    const std::int64_t before = offsets.back();
    for (std::int64_t i = 0; i < part.episodes(); ++i) {
      offsets.push_back(before + part.first_step(i + 1));
      has_final_state.push_back(part.final_row(i).has_value());
    }
  }
  Columns columns;
  columns.offsets = std::move(offsets);
  columns.has_final_state = std::move(has_final_state);
  columns.ends = joined<EpisodeEnd>(
      parts, [](const Dataset& part) -> const auto& { return part.columns().ends; });
  columns.rewards = joined<double>(
      parts, [](const Dataset& part) -> const auto& { return part.columns().rewards; });
  columns.episode_ids = join_ids(parts);
  columns.states = join_states(parts);
  columns.actions = join_actions(parts);
  columns.behavior = join_column(parts, "the behavior probabilities", &Columns::behavior);
  columns.behavior_with_gaps = join_column(parts, "the behavior probabilities with gaps", &Columns::behavior_with_gaps);
  columns.target = join_column(parts, "the target probabilities", &Columns::target);
  columns.behavior_distribution =
      join_column(parts, "the distributions of the behavior policy", &Columns::behavior_distribution);
  columns.target_distribution =
      join_column(parts, "the distributions of the target policy", &Columns::target_distribution);
  return Dataset(std::move(columns));
}

}  // namespace starope
