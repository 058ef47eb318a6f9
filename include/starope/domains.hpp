#pragma once

// Simulated worlds: own ones, tables with exact values, and those that are built in. Library starope::domains.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "starope/data.hpp"
#include "starope/types.hpp"
#include "starope/version.hpp"

namespace starope::domains {

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
STAROPE_API std::int32_t sample_action(std::span<const double> probabilities, double u) noexcept;

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

// Start, actions and dynamics draw from streams of their own: two policies compared with one seed start alike.
struct STAROPE_API EpisodeRandomness {
  Random reset, action, dynamics;
  EpisodeRandomness(Seed seed, std::int64_t episode) noexcept;
};

// How the world is seen: by symbols, or by named features.
struct StateKind {
  std::int32_t symbols = 0;
  std::vector<std::string> feature_names{};
};

struct SimulatedBlock;  // the columns of some consecutive episodes

// Takes down an episode.
class STAROPE_API Recorder {
 public:
  Recorder(const SimulateOptions& options, std::int32_t actions, std::size_t features, SimulatedBlock& block);

  // What is seen of the next state: its symbol, or features that were written to the span. After the end: the state
  // that would have followed.
  void see(std::int32_t symbol);
  std::span<double> features() noexcept { return features_; }
  void see_features();

  // Where policies write their probabilities in that state; then what was done there.
  std::span<double> behavior() noexcept { return behavior_; }
  std::span<double> target() noexcept { return target_; }
  void act(std::int32_t action, double reward);
  void end(bool terminated);

 private:
  bool distributions_, as_bits_, ended_ = false;
  std::int64_t length_ = 0;
  std::vector<double> features_, behavior_, target_;
  SimulatedBlock& block_;
};

using SimulateEpisode = std::function<void(std::int64_t episode, Recorder& log)>;
STAROPE_API Dataset simulate_blocks(const SimulateOptions& options, std::int32_t actions, const StateKind& kind,
                                    const SimulateEpisode& simulate);

template <Domain D>
StateKind state_kind(const D& domain) {
  static_assert(SymbolDomain<D> || FeatureDomain<D>, "a domain needs symbol() and symbols(), or observe()");
  if constexpr (SymbolDomain<D>) {
    return {.symbols = domain.symbols()};
  } else {
    return {.feature_names = domain.feature_names()};
  }
}

template <Domain D>
void see(const D& domain, const typename D::State& state, Recorder& log) {
  if constexpr (SymbolDomain<D>) {
    log.see(domain.symbol(state));
  } else {
    domain.observe(state, log.features());
    log.see_features();
  }
}

}  // namespace detail

