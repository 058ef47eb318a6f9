#include "starope/domains/asterix.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "starope/base/assert.hpp"
#include "starope/error.hpp"

namespace starope::domains {
namespace {

constexpr std::int32_t width = 10;
constexpr std::int32_t channels = 4;
constexpr std::array<const char*, channels> channel_names{"player", "enemy", "trail", "gold"};
constexpr double survival_reward = 0.1;
constexpr double gold_reward = 10.0;
constexpr std::int32_t ramp_interval = 100;

bool on_board(std::int32_t x) {
  return x >= 0 && x < width;
}

std::size_t index(std::int32_t x, std::int32_t y, Asterix::Channel channel) {
  const std::int32_t at = (y * width + x) * channels + channel;
  return static_cast<std::size_t>(at);
}

void move_player(Asterix::State& state, std::int32_t action) {
  switch (action) {
    case Asterix::left:
      state.x = std::max(0, state.x - 1);
      break;
    case Asterix::right:
      state.x = std::min(width - 1, state.x + 1);
      break;
    case Asterix::up:
      state.y = std::max(1, state.y - 1);
      break;
    case Asterix::down:
      state.y = std::min(Asterix::rows, state.y + 1);
      break;
    default:
      break;
  }
}

// Gold is taken; an enemy ends the game and stays where it is.
double meet(Asterix::State& state, std::int32_t slot) {
  Asterix::Entity& entity = state.entities[slot];
  if (!entity.present || entity.x != state.x || slot + 1 != state.y) return 0.0;
  if (!entity.is_gold) {
    state.terminal = true;
    return 0.0;
  }
  entity = {};
  return gold_reward;
}

double move_entities(Asterix::State& state) {
  double reward = 0.0;
  for (std::int32_t slot = 0; slot < Asterix::rows; ++slot) {
    Asterix::Entity& entity = state.entities[slot];
    if (!entity.present) continue;
    entity.x += entity.moves_right ? 1 : -1;
    if (!on_board(entity.x)) {
      entity = {};
    } else {
      reward += meet(state, slot);
    }
  }
  return reward;
}

// Every ramp_interval + 2 steps entities come more often, and every other time they also move more often.
void ramp(Asterix::State& state) {
  if (state.spawn_period <= 1 && state.move_period <= 1) return;
  if (state.ramp_timer >= 0) {
    --state.ramp_timer;
    return;
  }
  if (state.move_period > 1 && state.ramp_index % 2 == 1) --state.move_period;
  if (state.spawn_period > 1) --state.spawn_period;
  ++state.ramp_index;
  state.ramp_timer = ramp_interval;
}

}  // namespace

Asterix::Asterix(std::int32_t time_limit) : time_limit_(time_limit) {
  if (time_limit < 1)
    throw InvalidArgument(fmt::format("the time limit of Asterix must be at least one step, not {}", time_limit));
}

std::vector<std::string> Asterix::feature_names() const {
  std::vector<std::string> names(features);
  for (std::int32_t y = 0; y < width; ++y)
    for (std::int32_t x = 0; x < width; ++x)
      for (int c = 0; c < channels; ++c)
        names[index(x, y, static_cast<Channel>(c))] = fmt::format("{}_{}_{}", channel_names[c], x, y);
  return names;
}

void Asterix::observe(const State& state, std::span<double> seen) const {
  STAROPE_ASSERT(seen.size() == static_cast<std::size_t>(features));
  std::fill(seen.begin(), seen.end(), 0.0);
  seen[index(state.x, state.y, player)] = 1.0;
  for (std::int32_t slot = 0; slot < rows; ++slot) {
    const Entity& entity = state.entities[slot];
    if (!entity.present) continue;
    seen[index(entity.x, slot + 1, entity.is_gold ? gold : enemy)] = 1.0;
    const std::int32_t behind = entity.x + (entity.moves_right ? -1 : 1);
    if (on_board(behind)) seen[index(behind, slot + 1, trail)] = 1.0;
  }
}

Asterix::State Asterix::reset() const {
  State state;
  state.time_left = time_limit_;
  return state;
}

bool Asterix::spawn_due(const State& state) {
  return !state.terminal && state.spawn_timer == 0;
}

std::int32_t Asterix::free_rows(const State& state) {
  return static_cast<std::int32_t>(
      std::count_if(state.entities.begin(), state.entities.end(), [](const Entity& e) { return !e.present; }));
}

void Asterix::spawn(State& state, const Spawn& what) {
  state.spawn_timer = state.spawn_period;
  std::int32_t skip = what.row;
  for (Entity& entity : state.entities) {
    if (entity.present || skip-- > 0) continue;
    entity = {.x = what.moves_right ? 0 : width - 1,
              .present = true,
              .moves_right = what.moves_right,
              .is_gold = what.is_gold};
    return;
  }
}

Transition Asterix::act(State& state, std::int32_t action) {
  STAROPE_ASSERT(action >= none && action <= fire);
  if (state.terminal) return {.reward = survival_reward, .terminated = true};
  double reward = survival_reward;
  move_player(state, action);
  for (std::int32_t slot = 0; slot < rows; ++slot) reward += meet(state, slot);
  if (state.move_timer == 0) {
    state.move_timer = state.move_period;
    reward += move_entities(state);
  }
  --state.spawn_timer;
  --state.move_timer;
  --state.time_left;
  ramp(state);
  state.terminal = state.terminal || state.time_left <= 0;
  return {.reward = reward, .terminated = state.terminal};
}

Transition Asterix::step(State& state, std::int32_t action, Random& random) const {
  if (spawn_due(state)) {
    Spawn what;
    what.moves_right = random.uniform() < 1.0 / 2.0;
    what.is_gold = random.uniform() < 1.0 / 3.0;
    const std::int32_t free = free_rows(state);
    if (free > 0) what.row = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(free)));
    spawn(state, what);
  }
  return act(state, action);
}

AsterixPolicy AsterixPolicy::uniform() {
  AsterixPolicy policy;
  policy.probabilities.fill(1.0 / 6.0);
  return policy;
}

AsterixPolicy AsterixPolicy::sideways() {
  return {{0.01, 0.4, 0.05, 0.5, 0.02, 0.02}};
}

void AsterixPolicy::operator()(const Asterix::State& /*the same everywhere*/, std::span<double> out) const {
  std::copy(probabilities.begin(), probabilities.end(), out.begin());
}

Dataset simulate(const Asterix& asterix, const AsterixPolicy& behavior, const AsterixPolicy& target,
                 SimulateOptions options) {
  if (!options.horizon) options.horizon = Horizon{Asterix::default_horizon};
  return simulate_episodes(asterix, behavior, target, options);
}

MonteCarloValue monte_carlo_value(const Asterix& asterix, const AsterixPolicy& policy, MonteCarloOptions options) {
  if (!options.horizon) options.horizon = Horizon{Asterix::default_horizon};
  return monte_carlo_value<Asterix, AsterixPolicy>(asterix, policy, options);
}

}  // namespace starope::domains
