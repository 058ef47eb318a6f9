#pragma once

// Logs of small random decision processes, with the full distributions of both policies.

#include <cmath>
#include <cstdint>
#include <vector>

#include "starope/data.hpp"
#include "starope/data/log_vectors.hpp"
#include "starope/problem.hpp"
#include "starope/rng/random.hpp"

namespace starope::testing {

struct TabularLogsOptions {
  std::int64_t episodes = 60;
  std::int64_t states = 5;
  std::int32_t actions = 3;
  std::int64_t longest = 8;   // cut there
  double exit = 0.2;          // per step
  double cut = 0.0;           // per step: recordings that stop earlier
  bool dense = false;         // the state as three numbers instead of an id
  bool final_states = false;  // cut episodes know where they are
  bool on_policy = false;
  double noise = 1.0;  // of the rewards
};

inline std::vector<double> random_distributions(std::int64_t rows, std::int32_t actions, Random& random) {
  std::vector<double> table;
  for (std::int64_t s = 0; s < rows; ++s) {
    double sum = 0.0;
    std::vector<double> row;
    for (std::int32_t a = 0; a < actions; ++a) sum += row.emplace_back(random.uniform(0.2, 1.0));
    for (const double p : row) table.push_back(p / sum);
  }
  return table;
}

inline std::int64_t draw(const double* p, std::int64_t count, double u) {
  std::int64_t i = 0;
  for (double sum = p[0]; u >= sum && i + 1 < count; sum += p[++i]) {
  }
  return i;
}

inline Dataset tabular_logs(const TabularLogsOptions& o, Seed seed) {
  Random world(seed, Stream::test_data, 0);
  const auto behavior = random_distributions(o.states, o.actions, world);
  const auto target = o.on_policy ? behavior : random_distributions(o.states, o.actions, world);
  const auto next = random_distributions(o.states * o.actions, static_cast<std::int32_t>(o.states), world);
  std::vector<double> reward(o.states * o.actions);
  for (double& r : reward) r = world.normal();

  testing::LogVectors c;
  c.action_count = o.actions;
  std::vector<std::int64_t> ids, final_ids;
  for (std::int64_t i = 0; i < o.episodes; ++i) {
    Random random(seed, Stream::test_data, static_cast<std::uint64_t>(i + 1));
    auto s = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(o.states)));
    bool ended = false, cut = false;
    for (std::int64_t t = 0; t < o.longest && !ended && !cut; ++t) {
      const std::int64_t a = draw(behavior.data() + s * o.actions, o.actions, random.uniform());
      const auto pair = static_cast<std::size_t>(s * o.actions + a);
      ids.push_back(s);
      c.actions.push_back(static_cast<std::int32_t>(a));
      c.rewards.push_back(reward[pair] + o.noise * random.normal());
      c.behavior.push_back(behavior[pair]);
      c.target.push_back(target[pair]);
      for (std::int32_t b = 0; b < o.actions; ++b) {
        c.behavior_distribution.push_back(behavior[s * o.actions + b]);
        c.target_distribution.push_back(target[s * o.actions + b]);
      }
      s = draw(next.data() + static_cast<std::ptrdiff_t>(pair) * o.states, o.states, random.uniform());
      ended = random.uniform() < o.exit;
      cut = random.uniform() < o.cut;
    }
    c.end_episode(ended ? EpisodeEnd::terminated : EpisodeEnd::truncated);
    c.has_final_state.push_back(!ended && o.final_states);
    if (!ended && o.final_states) final_ids.push_back(s);
  }
  ids.insert(ids.end(), final_ids.begin(), final_ids.end());
  if (o.dense) {
    std::vector<double> features;
    for (const std::int64_t id : ids) {
      const auto x = static_cast<double>(id);
      for (const double f : {x, std::cos(2.0 * x), std::sin(3.0 * x)}) features.push_back(f);
    }
    c.states = DenseStates{.dimension = 3, .values = std::move(features)};
  } else {
    c.states = make_discrete_states(ids);
  }
  return std::move(c).dataset();
}

inline Problem tabular_problem(const TabularLogsOptions& options, Seed seed, const ProblemOptions& problem = {}) {
  return make_problem(tabular_logs(options, seed), problem);
}

// The influence of every episode on a function of a list of episodes, by numerical differentiation: all episodes many
// times over, and one of them once more or once less.
template <class Value>
std::vector<double> numerical_influence(std::int64_t episodes, const Value& value, int copies = 60) {
  std::vector<double> influence;
  for (std::int64_t i = 0; i < episodes; ++i) {
    const auto with = [&](int extra) {
      std::vector<std::int64_t> list;
      const int copies_of_i = copies + extra;
      for (std::int64_t j = 0; j < episodes; ++j)
        list.insert(list.end(), static_cast<std::size_t>(j == i ? copies_of_i : copies), j);
      return value(list);
    };
    influence.push_back((with(1) - with(-1)) / 2.0 * static_cast<double>(copies) * static_cast<double>(episodes));
  }
  return influence;
}

}  // namespace starope::testing
