#include "starope/domains/rollout.hpp"

#include <fmt/format.h>

#include "starope/base/assert.hpp"
#include "starope/base/error.hpp"

namespace starope::envs {

std::int32_t sample_action(std::span<const double> probabilities, double u) noexcept {
  double sum = 0.0;
  std::int32_t possible = 0;
  for (std::size_t a = 0; a < probabilities.size(); ++a) {
    if (probabilities[a] <= 0.0) continue;
    sum += probabilities[a];
    possible = static_cast<std::int32_t>(a);
    if (sum > u) break;
  }
  return possible;
}

namespace detail {
namespace {

template <class T>
void append(std::vector<T>& all, std::vector<T>&& part, double share_done) {
  if (all.empty()) {
    all = std::move(part);
    return;
  }
  const std::size_t needed = all.size() + part.size();
  // Doubling a large column would need three times its memory for a moment: guess its final size instead.
  if (needed > all.capacity()) {
    const double guess = 1.02 * static_cast<double>(needed) / share_done;
    all.reserve(std::max(needed, static_cast<std::size_t>(guess)));
  }
  all.insert(all.end(), part.begin(), part.end());
}

void append(StateColumn& all, StateColumn&& part, double share_done) {
  append(all.symbols, std::move(part.symbols), share_done);
  append(all.features, std::move(part.features), share_done);
  append(all.words, std::move(part.words), share_done);
}

// Codes number the symbols that occur, in ascending order.
DiscreteStates code_symbols(const std::vector<std::int32_t>& rows, std::int32_t symbols) {
  std::vector<std::int32_t> code_of(static_cast<std::size_t>(symbols), -1);
  for (const std::int32_t symbol : rows) {
    STAROPE_ASSERT(symbol >= 0 && symbol < symbols);
    code_of[static_cast<std::size_t>(symbol)] = 0;
  }
  DiscreteStates states;
  for (std::size_t symbol = 0; symbol < code_of.size(); ++symbol) {
    if (code_of[symbol] < 0) continue;
    code_of[symbol] = static_cast<std::int32_t>(states.ids.size());
    states.ids.push_back(static_cast<std::int64_t>(symbol));
  }
  states.code.reserve(rows.size());
  for (const std::int32_t symbol : rows) states.code.push_back(code_of[static_cast<std::size_t>(symbol)]);
  return states;
}

}  // namespace

void check_episodes(std::int64_t episodes) {
  if (episodes < 1) throw InvalidArgument(fmt::format("cannot simulate {} episodes; at least 1 is needed", episodes));
}

BlockAssembler::BlockAssembler(const SimulateOptions& options, std::int32_t actions, StateKind kind)
    : options_(options), actions_(actions), kind_(std::move(kind)) {}

void BlockAssembler::absorb(SimulatedBlock&& block) {
  append(all_.lengths, std::move(block.lengths), 1.0);
  append(all_.ends, std::move(block.ends), 1.0);
  const double done = static_cast<double>(all_.lengths.size()) / static_cast<double>(options_.episodes);
  append(all_.states, std::move(block.states), done);
  append(all_.final_states, std::move(block.final_states), done);
  append(all_.actions, std::move(block.actions), done);
  append(all_.rewards, std::move(block.rewards), done);
  append(all_.behavior, std::move(block.behavior), done);
  append(all_.target, std::move(block.target), done);
  append(all_.behavior_distribution, std::move(block.behavior_distribution), done);
  append(all_.target_distribution, std::move(block.target_distribution), done);
}

States BlockAssembler::take_states() {
  // The states after the last steps of truncated episodes stand behind all others.
  append(all_.states, std::move(all_.final_states), 1.0);
  if (kind_.feature_names.empty()) return code_symbols(all_.states.symbols, kind_.symbols);
  const auto dimension = static_cast<std::int64_t>(kind_.feature_names.size());
  if (options_.features_as_bits) {
    return BinaryStates{
        .dimension = dimension, .words = std::move(all_.states.words), .names = std::move(kind_.feature_names)};
  }
  return DenseStates{
      .dimension = dimension, .values = std::move(all_.states.features), .names = std::move(kind_.feature_names)};
}

Dataset BlockAssembler::finish() {
  Columns columns;
  columns.offsets.reserve(all_.lengths.size() + 1);
  columns.offsets.push_back(0);
  for (const std::int64_t length : all_.lengths) columns.offsets.push_back(columns.offsets.back() + length);
  columns.has_final_state.reserve(all_.ends.size());
  for (const EpisodeEnd end : all_.ends) columns.has_final_state.push_back(end == EpisodeEnd::truncated);
  columns.ends = std::move(all_.ends);
  columns.states = take_states();
  columns.actions = DiscreteActions{.id = std::move(all_.actions), .count = actions_};
  columns.rewards = std::move(all_.rewards);
  columns.behavior = LoggedProbabilities{.values = std::move(all_.behavior)};
  columns.target = LoggedProbabilities{.values = std::move(all_.target)};
  if (options_.distributions) {
    columns.behavior_distribution =
        ActionProbabilities{.actions = actions_, .values = std::move(all_.behavior_distribution)};
    columns.target_distribution =
        ActionProbabilities{.actions = actions_, .values = std::move(all_.target_distribution)};
  }
  return Dataset(std::move(columns));
}

}  // namespace detail
}  // namespace starope::envs
