#include "starope/domains/tabular_mdp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "starope/base/assert.hpp"
#include "starope/error.hpp"

namespace starope::domains {
namespace {

constexpr double sum_tolerance = 1e-9;

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) {
  throw InvalidArgument("MDP: " + fmt::format(text, std::forward<Args>(args)...));
}

void check_sizes(const MdpDescription& d) {
  if (d.states < 1 || d.actions < 1) {
    fail("at least one state and one action are needed, not {} and {}", d.states, d.actions);
  }
  const auto states = static_cast<std::size_t>(d.states);
  const auto check = [](const char* what, std::size_t size, std::size_t expected) {
    if (size != expected) fail("{} has {} entries, expected {}", what, size, expected);
  };
  check("row_of", d.row_of.size(), states * static_cast<std::size_t>(d.actions));
  check("terminal", d.terminal.size(), states);
  check("start", d.start.size(), states);
  if (!d.symbol.empty()) check("symbol", d.symbol.size(), states);
  if (!(d.reward_noise >= 0.0) || !std::isfinite(d.reward_noise)) {
    fail("reward_noise is {}; it must be a standard deviation", d.reward_noise);
  }
}

void check_start(const MdpDescription& d) {
  double sum = 0.0;
  for (std::size_t s = 0; s < d.start.size(); ++s) {
    if (!(d.start[s] >= 0.0 && d.start[s] <= 1.0)) fail("the start probability of state {} is {}", s, d.start[s]);
    if (d.start[s] > 0.0 && d.terminal[s]) fail("an episode cannot start in the terminal state {}", s);
    sum += d.start[s];
  }
  if (std::abs(sum - 1.0) > sum_tolerance) fail("the start probabilities sum to {}; they must sum to 1", sum);
}

void check_transitions(const std::vector<Outcome>& row, std::size_t index, std::int32_t states) {
  double sum = 0.0;
  for (const Outcome& o : row) {
    if (o.next < 0 || o.next >= states)
      fail("row {} leads to state {}, but there are {} states", index, o.next, states);
    if (!(o.probability >= 0.0 && o.probability <= 1.0)) {
      fail("row {} enters state {} with probability {}", index, o.next, o.probability);
    }
    if (!std::isfinite(o.reward)) fail("row {} has the reward {} on entering state {}", index, o.reward, o.next);
    sum += o.probability;
  }
  if (std::abs(sum - 1.0) > sum_tolerance)
    fail("the probabilities of row {} sum to {}; they must sum to 1", index, sum);
}

// Running sums divided by the last one, so that the last is exactly 1 and every u in [0, 1) finds an entry.
template <class Range, class Probability>
void append_cumulative(std::vector<double>& cumulative, const Range& range, Probability probability) {
  const std::size_t first = cumulative.size();
  double sum = 0.0;
  for (const auto& entry : range) cumulative.push_back(sum += probability(entry));
  for (std::size_t i = first; i < cumulative.size(); ++i) cumulative[i] /= sum;
}

// For k = 0 .. n-1 the smallest i with cumulative[i] > k / n: where a search for u in [k/n, (k+1)/n) begins. The n
// entries have n such intervals, so a search takes one or two steps on average, however long the row.
void append_guide(std::vector<std::int32_t>& guide, std::span<const double> cumulative) {
  const auto n = static_cast<double>(cumulative.size());
  std::size_t i = 0;
  for (std::size_t k = 0; k < cumulative.size(); ++k) {
    while (cumulative[i] <= static_cast<double>(k) / n) ++i;
    guide.push_back(static_cast<std::int32_t>(i));
  }
}

// The smallest i with cumulative[i] > u.
std::size_t find(std::span<const double> cumulative, std::span<const std::int32_t> guide, double u) {
  STAROPE_ASSERT(u >= 0.0 && u < 1.0 && cumulative.back() == 1.0);
  const std::size_t n = cumulative.size();
  const std::size_t k = std::min(static_cast<std::size_t>(u * static_cast<double>(n)), n - 1);
  auto i = static_cast<std::size_t>(guide[k]);
  while (i > 0 && cumulative[i - 1] > u) --i;  // u * n was rounded up to the next interval
  while (cumulative[i] <= u) ++i;
  return i;
}

}  // namespace

MdpDescription MdpDescription::with_own_rows(std::int32_t states, std::int32_t actions) {
  MdpDescription d;
  d.states = states;
  d.actions = actions;
  if (states < 1 || actions < 1) return d;  // TabularMdp refuses it in words
  d.rows.resize(static_cast<std::size_t>(states) * static_cast<std::size_t>(actions));
  d.row_of.resize(d.rows.size());
  std::iota(d.row_of.begin(), d.row_of.end(), 0);
  d.terminal.resize(states, false);
  d.start.resize(states, 0.0);
  return d;
}

