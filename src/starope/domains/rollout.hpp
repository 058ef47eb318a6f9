#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "starope/base/types.hpp"
#include "starope/data/dataset.hpp"
#include "starope/parallel/ordered_merge.hpp"
#include "starope/rng/random.hpp"
#include "starope/stats/moments.hpp"

namespace starope::envs {

// ---- What a simulated world must offer -----------------------------------------------------------------------------

struct Transition {
  double reward = 0.0;
  bool terminated = false;
};

// A world is immutable; what changes is its State, which the driver owns. Randomness comes only from the argument.
template <class D>
concept Domain = requires(const D& domain, typename D::State& state, std::int32_t action, Random& random) {
  { domain.actions() } -> std::same_as<std::int32_t>;
  { domain.reset(random) } -> std::same_as<typename D::State>;
  { domain.step(state, action, random) } -> std::same_as<Transition>;
};

// What is seen of a state: one of symbols() numbers 0, 1, ... Only states in which an action is taken are looked at.
template <class D>
concept SymbolDomain = Domain<D> && requires(const D& domain, const typename D::State& state) {
  { domain.symbols() } -> std::same_as<std::int32_t>;
  { domain.symbol(state) } -> std::same_as<std::int32_t>;
};

// What is seen of a state: feature_names().size() numbers.
template <class D>
concept FeatureDomain = Domain<D> &&
    requires(const D& domain, const typename D::State& state, std::span<double> features) {
  { domain.feature_names() } -> std::convertible_to<std::vector<std::string>>;
  domain.observe(state, features);
};

// Writes pi(a | what is seen of the state) for every action a.
template <class P, class D>
concept PolicyFor = std::invocable<const P&, const typename D::State&, std::span<double>>;

// The first action whose running sum exceeds u in [0, 1); if rounding leaves none, the last one that is possible.
std::int32_t sample_action(std::span<const double> probabilities, double u) noexcept;

// ---- Logs ----------------------------------------------------------------------------------------------------------

struct SimulateOptions {
  std::int64_t episodes = 1000;
  std::optional<Horizon> horizon{};  // an episode that reaches it is truncated there; none: until it terminates
  Seed seed{};
  Threads threads = Threads::all();
  bool distributions = true;      // log both policies' probabilities of all actions, not only of the one taken
  bool features_as_bits = false;  // BinaryStates instead of DenseStates; for features that are all 0 or 1
};

namespace detail {

// It belongs to the algorithm, not to the machine: Monte Carlo sums, and with them their last bits, depend on it.
inline constexpr std::int64_t episodes_per_block = 256;

void check_episodes(std::int64_t episodes);  // < 1: InvalidArgument

// States in one of three forms; the other two stay empty.
struct StateColumn {
  std::vector<std::int32_t> symbols{};
  std::vector<double> features{};
  std::vector<std::uint64_t> words{};  // features as bits
};

// The columns of some consecutive episodes.
struct SimulatedBlock {
  std::vector<std::int64_t> lengths{};
  std::vector<EpisodeEnd> ends{};
  StateColumn states{}, final_states{};
  std::vector<std::int32_t> actions{};
  std::vector<double> rewards{}, behavior{}, target{}, behavior_distribution{}, target_distribution{};
};

// How the world is seen: by symbols, or by named features.
struct StateKind {
  std::int32_t symbols = 0;
  std::vector<std::string> feature_names{};
};

// Puts blocks one behind the other and makes a data set of them.
class BlockAssembler {
 public:
  BlockAssembler(const SimulateOptions& options, std::int32_t actions, StateKind kind);
  void absorb(SimulatedBlock&& block);
  Dataset finish();

 private:
  States take_states();

