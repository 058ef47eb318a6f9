#include "starope/phi/counted_states.hpp"

#include <fmt/format.h>

#include <utility>

#include "starope/error.hpp"

namespace starope {

std::vector<double> counted_features(const Problem& problem) {
  const auto& dense = std::get<DenseStates>(problem.data().states());
  std::vector<double> features;
  features.reserve(problem.steps() * dense.dimension);
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const LoggedEpisode episode = problem.episode(i);
    const std::int64_t first = episode.first_row * dense.dimension;
    const std::int64_t last = first + episode.length() * dense.dimension;
    dense.values.visit(
        [&](const auto& values) { features.insert(features.end(), values.begin() + first, values.begin() + last); });
  }
  return features;
}

std::vector<std::uint64_t> counted_bits(const Problem& problem) {
  const auto& states = std::get<BinaryStates>(problem.data().states());
  const auto width = static_cast<std::int64_t>(states.words_per_row());
  std::vector<std::uint64_t> words;
  words.reserve(problem.steps() * width);
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const LoggedEpisode episode = problem.episode(i);
    const auto first = states.words.begin() + episode.first_row * width;
    words.insert(words.end(), first, first + episode.length() * width);
  }
  return words;
}

std::vector<std::int64_t> counted_visits(const Problem& problem) {
  const auto& discrete = std::get<DiscreteStates>(problem.data().states());
  std::vector<std::int64_t> visits(discrete.ids.size(), 0);
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const LoggedEpisode episode = problem.episode(i);
    for (std::int64_t t = 0; t < episode.length(); ++t) {
      ++visits[discrete.code[episode.first_row + t]];
    }
  }
  return visits;
}

void require_states(const Dataset& data, std::string_view who) {
  if (!std::holds_alternative<std::monostate>(data.states())) return;
  DataLocation at;
  at.column = "state";
  throw DataError({.code = "missing_column",
                   .at = std::move(at),
                   .value = {},
                   .rule = fmt::format("is missing: {} needs the logged states", who),
                   .remedy = "Add a column 'state' (ids) or columns 'state_0', 'state_1', ... (features), say which "
                             "columns hold them, or use phi=one or phi=time, which need no states"});
}

const DenseStates& require_dense_states(const Dataset& data, std::string_view who) {
  require_states(data, who);
  if (const auto* dense = std::get_if<DenseStates>(&data.states())) return *dense;
  if (std::holds_alternative<BinaryStates>(data.states())) {
    throw InvalidArgument(
        fmt::format("{} needs real-valued state features, but those of these logs are all 0 or 1", who));
  }
  throw InvalidArgument(
      fmt::format("{} needs real-valued state features, but these logs have discrete state ids; use "
                  "phi=identity or lookup=FILE, or log features of the states",
                  who));
}

const DiscreteStates& require_discrete_states(const Dataset& data, std::string_view who) {
  require_states(data, who);
  if (const auto* discrete = std::get_if<DiscreteStates>(&data.states())) return *discrete;
  throw InvalidArgument(
      fmt::format("{} needs discrete state ids, but these logs have state features; use "
                  "clusters=K, centroids=FILE or phi=grid",
                  who));
}

}  // namespace starope
