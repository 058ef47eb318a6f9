#include "starope/domains/random_mdp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "starope/error.hpp"
#include "starope/rng/random.hpp"

namespace starope::domains {
namespace {

void check(const RandomMdpOptions& o) {
  if (o.states < 1 || o.actions < 1) throw InvalidArgument("a random MDP needs at least one state and one action");
  if (o.successors < 1 || o.successors > o.states) {
    throw InvalidArgument(
        fmt::format("a random MDP of {} states cannot have {} successors per action", o.states, o.successors));
  }
  if (!(o.exit_probability >= 0.0 && o.exit_probability <= 2.0 / 3.0)) {
    throw InvalidArgument(fmt::format(
        "the exit probability of a random MDP must be in [0, 2/3], not {}: single actions have up to 1.5 times it",
        o.exit_probability));
  }
  if (o.symbols && (*o.symbols < 1 || *o.symbols > o.states)) {
    throw InvalidArgument(fmt::format("{} states cannot show {} symbols", o.states, *o.symbols));
  }
}

double exponential(Random& random) {
  return -std::log1p(-random.uniform());
}

// Uniform on the probability simplex: exponentials, normalized, times `mass`.
std::vector<double> random_shares(Random& random, std::size_t count, double mass) {
  std::vector<double> shares(count);
  double sum = 0.0;
  for (double& x : shares) sum += x = exponential(random);
  for (double& x : shares) x *= mass / sum;
  return shares;
}

std::vector<Outcome> random_row(Random& random, const RandomMdpOptions& o) {
  const double exit = o.exit_probability * random.uniform(0.5, 1.5);
  const auto next = sample_without_replacement(random, o.states, o.successors);
  const auto shares = random_shares(random, next.size(), 1.0 - exit);
  std::vector<Outcome> row;
  for (std::size_t i = 0; i < next.size(); ++i)
    row.push_back({static_cast<std::int32_t>(next[i]), shares[i], o.reward_scale * random.normal()});
  if (exit > 0.0) row.push_back({o.states, exit, o.reward_scale * random.normal()});
  return row;
}

std::vector<std::int32_t> random_symbols(Random& random, std::int32_t states, std::int32_t symbols) {
  std::vector<std::int32_t> symbol(static_cast<std::size_t>(states) + 1, 0);
  const auto order = sample_without_replacement(random, states, states);
  for (std::size_t i = 0; i < order.size(); ++i) {  // the first `symbols` states of a random order use all of them
    const auto free = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(symbols)));
    const auto turn = static_cast<std::int32_t>(i);
    symbol[order[i]] = turn < symbols ? turn : free;
  }
  return symbol;
}

}  // namespace

TabularMdp random_mdp(const RandomMdpOptions& options) {
  check(options);
  Random random(options.seed, Stream::random_mdp, 0);
  MdpDescription d = MdpDescription::with_own_rows(options.states + 1, options.actions);
  d.terminal.back() = true;
  d.reward_noise = options.reward_noise;
  for (std::int32_t s = 0; s < options.states; ++s)
    for (std::int32_t a = 0; a < options.actions; ++a) d.outcomes(s, a) = random_row(random, options);
  const auto start = random_shares(random, static_cast<std::size_t>(options.states), 1.0);
  std::copy(start.begin(), start.end(), d.start.begin());
  if (options.symbols) d.symbol = random_symbols(random, options.states, *options.symbols);
  return TabularMdp(d);
}

TabularPolicy random_policy(std::int32_t symbols, std::int32_t actions, const RandomPolicyOptions& options) {
  if (symbols < 1 || actions < 1) throw InvalidArgument("a random policy needs at least one symbol and one action");
  Random random(options.seed, Stream::random_mdp, std::uint64_t{options.index} + 1);  // item 0 is the MDP
  std::vector<double> preferences(static_cast<std::size_t>(symbols) * static_cast<std::size_t>(actions));
  for (double& x : preferences) x = options.sharpness * random.normal();
  return TabularPolicy::softmax(symbols, actions, preferences);
}

}  // namespace starope::domains
