#include "starope/phi/counted_states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "starope/data/sample_places.hpp"
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

std::vector<double> sampled_features(const Source& source, std::optional<Horizon> horizon, std::int64_t most_steps) {
  const auto counted = [&](std::int64_t length) { return horizon ? std::min(length, horizon->steps()) : length; };
  struct Target {
    std::int64_t place = 0;  // of the episode in the source,
    std::int64_t row = 0;    // and of its states in the result
  };
  std::vector<Target> targets;
  std::int64_t rows = 0;
  for (const SampledEpisode& episode : sampled_episodes(source, most_steps)) {
    targets.push_back({.place = episode.place, .row = rows});
    rows += counted(episode.length);
  }
  std::sort(targets.begin(), targets.end(), [](const Target& a, const Target& b) { return a.place < b.place; });
  std::vector<double> features;
  std::int64_t first = 0;  // episode of the block
  auto target = targets.begin();
  const Source::Next next = source.open();
  while (const auto block = next()) {
    const DenseStates& dense = require_dense_states(*block, "k-means");
    const std::int64_t d = dense.dimension;
    if (features.empty()) features.resize(rows * d);
    if (static_cast<std::int64_t>(features.size()) != rows * d)
      throw InvalidArgument("blocks of the same logs must have states with the same number of features");
    for (; target != targets.end() && target->place < first + block->episodes(); ++target) {
      const std::int64_t episode = target->place - first;
      const std::int64_t from = block->first_step(episode) * d, count = counted(block->length(episode)) * d;
      dense.values.visit(
          [&](const auto& values) { std::copy_n(values.begin() + from, count, features.begin() + target->row * d); });
    }
    first += block->episodes();
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
