#include "starope/domains/hidden_problems.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace starope::domains {
namespace {

void two_actions(double second, std::span<double> probabilities) {
  probabilities[0] = 1.0 - second;
  probabilities[1] = second;
}

double hint_of(bool mode, Random& random) {
  return (mode ? 1.0 : -1.0) + random.normal();
}

double sensor_of(std::int32_t wear, Random& random) {
  return static_cast<double>(wear) + random.normal();
}

constexpr std::array<double, 4> orders{0.0, 5.0, 10.0, 20.0};
constexpr double most_stock = 40.0;

}  // namespace

// ---- hidden mode ---------------------------------------------------------------------------------------------------

void HiddenMode::observe(const State& state, std::span<double> features) const {
  features[0] = state.hint;
}

HiddenMode::State HiddenMode::reset(Random& random) const {
  const bool mode = random.uniform() < 0.5;
  return {.mode = mode, .hint = hint_of(mode, random)};
}

Transition HiddenMode::step(State& state, std::int32_t action, Random& random) const {
  const double reward = (action == 1) == state.mode ? 1.0 : -1.0;
  // A right guess steadies the mode, a wrong one upsets it: what was done matters later.
  if (random.uniform() < (reward > 0.0 ? 0.05 : 0.3)) state.mode = !state.mode;
  state.hint = hint_of(state.mode, random);
  return {.reward = reward, .terminated = false};
}

void HintPolicy::operator()(const HiddenMode::State& state, std::span<double> probabilities) const {
  two_actions(1.0 / (1.0 + std::exp(-sharpness * state.hint)), probabilities);
}

// ---- repair --------------------------------------------------------------------------------------------------------

void NoisyRepair::observe(const State& state, std::span<double> features) const {
  features[0] = state.sensor;
}

NoisyRepair::State NoisyRepair::reset(Random& random) const {
  return {.wear = 0, .sensor = sensor_of(0, random)};
}

Transition NoisyRepair::step(State& state, std::int32_t action, Random& random) const {
  double reward = 1.0;
  if (action == 1) {
    reward -= 2.0;
    state.wear = 0;
  } else if (random.uniform() < 0.4) {
    ++state.wear;
  }
  if (state.wear >= 5) {
    reward -= 10.0;
    state.wear = 0;
  }
  state.sensor = sensor_of(state.wear, random);
  return {.reward = reward, .terminated = false};
}

void RepairPolicy::operator()(const NoisyRepair::State& state, std::span<double> probabilities) const {
  const double sure = state.sensor > limit ? 0.95 : 0.05;
  two_actions((1.0 - noise) * sure + noise * 0.5, probabilities);
}

// ---- inventory -----------------------------------------------------------------------------------------------------

void Inventory::observe(const State& state, std::span<double> features) const {
  features[0] = state.stock;
}

Inventory::State Inventory::reset(Random& random) const {
  return {.stock = random.uniform(0.0, 20.0)};
}

Transition Inventory::step(State& state, std::int32_t action, Random& random) const {
  const double order = orders[action];
  state.stock = std::min(most_stock, state.stock + order);
  // Pareto with exponent 2.5: mean 5, a variance that few samples show.
  const double demand = 3.0 * std::pow(1.0 - random.uniform(), -1.0 / 2.5);
  const double sold = std::min(state.stock, demand);
  const double missed = demand - sold;
  state.stock -= sold;
  return {.reward = 2.0 * sold - 0.1 * state.stock - 1.0 * missed - (order > 0.0 ? 1.0 + 0.5 * order : 0.0),
          .terminated = false};
}

void OrderPolicy::operator()(const Inventory::State& state, std::span<double> probabilities) const {
  std::size_t best = 0;
  for (std::size_t a = 1; a < orders.size(); ++a) {
    if (std::abs(state.stock + orders[a] - target) < std::abs(state.stock + orders[best] - target)) best = a;
  }
  std::fill(probabilities.begin(), probabilities.end(), noise / 4.0);
  probabilities[best] += 1.0 - noise;
}

// ---- queue ---------------------------------------------------------------------------------------------------------

Queue::State Queue::reset(Random& random) const {
  const auto length = static_cast<std::int32_t>(random.below(6));
  return {.length = length, .busy = random.uniform() < 0.5};
}

Transition Queue::step(State& state, std::int32_t action, Random& random) const {
  const double cost = static_cast<double>(state.length) * 0.2 + (action == 1 ? 1.0 : 0.2);
  if (random.uniform() < (action == 1 ? 0.8 : 0.4) && state.length > 0) --state.length;
  if (random.uniform() < (state.busy ? 0.7 : 0.3)) state.length = std::min(20, state.length + 1);
  if (random.uniform() < 0.1) state.busy = !state.busy;
  return {.reward = -cost, .terminated = false};
}

void ServerPolicy::operator()(const Queue::State& state, std::span<double> probabilities) const {
  two_actions(state.length >= limit ? high : low, probabilities);
}

}  // namespace starope::domains
