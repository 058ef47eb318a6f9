#pragma once

// Random logged episodes for property tests: ragged, terminated and truncated, with states of either kind.

#include <cmath>
#include <cstdint>

#include "starope/data.hpp"
#include "starope/problem.hpp"
#include "starope/rng/random.hpp"

namespace starope::testing {

struct RandomLogsOptions {
  std::int64_t episodes = 30;
  std::int64_t shortest = 1;
  std::int64_t longest = 12;
  std::int64_t discrete_states = 0;  // 0: continuous states of the dimension below
  std::int64_t dimension = 2;
  std::int32_t actions = 3;
  bool single_precision = false;  // continuous states are kept as floats
  bool on_policy = false;         // all ratios 1
  double zero_target = 0.0;       // share of steps whose logged action the target policy never takes
  double truncated = 0.3;         // share of episodes
  double final_states = 0.0;      // share of truncated episodes whose next state is known
};

inline Dataset random_logs(const RandomLogsOptions& options, Seed seed) {
  Random random(seed, Stream::test_data, 0);
  std::vector<std::int64_t> offsets{0};
  std::vector<double> rewards, behavior, target;
  std::vector<std::int32_t> actions;
  std::vector<EpisodeEnd> ends;
  std::vector<std::uint8_t> has_final_state;
  for (std::int64_t i = 0; i < options.episodes; ++i) {
    const auto span = static_cast<std::uint64_t>(options.longest - options.shortest + 1);
    const std::int64_t length = options.shortest + static_cast<std::int64_t>(random.below(span));
    for (std::int64_t t = 0; t < length; ++t) {
      rewards.push_back(random.normal());
      actions.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(options.actions))));
      const double pb = random.uniform(0.1, 0.9);
      const double pe = random.uniform() < options.zero_target ? 0.0 : random.uniform(0.1, 0.9);
      behavior.push_back(pb);
      target.push_back(options.on_policy ? pb : pe);
    }
    offsets.push_back(offsets.back() + length);
    const bool cut = random.uniform() < options.truncated;
    ends.push_back(cut ? EpisodeEnd::truncated : EpisodeEnd::terminated);
    has_final_state.push_back(cut && random.uniform() < options.final_states);
  }
  std::int64_t rows = offsets.back();
  for (const std::uint8_t has : has_final_state) rows += has;
  Columns columns;
  if (options.discrete_states > 0) {
    std::vector<std::int64_t> ids(rows);
    for (auto& id : ids)
      id = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(options.discrete_states)));
    columns.states = make_discrete_states(ids);
  } else {
    std::vector<double> values(rows * options.dimension);
    for (double& x : values) x = random.normal();
    DenseStates dense{.dimension = options.dimension};
    if (options.single_precision) {
      std::vector<float> floats;
      for (const double x : values) floats.push_back(static_cast<float>(x));
      dense.values = std::move(floats);
    } else {
      dense.values = std::move(values);
    }
    columns.states = std::move(dense);
  }
  columns.offsets = std::move(offsets);
  columns.rewards = std::move(rewards);
  columns.ends = std::move(ends);
  columns.has_final_state = std::move(has_final_state);
  columns.actions = DiscreteActions{.id = std::move(actions), .count = options.actions};
  columns.behavior = LoggedProbabilities{.values = std::move(behavior)};
  columns.target = LoggedProbabilities{.values = std::move(target)};
  return Dataset(std::move(columns));
}

inline Problem random_problem(const RandomLogsOptions& options, Seed seed, const ProblemOptions& problem = {}) {
  return make_problem(random_logs(options, seed), problem);
}

}  // namespace starope::testing
