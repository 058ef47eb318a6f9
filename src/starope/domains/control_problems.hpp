#pragma once

// Small control problems with numbers as states, made for judging estimators: each is hard in its own way. None is
// taken from elsewhere in its details; the pendulum and the mountain car follow the usual equations of motion.

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "starope/domains.hpp"

namespace starope::domains {

// Probabilities proportional to exp(score): how most policies below choose.
void softmax(std::span<const double> scores, std::span<double> probabilities);

// Two numbers drift under noise and three pushes; the cost is quadratic. Smooth everywhere, and without an end before
// the horizon: importance sampling is at its best here, abstraction is not.
struct LinearQuadratic {
  struct State {
    double x = 0.0, v = 0.0;
  };
  static constexpr std::int64_t default_horizon = 20;
  std::int32_t actions() const noexcept { return 3; }
  std::vector<std::string> feature_names() const { return {"x", "v"}; }
  void observe(const State& state, std::span<double> features) const;
  State reset(Random& random) const;
  Transition step(State& state, std::int32_t action, Random& random) const;
};
// Pushes against x + v; `gain` 0 is uniform.
struct LinearFeedback {
  double gain = 0.0;
  void operator()(const LinearQuadratic::State& state, std::span<double> probabilities) const;
};

// A pendulum to be swung up in small time steps: only coherent pushes over many steps achieve anything, and cells of
// any size smear them.
struct Pendulum {
  struct State {
    double angle = 0.0, speed = 0.0;  // 0: upright
  };
  static constexpr std::int64_t default_horizon = 100;
  std::int32_t actions() const noexcept { return 3; }
  std::vector<std::string> feature_names() const { return {"cos", "sin", "speed"}; }
  void observe(const State& state, std::span<double> features) const;
  State reset(Random& random) const;
  Transition step(State& state, std::int32_t action, Random& random) const;
};
// Pushes the way the pendulum swings, with probability `p`; 1/3 is uniform.
struct SwingPolicy {
  double p = 1.0 / 3.0;
  void operator()(const Pendulum::State& state, std::span<double> probabilities) const;
};

// A car in a valley that must swing to get out; -1 per step until it does.
struct MountainCar {
  struct State {
    double position = 0.0, speed = 0.0;
  };
  static constexpr std::int64_t default_horizon = 200;
  std::int32_t actions() const noexcept { return 3; }
  std::vector<std::string> feature_names() const { return {"position", "speed"}; }
  void observe(const State& state, std::span<double> features) const;
  State reset(Random& random) const;
  Transition step(State& state, std::int32_t action, Random& random) const;
};
// Pushes the way the car moves, with probability `p`; 1/3 is uniform.
struct RockPolicy {
  double p = 1.0 / 3.0;
  void operator()(const MountainCar::State& state, std::span<double> probabilities) const;
};

// A point on the unit square moves from the lower left corner to the goal in the upper right; a wall with a gap lies
// between, and hitting it costs. What a step is worth changes within a hand's breadth of the gap.
struct Navigation {
  struct State {
    double x = 0.0, y = 0.0;
  };
  static constexpr std::int64_t default_horizon = 40;
  std::int32_t actions() const noexcept { return 4; }
  std::vector<std::string> feature_names() const { return {"x", "y"}; }
  void observe(const State& state, std::span<double> features) const;
  State reset(Random& random) const;
  Transition step(State& state, std::int32_t action, Random& random) const;
};
// Heads for the gap, then for the goal; `sharpness` 0 is uniform.
struct GapPolicy {
  double sharpness = 0.0;
  void operator()(const Navigation::State& state, std::span<double> probabilities) const;
};

// A random walk in the plane that earns only in a small disc the behavior policy rarely meets.
struct RareReward {
  struct State {
    double x = 0.0, y = 0.0;
  };
  static constexpr std::int64_t default_horizon = 30;
  std::int32_t actions() const noexcept { return 4; }
  std::vector<std::string> feature_names() const { return {"x", "y"}; }
  void observe(const State& state, std::span<double> features) const;
  State reset(Random& random) const;
  Transition step(State& state, std::int32_t action, Random& random) const;
};
// Walks towards the disc; `sharpness` 0 is uniform.
struct DiscPolicy {
  double sharpness = 0.0;
  void operator()(const RareReward::State& state, std::span<double> probabilities) const;
};

}  // namespace starope::domains
