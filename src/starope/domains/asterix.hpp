#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "starope/data.hpp"
#include "starope/domains.hpp"

namespace starope::domains {

// A small Asterix: on a board of 10 x 10 cells the player collects gold (+10) and avoids enemies, which cross the rows
// 1..8 from either side; every step earns 0.1. What is seen are 400 bits: cell (x, y) and channel c are number
// (10 y + x) 4 + c. The timers are not seen, so what is seen is not Markov.
class Asterix {
 public:
  enum Action : std::int32_t { none = 0, left = 1, up = 2, right = 3, down = 4, fire = 5 };  // fire does nothing
  enum Channel : int { player = 0, enemy = 1, trail = 2, gold = 3 };
  static constexpr std::int32_t rows = 8;  // that entities cross; the one in slot k is in board row k + 1
  static constexpr std::int32_t features = 400;
  static constexpr std::int64_t default_horizon = 75;

  struct Entity {
    std::int32_t x = 0;
    bool present = false;
    bool moves_right = false;
    bool is_gold = false;
    friend bool operator==(const Entity&, const Entity&) = default;
  };
  struct State {
    std::int32_t x = 5, y = 5;  // of the player
    std::array<Entity, rows> entities{};
    std::int32_t spawn_period = 10, spawn_timer = 10;
    std::int32_t move_period = 5, move_timer = 5;
    std::int32_t ramp_timer = 100, ramp_index = 0;  // the game gets faster, though never within the default horizon
    std::int32_t time_left = 1000;
    bool terminal = false;
    friend bool operator==(const State&, const State&) = default;
  };

  explicit Asterix(std::int32_t time_limit = 1000);  // steps; < 1: InvalidArgument

  std::int32_t actions() const noexcept { return 6; }
  std::vector<std::string> feature_names() const;  // "player_5_5": channel, x, y
  void observe(const State& state, std::span<double> seen) const;
  State reset() const;
  State reset(Random& /*always the same*/) const { return reset(); }
  Transition step(State& state, std::int32_t action, Random& random) const;

  // The parts of a step, for draws from elsewhere: if spawn_due, spawn once; then act.
  static bool spawn_due(const State& state);
  static std::int32_t free_rows(const State& state);
  struct Spawn {
    bool moves_right = false;
    bool is_gold = false;
    std::int32_t row = 0;  // the how manieth of the free ones, from the top; not looked at if none is free
  };
  static void spawn(State& state, const Spawn& what);
  static Transition act(State& state, std::int32_t action);

 private:
  std::int32_t time_limit_;
};

// The same probabilities in every state.
struct AsterixPolicy {
  std::array<double, 6> probabilities{};

  static AsterixPolicy uniform();
  static AsterixPolicy sideways();  // mostly left and right: the policy that the paper evaluated

  void operator()(const Asterix::State& state, std::span<double> out) const;
};

// Without horizon in the options: Asterix::default_horizon steps.
Dataset simulate(const Asterix& asterix, const AsterixPolicy& behavior, const AsterixPolicy& target,
                 SimulateOptions options);
MonteCarloValue monte_carlo_value(const Asterix& asterix, const AsterixPolicy& policy, MonteCarloOptions options);

}  // namespace starope::domains
