#include "starope/domains/control_problems.hpp"

#include <algorithm>
#include <array>
#include <numbers>

namespace starope::domains {
namespace {

constexpr std::array<double, 3> forces_of_actions{-1.0, 0.0, 1.0};
constexpr std::array<double, 4> rightward{1.0, -1.0, 0.0, 0.0};
constexpr std::array<double, 4> upward{0.0, 0.0, 1.0, -1.0};

double push_of(std::int32_t action) {
  return forces_of_actions[action];
}

// A step of the given length in one of four directions, with noise.
template <class State>
void walk(State& state, std::int32_t action, double length, double noise, Random& random) {
  state.x += length * rightward[action] + noise * random.normal();
  state.y += length * upward[action] + noise * random.normal();
}

// One of three forces_of_actions with probability p, the other two alike.
void prefer(std::size_t push, double p, std::span<double> probabilities) {
  std::fill(probabilities.begin(), probabilities.end(), 0.5 * (1.0 - p));
  probabilities[push] = p;
}

void towards(double dx, double dy, double sharpness, std::span<double> probabilities) {
  const double distance = std::max(1e-9, std::hypot(dx, dy));
  std::array<double, 4> scores{};
  for (std::size_t a = 0; a < 4; ++a) scores[a] = sharpness * (rightward[a] * dx + upward[a] * dy) / distance;
  softmax(scores, probabilities);
}

}  // namespace

void softmax(std::span<const double> scores, std::span<double> probabilities) {
  const double highest = *std::max_element(scores.begin(), scores.end());
  double sum = 0.0;
  for (std::size_t a = 0; a < scores.size(); ++a) sum += probabilities[a] = std::exp(scores[a] - highest);
  for (double& p : probabilities) p /= sum;
}

// ---- linear-quadratic ----------------------------------------------------------------------------------------------

void LinearQuadratic::observe(const State& state, std::span<double> features) const {
  features[0] = state.x;
  features[1] = state.v;
}

LinearQuadratic::State LinearQuadratic::reset(Random& random) const {
  const double x = random.normal();
  return {.x = x, .v = random.normal()};
}

Transition LinearQuadratic::step(State& state, std::int32_t action, Random& random) const {
  const double u = push_of(action);
  const double cost = state.x * state.x + 0.5 * state.v * state.v + 0.1 * u * u;
  const State old = state;
  state.x = old.x + 0.2 * old.v + 0.1 * random.normal();
  state.v = 0.95 * old.v + 0.4 * u + 0.1 * random.normal();
  return {.reward = -cost, .terminated = false};
}

void LinearFeedback::operator()(const LinearQuadratic::State& state, std::span<double> probabilities) const {
  std::array<double, 3> scores{};
  for (std::size_t a = 0; a < 3; ++a) scores[a] = -gain * forces_of_actions[a] * (state.x + state.v);
  softmax(scores, probabilities);
}

// ---- pendulum ------------------------------------------------------------------------------------------------------

void Pendulum::observe(const State& state, std::span<double> features) const {
  features[0] = std::cos(state.angle);
  features[1] = std::sin(state.angle);
  features[2] = state.speed;
}

Pendulum::State Pendulum::reset(Random& random) const {
  return {.angle = std::numbers::pi + random.uniform(-0.3, 0.3), .speed = 0.0};
}

Transition Pendulum::step(State& state, std::int32_t action, Random& /*deterministic*/) const {
  constexpr double time_step = 0.1;
  // Gravity pulls from upright; the push alone cannot hold it sideways.
  state.speed += time_step * (5.0 * std::sin(state.angle) + 2.0 * push_of(action) - 0.1 * state.speed);
  state.speed = std::clamp(state.speed, -8.0, 8.0);
  state.angle += time_step * state.speed;
  return {.reward = 0.5 * (std::cos(state.angle) - 1.0), .terminated = false};
}

void SwingPolicy::operator()(const Pendulum::State& state, std::span<double> probabilities) const {
  prefer(state.speed >= 0.0 ? 2 : 0, p, probabilities);
}

// ---- mountain car --------------------------------------------------------------------------------------------------

void MountainCar::observe(const State& state, std::span<double> features) const {
  features[0] = state.position;
  features[1] = state.speed;
}

MountainCar::State MountainCar::reset(Random& random) const {
  return {.position = random.uniform(-0.6, -0.4), .speed = 0.0};
}

Transition MountainCar::step(State& state, std::int32_t action, Random& /*deterministic*/) const {
  state.speed += 0.001 * push_of(action) - 0.0025 * std::cos(3.0 * state.position);
  state.speed = std::clamp(state.speed, -0.07, 0.07);
  state.position = std::max(-1.2, state.position + state.speed);
  if (state.position == -1.2) state.speed = std::max(0.0, state.speed);
  return {.reward = -1.0, .terminated = state.position >= 0.5};
}

void RockPolicy::operator()(const MountainCar::State& state, std::span<double> probabilities) const {
  prefer(state.speed >= 0.0 ? 2 : 0, p, probabilities);
}

// ---- navigation ----------------------------------------------------------------------------------------------------

void Navigation::observe(const State& state, std::span<double> features) const {
  features[0] = state.x;
  features[1] = state.y;
}

Navigation::State Navigation::reset(Random& random) const {
  const double x = random.uniform(0.0, 0.2);
  return {.x = x, .y = random.uniform(0.0, 0.2)};
}

Transition Navigation::step(State& state, std::int32_t action, Random& random) const {
  const State old = state;
  walk(state, action, 0.08, 0.02, random);
  state.x = std::clamp(state.x, 0.0, 1.0);
  state.y = std::clamp(state.y, 0.0, 1.0);
  double reward = -0.5;
  // The wall stands at x = 0.5; its gap is 0.6 < y < 0.75.
  const bool crosses = (old.x < 0.5) != (state.x < 0.5);
  if (crosses && (state.y <= 0.6 || state.y >= 0.75)) {
    state = old;
    reward = -3.0;
  }
  const bool arrived = state.x > 0.85 && state.y > 0.85;
  return {.reward = arrived ? 10.0 : reward, .terminated = arrived};
}

void GapPolicy::operator()(const Navigation::State& state, std::span<double> probabilities) const {
  if (state.x < 0.5) {
    const bool level = state.y > 0.62 && state.y < 0.73;
    towards(level ? 1.0 : 0.42 - state.x, level ? 0.0 : 0.675 - state.y, sharpness, probabilities);
  } else {
    towards(0.95 - state.x, 0.95 - state.y, sharpness, probabilities);
  }
}

// ---- rare reward ---------------------------------------------------------------------------------------------------

void RareReward::observe(const State& state, std::span<double> features) const {
  features[0] = state.x;
  features[1] = state.y;
}

RareReward::State RareReward::reset(Random& random) const {
  const double x = 0.2 * random.normal();
  return {.x = x, .y = 0.2 * random.normal()};
}

Transition RareReward::step(State& state, std::int32_t action, Random& random) const {
  walk(state, action, 0.3, 0.1, random);
  const bool inside = std::hypot(state.x - 2.5, state.y - 1.5) < 0.5;
  return {.reward = inside ? 1.0 : 0.0, .terminated = false};
}

void DiscPolicy::operator()(const RareReward::State& state, std::span<double> probabilities) const {
  towards(2.5 - state.x, 1.5 - state.y, sharpness, probabilities);
}

}  // namespace starope::domains
