#include "starope/domains/cartpole.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "starope/base/assert.hpp"

namespace starope::domains {
namespace {

constexpr double gravity = 9.8;
constexpr double pole_mass = 0.1;
constexpr double total_mass = pole_mass + 1.0;
constexpr double half_length = 0.5;
constexpr double mass_length = pole_mass * half_length;
constexpr double force = 10.0;
constexpr double time_step = 0.02;
constexpr double position_limit = 2.4;
constexpr double angle_limit = 12.0 * 2.0 * std::numbers::pi / 360.0;

double single_precision(double x) {
  return static_cast<double>(static_cast<float>(x));
}

}  // namespace

void CartPole::observe(const State& state, std::span<double> features) const {
  features[0] = single_precision(state.x);
  features[1] = single_precision(state.x_dot);
  features[2] = single_precision(state.theta);
  features[3] = single_precision(state.theta_dot);
}

CartPole::State CartPole::reset(Random& random) const {
  State state;
  for (double* component : {&state.x, &state.x_dot, &state.theta, &state.theta_dot})
    *component = random.uniform(-0.05, 0.05);
  return state;
}

CartPole::State CartPole::next_state(const State& state, std::int32_t action) {
  STAROPE_ASSERT(action == 0 || action == 1);
  const double sine = std::sin(state.theta);
  const double cosine = std::cos(state.theta);
  const double push = action == 1 ? force : -force;
  // The order of these operations is part of the definition: trajectories are compared bit by bit with recorded ones.
  const double q = (push + mass_length * (state.theta_dot * state.theta_dot) * sine) / total_mass;
  const double angular =
      (gravity * sine - cosine * q) / (half_length * (4.0 / 3.0 - pole_mass * (cosine * cosine) / total_mass));
  const double linear = q - mass_length * angular * cosine / total_mass;
  // Explicit Euler: everything on the right is of the old state.
  return {state.x + time_step * state.x_dot, state.x_dot + time_step * linear,
          state.theta + time_step * state.theta_dot, state.theta_dot + time_step * angular};
}

bool CartPole::is_terminal(const State& state) {
  return state.x < -position_limit || state.x > position_limit || state.theta < -angle_limit ||
         state.theta > angle_limit;
}

Transition CartPole::step(State& state, std::int32_t action, Random& /*deterministic*/) const {
  state = next_state(state, action);
  return {.reward = 1.0, .terminated = is_terminal(state)};
}

void CartPolePolicy::operator()(const CartPole::State& state, std::span<double> probabilities) const {
  const auto& chosen = single_precision(state.theta) > 0.0 ? leaning_right : otherwise;
  std::copy(chosen.begin(), chosen.end(), probabilities.begin());
}

Dataset simulate(const CartPole& cart_pole, const CartPolePolicy& behavior, const CartPolePolicy& target,
                 SimulateOptions options) {
  if (!options.horizon) options.horizon = Horizon{CartPole::default_horizon};
  return simulate_episodes(cart_pole, behavior, target, options);
}

MonteCarloValue monte_carlo_value(const CartPole& cart_pole, const CartPolePolicy& policy, MonteCarloOptions options) {
  if (!options.horizon) options.horizon = Horizon{CartPole::default_horizon};
  return monte_carlo_value<CartPole, CartPolePolicy>(cart_pole, policy, options);
}

}  // namespace starope::domains
