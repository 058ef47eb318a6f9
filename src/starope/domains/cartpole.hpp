#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "starope/data.hpp"
#include "starope/domains.hpp"

namespace starope::domains {

// A pole on a cart (Barto, Sutton & Anderson 1983, with the constants in common use): pushed left (0) or right (1), it
// earns 1 per step until it leans or has moved too far. What is seen of the state is rounded to single precision.
class CartPole {
 public:
  struct State {
    double x = 0.0;          // position of the cart
    double x_dot = 0.0;      // its velocity
    double theta = 0.0;      // angle of the pole in radians; positive: it leans to the right
    double theta_dot = 0.0;  // its angular velocity
    friend bool operator==(const State&, const State&) = default;
  };
  static constexpr std::int64_t default_horizon = 50;

  std::int32_t actions() const noexcept { return 2; }
  std::vector<std::string> feature_names() const { return {"x", "x_dot", "theta", "theta_dot"}; }
  void observe(const State& state, std::span<double> features) const;
  State reset(Random& random) const;
  Transition step(State& state, std::int32_t action, Random& random) const;

  static State next_state(const State& state, std::int32_t action);
  static bool is_terminal(const State& state);
};

// P(left), P(right): one pair for a pole that leans to the right, one for all others.
struct CartPolePolicy {
  std::array<double, 2> leaning_right{0.5, 0.5};
  std::array<double, 2> otherwise{0.5, 0.5};

  static CartPolePolicy uniform() { return {}; }
  // Moves under the pole: the policy that the paper's code evaluated and its figures show.
  static CartPolePolicy follow() { return {{0.1, 0.9}, {0.9, 0.1}}; }
  // Moves away from it: the rule as the paper's text words it.
  static CartPolePolicy oppose() { return {{0.9, 0.1}, {0.1, 0.9}}; }

  void operator()(const CartPole::State& state, std::span<double> probabilities) const;
};

// Without horizon in the options: CartPole::default_horizon steps.
Dataset simulate(const CartPole& cart_pole, const CartPolePolicy& behavior, const CartPolePolicy& target,
                 SimulateOptions options);
MonteCarloValue monte_carlo_value(const CartPole& cart_pole, const CartPolePolicy& policy, MonteCarloOptions options);

}  // namespace starope::domains
