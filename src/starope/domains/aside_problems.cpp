#include "starope/domains/aside_problems.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "starope/domains/control_problems.hpp"

namespace starope::domains {
namespace {

constexpr std::array<double, 3> releases{0.0, 4.0, 8.0};
constexpr std::array<double, 3> doses{0.0, 1.0, 2.0};
constexpr std::array<double, 3> pushes{-1.0, 0.0, 1.0};

double reading_of(double glucose, Random& random) {
  return glucose + random.normal();
}

}  // namespace

// ---- reservoir -----------------------------------------------------------------------------------------------------

void Reservoir::observe(const State& state, std::span<double> features) const {
  features[0] = state.level;
  features[1] = std::cos(state.season);
  features[2] = std::sin(state.season);
}

Reservoir::State Reservoir::reset(Random& random) const {
  const double level = random.uniform(20.0, 40.0);
  return {.level = level, .season = random.uniform(0.0, 2.0 * std::numbers::pi)};
}

Transition Reservoir::step(State& state, std::int32_t action, Random& random) const {
  const double wet = std::sin(state.season);
  const double released = std::min(state.level, releases[action]);
  const double demand = 5.0 - 2.0 * wet;
  // Log-normal around the season's mean: -s^2 / 2 makes the mean of the factor one.
  constexpr double spread = 0.4;
  const double inflow = (4.0 + 3.0 * wet) * std::exp(spread * random.normal() - 0.5 * spread * spread);
  const double level = state.level - released + inflow;
  const double flood = std::max(0.0, level - full);
  state.level = level - flood;
  state.season += 2.0 * std::numbers::pi / 52.0;
  return {.reward = std::min(released, demand) - 2.0 * flood - (state.level < low ? 2.0 : 0.0), .terminated = false};
}

void ReleasePolicy::operator()(const Reservoir::State& state, std::span<double> probabilities) const {
  // 4 a week from a lake of 30, and a fifth of what is above or below.
  const double wanted = std::clamp(4.0 + 0.2 * (state.level - 30.0), 0.0, 8.0);
  std::array<double, 3> scores{};
  for (std::size_t a = 0; a < 3; ++a) scores[a] = -sharpness * std::abs(releases[a] - wanted) / 4.0;
  softmax(scores, probabilities);
}

// ---- glucose -------------------------------------------------------------------------------------------------------

void Glucose::observe(const State& state, std::span<double> features) const {
  features[0] = state.reading;
  features[1] = state.board;
}

Glucose::State Glucose::reset(Random& random) const {
  const double glucose = random.uniform(6.0, 14.0);
  return {.glucose = glucose, .board = 0.0, .reading = reading_of(glucose, random)};
}

Transition Glucose::step(State& state, std::int32_t action, Random& random) const {
  const bool eats = random.uniform() < 0.2;
  const double meal = eats ? random.uniform(1.0, 5.0) : 0.0;
  // Drifts back to 9 by itself. A dose acts from the next step on, over many: a quarter of the board goes each time.
  const double drift = 0.1 * (9.0 - state.glucose) - 0.3 * state.board;
  state.glucose = std::max(2.0, state.glucose + drift + meal + 0.3 * random.normal());
  state.board = 0.75 * state.board + doses[action];
  state.reading = reading_of(state.glucose, random);
  const bool in_range = state.glucose >= range_low && state.glucose <= range_high;
  return {.reward = in_range ? 1.0 : 0.0, .terminated = false};
}

void DosePolicy::operator()(const Glucose::State& state, std::span<double> probabilities) const {
  const double need = std::clamp((state.reading - 7.0) / 3.0 - state.board / 4.0, -1.0, 1.0);
  std::array<double, 3> scores{};
  for (std::size_t a = 0; a < 3; ++a) scores[a] = sharpness * need * doses[a];
  softmax(scores, probabilities);
}

// ---- two wells -----------------------------------------------------------------------------------------------------

void TwoWells::observe(const State& state, std::span<double> features) const {
  features[0] = state.position;
  features[1] = state.speed;
}

TwoWells::State TwoWells::reset(Random& random) const {
  return {.position = -1.0 + 0.1 * random.normal(), .speed = 0.0};
}

Transition TwoWells::step(State& state, std::int32_t action, Random& random) const {
  constexpr double time_step = 0.2, friction = 0.5, strength = 0.5, noise = 0.25;
  const double x = state.position;
  // Minus the slope of (x^2 - 1)^2 / 4 is x (1 - x^2). Noise grows with the root of time, as that of a diffusion does.
  const double force = x * (1.0 - x * x) - friction * state.speed + strength * pushes[action];
  state.speed += time_step * force + noise * std::sqrt(time_step) * random.normal();
  state.position += time_step * state.speed;
  return {.reward = state.position > 0.0 ? 1.0 : 0.0, .terminated = false};
}

void WellPolicy::operator()(const TwoWells::State& state, std::span<double> probabilities) const {
  const double way = std::clamp(1.0 - state.position, -1.0, 1.0);
  std::array<double, 3> scores{};
  for (std::size_t a = 0; a < 3; ++a) scores[a] = sharpness * pushes[a] * way;
  softmax(scores, probabilities);
}

}  // namespace starope::domains
