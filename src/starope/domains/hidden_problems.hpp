#pragma once

// Small problems in which what is seen does not say all: made for judging estimators under partial observation, heavy
// tails and history.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "starope/domains.hpp"

namespace starope::domains {

// A hidden mode decides which of two actions pays; it rarely changes. Only a noisy hint of it is seen.
struct HiddenMode {
  struct State {
    bool mode = false;
    double hint = 0.0;
  };
  static constexpr std::int64_t default_horizon = 20;
  std::int32_t actions() const noexcept { return 2; }
  std::vector<std::string> feature_names() const { return {"hint"}; }
  void observe(const State& state, std::span<double> features) const;
  State reset(Random& random) const;
  Transition step(State& state, std::int32_t action, Random& random) const;
};
// Believes the hint; `sharpness` 0 is uniform.
struct HintPolicy {
  double sharpness = 0.0;
  void operator()(const HiddenMode::State& state, std::span<double> probabilities) const;
};

// A machine wears out unseen; a noisy sensor shows its wear; repairing costs, a breakdown costs more.
struct NoisyRepair {
  struct State {
    std::int32_t wear = 0;  // 0 .. 5; 5: broken
    double sensor = 0.0;
  };
  static constexpr std::int64_t default_horizon = 25;
  std::int32_t actions() const noexcept { return 2; }
  std::vector<std::string> feature_names() const { return {"sensor"}; }
  void observe(const State& state, std::span<double> features) const;
  State reset(Random& random) const;
  Transition step(State& state, std::int32_t action, Random& random) const;
};
// Repairs when the sensor is above `limit`, with probability 0.95, and with 0.05 otherwise; a mixture with a coin toss
// by `noise` = 1 .. 0.
struct RepairPolicy {
  double limit = 2.5;
  double noise = 0.0;
  void operator()(const NoisyRepair::State& state, std::span<double> probabilities) const;
};

// Stock, and demand with a heavy tail: now and then one day outweighs all others.
struct Inventory {
  struct State {
    double stock = 0.0;
  };
  static constexpr std::int64_t default_horizon = 30;
  std::int32_t actions() const noexcept { return 4; }  // order 0, 5, 10 or 20
  std::vector<std::string> feature_names() const { return {"stock"}; }
  void observe(const State& state, std::span<double> features) const;
  State reset(Random& random) const;
  Transition step(State& state, std::int32_t action, Random& random) const;
};
// Orders up to `target` with probability 1 - noise, else anything.
struct OrderPolicy {
  double target = 20.0;
  double noise = 1.0;
  void operator()(const Inventory::State& state, std::span<double> probabilities) const;
};

// A queue with a slow and a fast server; arrivals come in busy and quiet periods that are not shown: mildly non-Markov.
struct Queue {
  struct State {
    std::int32_t length = 0;
    bool busy = false;
  };
  static constexpr std::int64_t default_horizon = 40;
  std::int32_t actions() const noexcept { return 2; }
  std::int32_t symbols() const noexcept { return 21; }
  std::int32_t symbol(const State& state) const { return state.length; }
  State reset(Random& random) const;
  Transition step(State& state, std::int32_t action, Random& random) const;
};
// Uses the fast server with probability `high` from `limit` waiting on, else with `low`.
struct ServerPolicy {
  std::int32_t limit = 5;
  double low = 0.5, high = 0.5;
  void operator()(const Queue::State& state, std::span<double> probabilities) const;
};

}  // namespace starope::domains
