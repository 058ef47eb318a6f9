#pragma once

// A small world with states that drift, actions that push and rewards that know both, logged as it should be. Tests
// spoil one column of it.

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "starope/data.hpp"
#include "starope/finding.hpp"
#include "starope/rng/random.hpp"

namespace starope::testing {

struct SmallWorld {
  static constexpr std::int32_t actions = 2;
  std::int64_t length = 15;
  std::vector<double> x{}, v{};
  std::vector<std::int32_t> action{};
  std::vector<double> reward{};
  std::vector<double> behavior{}, target{};  // probabilities of action 1
  bool distributions = false;

  static double of(double p, std::int32_t a) { return a == 1 ? p : 1.0 - p; }
  std::int64_t steps() const { return static_cast<std::int64_t>(x.size()); }
  std::int64_t episodes() const { return steps() / length; }

  // Probabilities of the logged actions, to be spoiled.
  std::vector<double> logged(const std::vector<double>& p) const {
    std::vector<double> values;
    for (std::size_t i = 0; i < p.size(); ++i) values.push_back(of(p[i], action[i]));
    return values;
  }

  Dataset dataset() const { return dataset(logged(behavior), logged(target)); }
  Dataset dataset(std::vector<double> behavior_prob, std::vector<double> target_prob,
                  LoggedProbabilities::Scale scale = LoggedProbabilities::Scale::linear) const {
    Columns columns;
    std::vector<std::int64_t> offsets;
    for (std::int64_t i = 0; i <= steps(); i += length) offsets.push_back(i);
    columns.ends = std::vector<EpisodeEnd>(offsets.size() - 1, EpisodeEnd::terminated);
    columns.offsets = std::move(offsets);
    std::vector<double> states;
    for (std::size_t i = 0; i < x.size(); ++i) {
      states.push_back(x[i]);
      states.push_back(v[i]);
    }
    columns.states = DenseStates{.dimension = 2, .values = std::move(states)};
    columns.actions = DiscreteActions{.id = std::vector(action), .count = actions};
    columns.rewards = std::vector(reward);
    columns.behavior = LoggedProbabilities{.values = std::move(behavior_prob), .scale = scale};
    columns.target = LoggedProbabilities{.values = std::move(target_prob), .scale = scale};
    if (distributions) {
      columns.behavior_distribution = full(behavior);
      columns.target_distribution = full(target);
    }
    return Dataset(std::move(columns));
  }

  static ActionProbabilities full(const std::vector<double>& p) {
    std::vector<double> values;
    for (const double one : p) {
      values.push_back(1.0 - one);
      values.push_back(one);
    }
    return {.actions = actions, .values = std::move(values)};
  }
};

inline SmallWorld small_world(std::int64_t episodes, Seed seed) {
  SmallWorld world;
  Random random(seed, Stream::test_data, 0);
  for (std::int64_t e = 0; e < episodes; ++e) {
    double x = random.normal(), v = random.normal();
    for (std::int64_t t = 0; t < world.length; ++t) {
      const double behavior = 1.0 / (1.0 + std::exp(-0.8 * x));
      const double target = 1.0 / (1.0 + std::exp(1.5 * x));
      const std::int32_t action = random.uniform() < behavior ? 1 : 0;
      world.x.push_back(x);
      world.v.push_back(v);
      world.action.push_back(action);
      world.behavior.push_back(behavior);
      world.target.push_back(target);
      world.reward.push_back(-x * x - 0.5 * v + action * (1.0 + x));
      x = 0.8 * x + 0.3 * v + (action == 1 ? 0.6 : -0.6) + 0.4 * random.normal();
      v = 0.7 * v + 0.5 * random.normal();
    }
  }
  return world;
}

// Row i has what belonged to row i - by; rows without one keep theirs.
template <class T>
std::vector<T> moved(const SmallWorld& world, const std::vector<T>& column, std::int64_t by) {
  std::vector<T> result = column;
  for (std::int64_t i = 0; i < world.steps(); ++i) {
    const std::int64_t t = i % world.length - by;
    if (t >= 0 && t < world.length) result[i] = column[i - by];
  }
  return result;
}

inline std::string codes(const std::vector<Finding>& findings) {
  std::string all;
  for (const Finding& each : findings)
    all += (all.empty() ? "" : " ") + std::string(name(each.severity)) + ":" + each.code;
  return all;
}

inline const Finding* find(const std::vector<Finding>& findings, const std::string& code) {
  for (const Finding& each : findings) {
    if (each.code == code) return &each;
  }
  return nullptr;
}

inline double number(const Finding& finding, const std::string& name) {
  for (const FindingParameter& each : finding.parameters) {
    if (each.name != name) continue;
    if (const auto* whole = std::get_if<std::int64_t>(&each.value)) return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&each.value)) return *real;
  }
  return std::nan("");
}

inline std::string word(const Finding& finding, const std::string& name) {
  for (const FindingParameter& each : finding.parameters) {
    if (each.name == name) return std::get<std::string>(each.value);
  }
  return {};
}

}  // namespace starope::testing
