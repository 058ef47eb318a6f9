#include "starope/domains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "starope/base/assert.hpp"
#include "starope/base/text.hpp"
#include "starope/base/work.hpp"
#include "starope/data.hpp"
#include "starope/error.hpp"
#include "starope/parallel/ordered_merge.hpp"
#include "starope/rng/random.hpp"
#include "starope/stats/moments.hpp"

namespace starope::domains {

std::int32_t sample_action(std::span<const double> probabilities, double u) noexcept {
  double sum = 0.0;
  std::int32_t possible = 0;
  for (std::size_t a = 0; a < probabilities.size(); ++a) {
    if (probabilities[a] <= 0.0) continue;
    sum += probabilities[a];
    possible = static_cast<std::int32_t>(a);
    if (sum > u) break;
  }
  return possible;
}

namespace detail {

// States in one of three forms; the other two stay empty.
struct StateColumn {
  std::vector<std::int32_t> symbols{};
  std::vector<double> features{};
  std::vector<std::uint64_t> words{};  // features as bits
};

struct SimulatedBlock {
  std::vector<std::int64_t> lengths{};
  std::vector<EpisodeEnd> ends{};
  StateColumn states{}, final_states{};
  std::vector<std::int32_t> actions{};
  std::vector<double> rewards{}, behavior{}, target{}, behavior_distribution{}, target_distribution{};
};

namespace {

template <class T>
void append(std::vector<T>& all, std::vector<T>&& part, double share_done) {
  if (all.empty()) {
    all = std::move(part);
    return;
  }
  const std::size_t needed = all.size() + part.size();
  // Doubling a large column would need three times its memory for a moment: guess its final size instead.
  if (needed > all.capacity()) {
    const double guess = 1.02 * static_cast<double>(needed) / share_done;
    all.reserve(std::max(needed, static_cast<std::size_t>(guess)));
  }
  all.insert(all.end(), part.begin(), part.end());
}

void append(StateColumn& all, StateColumn&& part, double share_done) {
  append(all.symbols, std::move(part.symbols), share_done);
  append(all.features, std::move(part.features), share_done);
  append(all.words, std::move(part.words), share_done);
}

// Codes number the symbols that occur, in ascending order.
DiscreteStates code_symbols(const std::vector<std::int32_t>& rows, std::int32_t symbols) {
  std::vector<std::int32_t> code_of(symbols, -1);
  for (const std::int32_t symbol : rows) {
    STAROPE_ASSERT(symbol >= 0 && symbol < symbols);
    code_of[symbol] = 0;
  }
  std::vector<std::int64_t> ids;
  for (std::size_t symbol = 0; symbol < code_of.size(); ++symbol) {
    if (code_of[symbol] < 0) continue;
    code_of[symbol] = static_cast<std::int32_t>(ids.size());
    ids.push_back(static_cast<std::int64_t>(symbol));
  }
  std::vector<std::int32_t> code;
  code.reserve(rows.size());
  for (const std::int32_t symbol : rows) code.push_back(code_of[symbol]);
  return {.code = std::move(code), .ids = std::move(ids)};
}

// It belongs to the algorithm, not to the machine: Monte Carlo sums, and with them their last bits, depend on it.
constexpr std::int64_t episodes_per_block = 256;

std::int64_t blocks_of(std::int64_t episodes) {
  return (episodes + episodes_per_block - 1) / episodes_per_block;
}

void check_episodes(std::int64_t episodes, const std::optional<Horizon>& horizon) {
  if (episodes < 1) throw InvalidArgument(fmt::format("cannot simulate {} episodes; at least 1 is needed", episodes));
  constexpr std::int64_t longest = 1'000'000'000;  // the draws of an episode have numbers of 32 bits
  if (horizon && horizon->steps() > longest) {
    throw InvalidArgument(fmt::format("a horizon of {} is too far to simulate; at most {} is possible",
                                      counted(horizon->steps(), "step"), with_thousands(longest)));
  }
}

// For forecasts: what a simulated step costs at least, in nanoseconds and in bytes of a log.
constexpr double step_cost = 20.0;
constexpr double least_step_bytes = 2.0 * sizeof(std::int32_t) + 3.0 * sizeof(double);

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

BlockAssembler::BlockAssembler(const SimulateOptions& options, std::int32_t actions, StateKind kind)
    : options_(options), actions_(actions), kind_(std::move(kind)) {}

void BlockAssembler::absorb(SimulatedBlock&& block) {
  append(all_.lengths, std::move(block.lengths), 1.0);
  append(all_.ends, std::move(block.ends), 1.0);
  const double done = static_cast<double>(all_.lengths.size()) / static_cast<double>(options_.episodes);
  append(all_.states, std::move(block.states), done);
  append(all_.final_states, std::move(block.final_states), done);
  append(all_.actions, std::move(block.actions), done);
  append(all_.rewards, std::move(block.rewards), done);
  append(all_.behavior, std::move(block.behavior), done);
  append(all_.target, std::move(block.target), done);
  append(all_.behavior_distribution, std::move(block.behavior_distribution), done);
  append(all_.target_distribution, std::move(block.target_distribution), done);
}

States BlockAssembler::take_states() {
  // The states after the last steps of truncated episodes stand behind all others.
  append(all_.states, std::move(all_.final_states), 1.0);
  if (kind_.feature_names.empty()) return code_symbols(all_.states.symbols, kind_.symbols);
  const auto dimension = static_cast<std::int64_t>(kind_.feature_names.size());
  if (options_.features_as_bits) {
    return BinaryStates{
        .dimension = dimension, .words = std::move(all_.states.words), .names = std::move(kind_.feature_names)};
  }
  return DenseStates{
      .dimension = dimension, .values = std::move(all_.states.features), .names = std::move(kind_.feature_names)};
}

Dataset BlockAssembler::finish() {
  std::vector<std::int64_t> offsets{0};
  offsets.reserve(all_.lengths.size() + 1);
  for (const std::int64_t length : all_.lengths) offsets.push_back(offsets.back() + length);
  std::vector<std::uint8_t> has_final_state;
  has_final_state.reserve(all_.ends.size());
  for (const EpisodeEnd end : all_.ends) has_final_state.push_back(end == EpisodeEnd::truncated);
  Columns columns;
  columns.offsets = std::move(offsets);
  columns.has_final_state = std::move(has_final_state);
  columns.ends = std::move(all_.ends);
  columns.states = take_states();
  columns.actions = DiscreteActions{.id = std::move(all_.actions), .count = actions_};
  columns.rewards = std::move(all_.rewards);
  columns.behavior = LoggedProbabilities{.values = std::move(all_.behavior)};
  columns.target = LoggedProbabilities{.values = std::move(all_.target)};
  if (options_.distributions) {
    columns.behavior_distribution =
        ActionProbabilities{.actions = actions_, .values = std::move(all_.behavior_distribution)};
    columns.target_distribution =
        ActionProbabilities{.actions = actions_, .values = std::move(all_.target_distribution)};
  }
  return Dataset(std::move(columns));
}

}  // namespace

Dataset simulate_blocks(const SimulateOptions& options, std::int32_t actions, const StateKind& kind,
                        const SimulateEpisode& simulate) {
  check_episodes(options.episodes, options.horizon);
  // Of one step at least; how long episodes are is known when some of them are there.
  const auto expect_room = [&](double steps) {
    refuse_absurd(
        {.what = fmt::format("a log of {} with about {:.3g} steps", counted(options.episodes, "episode"), steps),
         .operations = step_cost * steps,
         .bytes = least_step_bytes * steps,
         .remedy = "Simulate fewer episodes, or give a smaller horizon"});
  };
  expect_room(static_cast<double>(options.episodes));
  BlockAssembler assembler(options, actions, kind);
  double steps = 0.0, episodes = 0.0;
  const std::int64_t size = episodes_per_block;
  ordered_merge(
      blocks_of(options.episodes), options.threads,
      [&](std::int64_t b) {
        SimulatedBlock block;
        Recorder log(options, actions, kind.feature_names.size(), block);
        for (std::int64_t i = b * size; i < std::min(options.episodes, (b + 1) * size); ++i) simulate(i, log);
        return block;
      },
      [&](SimulatedBlock&& block) {
        steps += static_cast<double>(block.rewards.size());
        episodes += static_cast<double>(block.lengths.size());
        expect_room(steps / episodes * static_cast<double>(options.episodes));
        assembler.absorb(std::move(block));
      });
  return assembler.finish();
}

Recorder::Recorder(const SimulateOptions& options, std::int32_t actions, std::size_t features, SimulatedBlock& block)
    : distributions_(options.distributions),
      as_bits_(options.features_as_bits),
      features_(features),
      behavior_(static_cast<std::size_t>(actions)),
      target_(static_cast<std::size_t>(actions)),
      block_(block) {}

void Recorder::see(std::int32_t symbol) {
  (ended_ ? block_.final_states : block_.states).symbols.push_back(symbol);
  ended_ = false;
}

void Recorder::see_features() {
  StateColumn& column = ended_ ? block_.final_states : block_.states;
  if (as_bits_) {
    append_bits(column.words, features_);
  } else {
    column.features.insert(column.features.end(), features_.begin(), features_.end());
  }
  ended_ = false;
}

void Recorder::act(std::int32_t action, double reward) {
  block_.actions.push_back(action);
  block_.rewards.push_back(reward);
  block_.behavior.push_back(behavior_[action]);
  block_.target.push_back(target_[action]);
  if (distributions_) {
    block_.behavior_distribution.insert(block_.behavior_distribution.end(), behavior_.begin(), behavior_.end());
    block_.target_distribution.insert(block_.target_distribution.end(), target_.begin(), target_.end());
  }
  ++length_;
  // An episode that does not end, before it takes the memory of the machine.
  constexpr std::size_t looked_after = std::size_t{1} << 20;
  if (block_.rewards.size() % looked_after == 0) {
    refuse_absurd({.what = fmt::format("an episode of {} so far, and those before it,", counted(length_, "step")),
                   .operations = 0.0,
                   .bytes = least_step_bytes * static_cast<double>(block_.rewards.size()),
                   .remedy = "Give a smaller horizon"});
  }
}

void Recorder::end(bool terminated) {
  block_.lengths.push_back(length_);
  block_.ends.push_back(terminated ? EpisodeEnd::terminated : EpisodeEnd::truncated);
  length_ = 0;
  ended_ = !terminated;
}

EpisodeRandomness::EpisodeRandomness(Seed seed, std::int64_t episode) noexcept
    : reset(seed, Stream::simulate_reset, static_cast<std::uint64_t>(episode)),
      action(seed, Stream::simulate_action, static_cast<std::uint64_t>(episode)),
      dynamics(seed, Stream::simulate_dynamics, static_cast<std::uint64_t>(episode)) {}

MonteCarloValue mean_return(const MonteCarloOptions& options, std::int32_t actions, const PlayEpisode& play) {
  check_episodes(options.episodes, options.horizon);
  struct Part {
    Moments returns;
    std::int64_t steps = 0, truncated = 0;
  };
  Part all;
  const std::int64_t size = episodes_per_block;
  ordered_merge(
      blocks_of(options.episodes), options.threads,
      [&](std::int64_t b) {
        Part part;
        std::vector<double> probabilities(actions);
        for (std::int64_t i = b * size; i < std::min(options.episodes, (b + 1) * size); ++i) {
          Random random(options.seed, Stream::rollout, static_cast<std::uint64_t>(i));
          const Return played = play(random, probabilities);
          part.returns.add(played.total);
          part.steps += played.length;
          part.truncated += played.terminated ? 0 : 1;
        }
        return part;
      },
      [&](Part&& part) {
        all.returns += part.returns;
        all.steps += part.steps;
        all.truncated += part.truncated;
        const auto all_episodes = static_cast<double>(options.episodes);
        const double forecast = static_cast<double>(all.steps) / all.returns.times() * all_episodes;
        refuse_absurd({.what = fmt::format("the mean return of {}", counted(options.episodes, "simulated episode")),
                       .operations = step_cost * forecast,
                       .bytes = 0.0,
                       .remedy = "Simulate fewer episodes, or give a smaller horizon"});
      });
  const auto episodes = static_cast<double>(options.episodes);
  return {.value = all.returns.mean(),
          .standard_error = all.returns.standard_error(),
          .mean_length = static_cast<double>(all.steps) / episodes,
          .truncated_share = static_cast<double>(all.truncated) / episodes,
          .episodes = options.episodes};
}

}  // namespace detail
}  // namespace starope::domains