  SimulateOptions options_;
  std::int32_t actions_;
  StateKind kind_;
  SimulatedBlock all_{};
};

template <Domain D>
StateKind state_kind(const D& domain) {
  static_assert(SymbolDomain<D> || FeatureDomain<D>, "a domain needs symbol() and symbols(), or observe()");
  if constexpr (SymbolDomain<D>) {
    return {.symbols = domain.symbols()};
  } else {
    return {.feature_names = domain.feature_names()};
  }
}

// Appends what is seen of a state. `scratch` has the size of the features.
template <Domain D>
void record_state(const D& domain, const typename D::State& state, bool as_bits, std::span<double> scratch,
                  StateColumn& column) {
  if constexpr (SymbolDomain<D>) {
    column.symbols.push_back(domain.symbol(state));
  } else {
    domain.observe(state, scratch);
    if (as_bits) {
      append_bits(column.words, scratch);
    } else {
      column.features.insert(column.features.end(), scratch.begin(), scratch.end());
    }
  }
}

// Start, actions and dynamics draw from streams of their own: two policies compared with one seed start alike.
struct EpisodeRandomness {
  Random reset, action, dynamics;
  EpisodeRandomness(Seed seed, std::uint64_t episode) noexcept
      : reset(seed, Stream::simulate_reset, episode),
        action(seed, Stream::simulate_action, episode),
        dynamics(seed, Stream::simulate_dynamics, episode) {}
};

struct Scratch {
  std::vector<double> features, behavior, target;
};

template <Domain D, PolicyFor<D> Behavior, PolicyFor<D> Target>
void simulate_episode(const D& domain, const Behavior& behavior, const Target& target, const SimulateOptions& options,
                      std::int64_t episode, Scratch& scratch, SimulatedBlock& block) {
  const std::span<double> of_behavior = scratch.behavior, of_target = scratch.target;
  EpisodeRandomness random(options.seed, static_cast<std::uint64_t>(episode));
  auto state = domain.reset(random.reset);
  std::int64_t length = 0;
  bool terminated = false;
  while (!terminated && !(options.horizon && length == options.horizon->steps())) {
    record_state(domain, state, options.features_as_bits, scratch.features, block.states);
    behavior(std::as_const(state), of_behavior);
    target(std::as_const(state), of_target);
    const std::int32_t action = sample_action(of_behavior, random.action.uniform());
    const Transition transition = domain.step(state, action, random.dynamics);
    block.actions.push_back(action);
    block.rewards.push_back(transition.reward);
    block.behavior.push_back(of_behavior[static_cast<std::size_t>(action)]);
    block.target.push_back(of_target[static_cast<std::size_t>(action)]);
    if (options.distributions) {
      block.behavior_distribution.insert(block.behavior_distribution.end(), of_behavior.begin(), of_behavior.end());
      block.target_distribution.insert(block.target_distribution.end(), of_target.begin(), of_target.end());
    }
    terminated = transition.terminated;
    ++length;
  }
  block.lengths.push_back(length);
  block.ends.push_back(terminated ? EpisodeEnd::terminated : EpisodeEnd::truncated);
  if (!terminated) record_state(domain, state, options.features_as_bits, scratch.features, block.final_states);
}

}  // namespace detail

// Episodes under `behavior`, with the probabilities of both policies. Episode i is a function of (seed, i) alone: more
// episodes or other numbers of threads leave it unchanged.
template <Domain D, PolicyFor<D> Behavior, PolicyFor<D> Target>
Dataset simulate_episodes(const D& domain, const Behavior& behavior, const Target& target,
                          const SimulateOptions& options) {
  detail::check_episodes(options.episodes);
  detail::StateKind kind = detail::state_kind(domain);
  const std::size_t dimension = kind.feature_names.size();
  const auto actions = static_cast<std::size_t>(domain.actions());
  detail::BlockAssembler assembler(options, domain.actions(), std::move(kind));
  const std::int64_t size = detail::episodes_per_block;
  ordered_merge((options.episodes + size - 1) / size, options.threads,
                [&](std::int64_t b) {
                  detail::SimulatedBlock block;
                  detail::Scratch scratch{std::vector<double>(dimension), std::vector<double>(actions),
                                          std::vector<double>(actions)};
                  for (std::int64_t i = b * size; i < std::min(options.episodes, (b + 1) * size); ++i)
                    detail::simulate_episode(domain, behavior, target, options, i, scratch, block);
                  return block;
                },
                [&](detail::SimulatedBlock&& block) { assembler.absorb(std::move(block)); });
  return assembler.finish();
}

// ---- Monte Carlo values --------------------------------------------------------------------------------------------

struct MonteCarloOptions {
  std::int64_t episodes = 100'000;
  std::optional<Horizon> horizon{};
  Discount discount{1.0};
  Seed seed{};
  Threads threads = Threads::all();
};

struct MonteCarloValue {
  double value = 0.0;
  double standard_error = 0.0;
  double mean_length = 0.0;
  double truncated_share = 0.0;  // of the episodes
  std::int64_t episodes = 0;
};

// The mean discounted return of a policy over fresh episodes, none of which is stored. Independent of logs simulated
// with the same seed: it draws from another stream.
template <Domain D, PolicyFor<D> P>
MonteCarloValue monte_carlo_value(const D& domain, const P& policy, const MonteCarloOptions& options) {
  detail::check_episodes(options.episodes);
  struct Part {
    Moments returns;
    std::int64_t steps = 0, truncated = 0;
  };
  Part all;
  const std::int64_t size = detail::episodes_per_block;
  const double gamma = options.discount.gamma();
  ordered_merge((options.episodes + size - 1) / size, options.threads,
                [&](std::int64_t b) {
                  Part part;
                  std::vector<double> probabilities(static_cast<std::size_t>(domain.actions()));
                  for (std::int64_t i = b * size; i < std::min(options.episodes, (b + 1) * size); ++i) {
                    Random random(options.seed, Stream::rollout, static_cast<std::uint64_t>(i));
                    auto state = domain.reset(random);
                    double total = 0.0, weight = 1.0;
                    std::int64_t length = 0;
                    bool terminated = false;
                    while (!terminated && !(options.horizon && length == options.horizon->steps())) {
                      policy(std::as_const(state), std::span<double>(probabilities));
                      const Transition transition =
                          domain.step(state, sample_action(probabilities, random.uniform()), random);
                      total += weight * transition.reward;
                      weight *= gamma;
                      terminated = transition.terminated;
                      ++length;
                    }
                    part.returns.add(total);
                    part.steps += length;
                    part.truncated += terminated ? 0 : 1;
                  }
                  return part;
                },
                [&](Part&& part) {
                  all.returns += part.returns;
                  all.steps += part.steps;
                  all.truncated += part.truncated;
                });
  const auto episodes = static_cast<double>(options.episodes);
  return {.value = all.returns.mean(),
          .standard_error = all.returns.standard_error(),
          .mean_length = static_cast<double>(all.steps) / episodes,
          .truncated_share = static_cast<double>(all.truncated) / episodes,
          .episodes = options.episodes};
}

}  // namespace starope::envs