std::vector<Outcome>& MdpDescription::outcomes(std::int32_t state, std::int32_t action) {
  const auto pair =
      static_cast<std::size_t>(state) * static_cast<std::size_t>(actions) + static_cast<std::size_t>(action);
  return rows.at(row_of.at(pair));
}

TabularMdp::TabularMdp(const MdpDescription& description)
    : states_(description.states), actions_(description.actions), reward_noise_(description.reward_noise) {
  check_sizes(description);
  check_start(description);
  start_ = description.start;
  append_cumulative(start_cumulative_, start_, [](double p) { return p; });
  append_guide(start_guide_, start_cumulative_);
  for (const bool terminal : description.terminal) terminal_.push_back(terminal ? 1 : 0);
  lay_out_rows(description);
  lay_out_symbols(description);
}

void TabularMdp::lay_out_rows(const MdpDescription& description) {
  const auto actions = static_cast<std::size_t>(actions_);
  std::vector<bool> used(description.rows.size(), false);
  row_of_ = description.row_of;
  for (std::size_t pair = 0; pair < row_of_.size(); ++pair) {
    if (terminal_[pair / actions] != 0) continue;
    const auto row = static_cast<std::size_t>(row_of_[pair]);
    if (row_of_[pair] < 0 || row >= used.size()) {
      fail("state {}, action {} refers to row {}, but there are {} rows", pair / actions, pair % actions, row_of_[pair],
           used.size());
    }
    used[row] = true;
  }
  offsets_.push_back(0);
  for (std::size_t r = 0; r < used.size(); ++r) {
    if (used[r]) {  // the rows of terminal states may be left empty
      check_transitions(description.rows[r], r, states_);
      for (const Outcome& o : description.rows[r]) {
        next_.push_back(o.next);
        probability_.push_back(o.probability);
        reward_.push_back(o.reward);
      }
      append_cumulative(cumulative_, description.rows[r], [](const Outcome& o) { return o.probability; });
      append_guide(guide_, std::span(cumulative_).subspan(offsets_.back()));
    }
    offsets_.push_back(next_.size());
  }
}

void TabularMdp::lay_out_symbols(const MdpDescription& description) {
  symbol_ = description.symbol;
  if (symbol_.empty()) {
    symbol_.resize(states_);
    std::iota(symbol_.begin(), symbol_.end(), 0);
  }
  for (std::size_t s = 0; s < symbol_.size(); ++s) {
    if (terminal_[s] != 0) continue;
    if (symbol_[s] < 0) fail("state {} is seen as symbol {}; symbols are numbered from 0", s, symbol_[s]);
    symbols_ = std::max(symbols_, symbol_[s] + 1);
  }
}

TabularMdp::Extent TabularMdp::extent(State state, std::int32_t action) const {
  STAROPE_ASSERT(!is_terminal(state) && action >= 0 && action < actions_);
  const auto pair =
      static_cast<std::size_t>(state) * static_cast<std::size_t>(actions_) + static_cast<std::size_t>(action);
  const auto r = static_cast<std::size_t>(row_of_[pair]);
  return {offsets_[r], offsets_[r + 1] - offsets_[r]};
}

TabularMdp::Row TabularMdp::row(State state, std::int32_t action) const {
  const auto [first, count] = extent(state, action);
  return {std::span(next_).subspan(first, count), std::span(probability_).subspan(first, count),
          std::span(reward_).subspan(first, count), std::span(cumulative_).subspan(first, count)};
}

TabularMdp::State TabularMdp::start_at(double u) const {
  return static_cast<State>(find(start_cumulative_, start_guide_, u));
}

Outcome TabularMdp::outcome_at(State state, std::int32_t action, double u) const {
  const auto [first, count] = extent(state, action);
  const std::size_t i =
      first + find(std::span(cumulative_).subspan(first, count), std::span(guide_).subspan(first, count), u);
  return {next_[i], probability_[i], reward_[i]};
}

Transition TabularMdp::step(State& state, std::int32_t action, Random& random) const {
  const Outcome outcome = outcome_at(state, action, random.uniform());
  state = outcome.next;
  const double noise = reward_noise_ > 0.0 ? reward_noise_ * random.normal() : 0.0;
  return {.reward = outcome.reward + noise, .terminated = is_terminal(outcome.next)};
}

void check_policy_fits(const TabularMdp& mdp, const TabularPolicy& policy) {
  if (policy.actions() != mdp.actions()) {
    throw InvalidArgument(
        fmt::format("the policy chooses among {} actions, the MDP has {}", policy.actions(), mdp.actions()));
  }
  if (policy.symbols() != mdp.symbols()) {
    throw InvalidArgument(
        fmt::format("the policy has rows for {} symbols, the MDP shows {} (terminal states need none)",
                    policy.symbols(), mdp.symbols()));
  }
}

}  // namespace starope::domains