// Episodes under `behavior`, with the probabilities of both policies. Episode i is a function of (seed, i) alone: more
// episodes or other numbers of threads leave it unchanged.
template <Domain D, PolicyFor<D> Behavior, PolicyFor<D> Target>
Dataset simulate_episodes(const D& domain, const Behavior& behavior, const Target& target,
                          const SimulateOptions& options) {
  const auto simulate = [&](std::int64_t episode, detail::Recorder& log) {
    detail::EpisodeRandomness random(options.seed, episode);
    auto state = domain.reset(random.reset);
    bool terminated = false;
    for (std::int64_t t = 0; !terminated && !(options.horizon && t == options.horizon->steps()); ++t) {
      detail::see(domain, state, log);
      behavior(std::as_const(state), log.behavior());
      target(std::as_const(state), log.target());
      const std::int32_t action = sample_action(log.behavior(), random.action.uniform());
      const Transition transition = domain.step(state, action, random.dynamics);
      log.act(action, transition.reward);
      terminated = transition.terminated;
    }
    log.end(terminated);
    if (!terminated) detail::see(domain, state, log);
  };
  return detail::simulate_blocks(options, domain.actions(), detail::state_kind(domain), simulate);
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

namespace detail {

struct Return {
  double total = 0.0;
  std::int64_t length = 0;
  bool terminated = false;
};
// The return of an episode whose draws are these. `probabilities` has the size of the actions.
using PlayEpisode = std::function<Return(Random& random, std::span<double> probabilities)>;
STAROPE_API MonteCarloValue mean_return(const MonteCarloOptions& options, std::int32_t actions,
                                        const PlayEpisode& play);

}  // namespace detail

// The mean discounted return of a policy over fresh episodes, none of which is stored. Independent of logs simulated
// with the same seed: it draws from another stream.
template <Domain D, PolicyFor<D> P>
MonteCarloValue monte_carlo_value(const D& domain, const P& policy, const MonteCarloOptions& options) {
  return detail::mean_return(options, domain.actions(), [&](Random& random, std::span<double> probabilities) {
    const double gamma = options.discount.gamma();
    auto state = domain.reset(random);
    detail::Return played;
    double weight = 1.0;
    while (!played.terminated && !(options.horizon && played.length == options.horizon->steps())) {
      policy(std::as_const(state), probabilities);
      const Transition transition = domain.step(state, sample_action(probabilities, random.uniform()), random);
      played.total += weight * transition.reward;
      weight *= gamma;
      played.terminated = transition.terminated;
      ++played.length;
    }
    return played;
  });
}

// ---- Worlds that are tables ----------------------------------------------------------------------------------------

// pi(action | observed symbol) as a table. In a fully observed world the symbols are the states.
class STAROPE_API TabularPolicy {
 public:
  // symbols x actions, row by row. Every row must be a distribution, else InvalidArgument.
  TabularPolicy(std::int32_t symbols, std::int32_t actions, std::vector<double> probabilities);

  static TabularPolicy uniform(std::int32_t symbols, std::int32_t actions);
  static TabularPolicy same_everywhere(std::int32_t symbols, std::span<const double> probabilities);
  static TabularPolicy softmax(std::int32_t symbols, std::int32_t actions, std::span<const double> preferences);

  std::int32_t symbols() const noexcept { return symbols_; }
  std::int32_t actions() const noexcept { return actions_; }
  std::span<const double> row(std::int32_t symbol) const {
    const auto width = static_cast<std::size_t>(actions_);
    return std::span<const double>(probabilities_).subspan(static_cast<std::size_t>(symbol) * width, width);
  }
  double probability(std::int32_t symbol, std::int32_t action) const { return row(symbol)[action]; }

 private:
  std::int32_t symbols_, actions_;
  std::vector<double> probabilities_;
};

// One thing that can follow an action. A row may list a next state twice, with different rewards.
struct Outcome {
  std::int32_t next = 0;
  double probability = 0.0;
  double reward = 0.0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// A finite Markov decision process in plain tables. Many pairs (state, action) may share one row of outcomes.
struct STAROPE_API MdpDescription {
  std::int32_t states = 0, actions = 0;
  std::vector<std::vector<Outcome>> rows{};
  std::vector<std::int32_t> row_of{};  // states x actions; not looked at in terminal states
  std::vector<bool> terminal{};        // one per state: entering it ends the episode
  std::vector<double> start{};         // one per state; 0 in terminal states
  std::vector<std::int32_t> symbol{};  // what is seen of each state; empty: the state itself. Not looked at in terminal
                                       // states, which nobody sees
  double reward_noise = 0.0;           // standard deviation of normal noise added to every reward

  // Every pair has a row of its own, (state, action) is row state * actions + action, and no state is terminal.
  static MdpDescription with_own_rows(std::int32_t states, std::int32_t actions);
  std::vector<Outcome>& outcomes(std::int32_t state, std::int32_t action);  // the row of this pair
};

// The same, checked and laid out for fast sampling. It is a SymbolDomain.
class STAROPE_API TabularMdp {
 public:
  using State = std::int32_t;

  explicit TabularMdp(const MdpDescription& description);  // InvalidArgument at the first entry that breaks a rule

  std::int32_t states() const noexcept { return states_; }
  std::int32_t actions() const noexcept { return actions_; }
  std::int32_t symbols() const noexcept { return symbols_; }  // that live states can show: 0 .. symbols()-1
  std::int32_t symbol(State state) const { return symbol_[state]; }
  bool is_terminal(State state) const { return terminal_[state] != 0; }
  std::span<const double> start() const noexcept { return start_; }
  double reward_noise() const noexcept { return reward_noise_; }

  struct Row {
    std::span<const std::int32_t> next;
    std::span<const double> probability, reward;
    std::span<const double> cumulative;  // of the probabilities; the last is exactly 1
  };
  Row row(State state, std::int32_t action) const;  // state must not be terminal
  std::int64_t distinct_rows() const noexcept { return static_cast<std::int64_t>(offsets_.size()) - 1; }

  // Inverse cumulative distributions: the smallest index whose cumulative probability exceeds u in [0, 1).
  State start_at(double u) const;
  Outcome outcome_at(State state, std::int32_t action, double u) const;

  State reset(Random& random) const { return start_at(random.uniform()); }
  Transition step(State& state, std::int32_t action, Random& random) const;

 private:
  struct Extent {
    std::size_t first, count;
  };
  Extent extent(State state, std::int32_t action) const;  // of the row, in the columns below
  void lay_out_rows(const MdpDescription& description);
  void lay_out_symbols(const MdpDescription& description);

  std::int32_t states_, actions_, symbols_ = 0;
  std::vector<std::int32_t> row_of_;
  std::vector<std::size_t> offsets_;  // row r has the entries offsets_[r] .. offsets_[r+1]
  std::vector<std::int32_t> next_;
  std::vector<double> probability_, reward_, cumulative_;
  std::vector<std::uint8_t> terminal_;
  std::vector<double> start_, start_cumulative_;
  std::vector<std::int32_t> guide_, start_guide_, symbol_;  // guides: where to begin to search the cumulative ones
  double reward_noise_;
};

// Logs of an MDP under `behavior`, with the probabilities of `target` beside: states are the observed symbols. Without
// horizon the episodes must end by themselves, else InvalidArgument.
STAROPE_API Dataset simulate(const TabularMdp& mdp, const TabularPolicy& behavior, const TabularPolicy& target,
                             const SimulateOptions& options);

// The mean return of a policy over simulated episodes; exact_value gives the number it approaches.
STAROPE_API MonteCarloValue monte_carlo_value(const TabularMdp& mdp, const TabularPolicy& policy,
                                              const MonteCarloOptions& options);

// The expected discounted sum of rewards: of the first steps up to the horizon, or of all. Without horizon it is a
// linear solve. Undiscounted without horizon it need not exist: DegenerateModel names the states that are in the way.
STAROPE_API double exact_value(const TabularMdp& mdp, const TabularPolicy& policy, Discount discount = Discount{1.0},
                               std::optional<Horizon> horizon = {});

// ---- Worlds and policies by name -----------------------------------------------------------------------------------
// For the command line and for studies. A NamedDomain is a plain value: a list of domains is a vector, and an own
// domain is one more element of it.

// Numbers for every action, from a file: one row per state as it is seen, or a single row for all states.
struct PolicyTable {
  std::int32_t actions = 0;
  std::vector<double> values{};  // rows x actions
  std::string source{};          // for messages: the file it came from

  std::int64_t rows() const noexcept { return actions == 0 ? 0 : static_cast<std::int64_t>(values.size()) / actions; }
  friend bool operator==(const PolicyTable&, const PolicyTable&) = default;
};

// The number in parentheses of a policy such as "greedy(0.1)".
struct PolicyParameter {
  std::string name{};
  double value = 0.0;  // without parentheses
  double low = 0.0, high = 1.0;
};

struct NamedPolicy {
  std::string name{};
  std::string meaning{};
  std::optional<PolicyParameter> parameter{};
};

// A policy as it was asked for; the parameter is the given or the default one, 0 if the policy has none.
struct PolicyChoice {
  std::string name{};
  double parameter = 0.0;
  std::optional<PolicyTable> table{};  // probabilities; then the name is that of the file
  friend bool operator==(const PolicyChoice&, const PolicyChoice&) = default;
};

// Reads a file of numbers, a column per action.
using ReadPolicyTable = std::function<PolicyTable(const std::string& path)>;

// "greedy(0.1)" or "greedy(eps=0.1)" or "greedy". InvalidArgument says what is known, and what was probably meant.
// With a reader of tables also "FILE.csv" (probabilities), "greedy(FILE.csv,eps)" and "softmax(FILE.csv,tau)".
STAROPE_API PolicyChoice parse_policy(std::string_view text, std::span<const NamedPolicy> known,
                                      const ReadPolicyTable& read = {});

struct TrueValue {
  double value = 0.0;
  double standard_error = 0.0;  // 0: exact
  std::int64_t episodes = 0;    // simulated for it; 0: exact
};

struct KnownValue {  // for the domain's own horizon and discount
  std::string policy{};
  double value = 0.0;
  double standard_error = 0.0;  // 0: exact
  std::int64_t episodes = 0;    // simulated for it, with `seed`; 0: exact
  Seed seed{};
};

struct ValueOptions {
  std::optional<Horizon> horizon{};    // none: the domain's
  std::optional<Discount> discount{};  // none: the domain's
  std::int64_t episodes = 100'000;     // where the value must be simulated
  Seed seed{};
  Threads threads = Threads::all();
};

struct NamedDomain {
  std::string name{};
  std::string summary{};
  std::string observation{};  // what is seen of a state, in words
  bool bits = false;          // what is seen are features that are all 0 or 1: logs can hold them as bits
  std::vector<std::string> actions{};
  Horizon horizon{1};
  Discount discount{1.0};
  std::vector<NamedPolicy> policies{};
  std::string behavior{};  // the policies and options of the literature are the defaults
  std::string target{};
  std::vector<KnownValue> known_values{};
  ReadPolicyTable read_table{};  // set before simulate and value; none: policies cannot be read from files

  // Policies are given as texts that parse_policy understands; without horizon the domain's is used.
  std::function<Dataset(const std::string& behavior, const std::string& target, const SimulateOptions& options)>
      simulate{};
  std::function<TrueValue(const std::string& policy, const ValueOptions& options)> value{};
};

// Upper and lower case, "-" and "_" make no difference. InvalidArgument names the nearest name where there is none.
STAROPE_API const NamedDomain& find_domain(std::span<const NamedDomain> domains, std::string_view name);

// What is known beforehand of the value of a policy, asked for like this: none, or one of domain.known_values.
STAROPE_API std::optional<KnownValue> find_known_value(const NamedDomain& domain, const std::string& policy);

// Fills in simulate and value of a domain whose other fields are set. `policy` makes the policy of a choice.
template <Domain D, class MakePolicy>
void add_simulation(NamedDomain& domain, D world, MakePolicy policy) {
  const auto make = [policies = domain.policies, read = domain.read_table, policy = std::move(policy)](
                        const std::string& text) { return policy(parse_policy(text, policies, read)); };
  domain.simulate = [world, make, horizon = domain.horizon](const std::string& behavior, const std::string& target,
                                                            SimulateOptions options) {
    if (!options.horizon) options.horizon = horizon;
    return simulate_episodes(world, make(behavior), make(target), options);
  };
  domain.value = [world, make, horizon = domain.horizon, discount = domain.discount](const std::string& text,
                                                                                     const ValueOptions& options) {
    const MonteCarloValue found = monte_carlo_value(world, make(text),
                                                    {.episodes = options.episodes,
                                                     .horizon = options.horizon.value_or(horizon),
                                                     .discount = options.discount.value_or(discount),
                                                     .seed = options.seed,
                                                     .threads = options.threads});
    return TrueValue{.value = found.value, .standard_error = found.standard_error, .episodes = found.episodes};
  };
}

// The same for an MDP, whose values are exact. Tables from files are taken care of.
STAROPE_API void add_exact_simulation(NamedDomain& domain, const TabularMdp& mdp,
                                      std::function<TabularPolicy(const PolicyChoice&)> policy);

// All worlds that are built in, with the policies, horizons and discounts of the literature as defaults. Those whose
// tables are not part of the library (ICU-Sepsis) are listed too; using one is a FileError that says what is needed.
STAROPE_API std::vector<NamedDomain> builtin_domains();

}  // namespace starope::domains
