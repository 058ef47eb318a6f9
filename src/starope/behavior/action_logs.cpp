#include "starope/behavior/action_logs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <variant>

#include "starope/data/episode_hashes.hpp"
#include "starope/error.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

void standardize(ActionLogs& logs) {
  const auto d = static_cast<std::size_t>(logs.dimension);
  const std::size_t steps = logs.action.size();
  for (std::size_t k = 0; k < d; ++k) {
    double mean = 0.0, square = 0.0;
    for (std::size_t i = 0; i < steps; ++i) mean += logs.features[i * d + k];
    mean /= static_cast<double>(steps);
    for (std::size_t i = 0; i < steps; ++i) square += std::pow(logs.features[i * d + k] - mean, 2);
    const double spread = std::sqrt(square / static_cast<double>(steps));
    for (std::size_t i = 0; i < steps; ++i)
      logs.features[i * d + k] = (logs.features[i * d + k] - mean) / (spread > 0.0 ? spread : 1.0);
  }
}

void read_states(const Dataset& data, ActionLogs& logs) {
  const std::int64_t steps = data.steps();
  if (const auto* states = std::get_if<DiscreteStates>(&data.states())) {
    logs.ids = states->ids.size();
    logs.code.assign(states->code.begin(), states->code.begin() + steps);
  } else if (const auto* dense = std::get_if<DenseStates>(&data.states())) {
    std::vector<double> scratch;
    const auto values = dense->rows(0, steps, scratch);
    logs.dimension = dense->dimension;
    logs.features.assign(values.begin(), values.end());
  } else if (const auto* bits = std::get_if<BinaryStates>(&data.states())) {
    logs.dimension = bits->dimension;
    logs.features.resize(steps * bits->dimension);
    for (std::int64_t i = 0; i < steps; ++i) {
      unpack_bits(bits->row(i),
                  std::span(logs.features).subspan(i * bits->dimension, static_cast<std::size_t>(bits->dimension)));
    }
  }
  standardize(logs);
}

// The episodes in a random order that belongs to their ids, dealt out one by one.
std::vector<std::int64_t> deal(const Dataset& data, std::int64_t folds, Seed seed) {
  const std::vector<std::uint64_t> hashes = episode_hashes(data, 0);
  std::vector<std::uint64_t> keys;
  for (const std::uint64_t hash : hashes) keys.push_back(random_bits(seed, Stream::split, hash, 0));
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  std::vector<std::int64_t> fold(keys.size());
  for (std::size_t place = 0; place < order.size(); ++place)
    fold[order[place]] = static_cast<std::int64_t>(place) % folds;
  return fold;
}

}  // namespace

ActionLogs make_action_logs(const Dataset& data, std::int64_t folds, Seed seed) {
  const auto* actions = std::get_if<DiscreteActions>(&data.actions());
  if (actions == nullptr) {
    throw InvalidArgument(
        "the behavior policy can be estimated where actions are ids only. Log the probabilities (densities) with which "
        "actions were chosen, or bring actions into a few classes");
  }
  ActionLogs logs;
  logs.actions = actions->count;
  logs.action.assign(actions->id.begin(), actions->id.end());
  read_states(data, logs);
  const std::vector<std::int64_t> fold = deal(data, folds, seed);
  for (std::int64_t i = 0; i < data.episodes(); ++i)
    logs.fold.insert(logs.fold.end(), static_cast<std::size_t>(data.length(i)), fold[i]);
  return logs;
}

std::vector<double> action_shares(const ActionLogs& logs, Rows rows) {
  const auto count = static_cast<std::size_t>(logs.actions);
  std::vector<double> shares(count, 1.0 / static_cast<double>(count));
  for (const std::int64_t row : rows) shares[logs.action[row]] += 1.0;
  for (double& share : shares) share /= static_cast<double>(rows.size() + 1);
  return shares;
}

}  // namespace starope
