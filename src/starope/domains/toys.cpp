#include "starope/domains/toys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "starope/error.hpp"

namespace starope::domains {
namespace {

void check_probability(const char* what, double p) {
  if (!(p >= 0.0 && p <= 1.0)) throw InvalidArgument(fmt::format("{} must be a probability, not {}", what, p));
}

// ---- The 8 x 8 grid: what is in each cell, and where the plan goes from it (l, r, u, d) ----------------------------

constexpr std::int32_t large_side = 8;
constexpr std::array<std::string_view, 8> large_cells{
    "........",  //
    "..f.h...",  //
    "...h..f.",  //
    ".f...h.f",  //
    "...h..f.",  //
    ".hh.f.h.",  //
    ".h..h.h.",  //
    "...h.f.G",
};
constexpr std::array<std::string_view, 8> large_plan{
    "rrdrrrdd",  //
    "rrdlrrdd",  //
    "rddrrrrd",  //
    "rrrrdrrd",  //
    "ruurdrrd",  //
    "uurrrdrd",  //
    "drrurdrd",  //
    "rrurrrrr",
};
constexpr std::string_view large_actions = "lrud";

double large_reward(char cell) {
  switch (cell) {
    case 'G':
      return 1.0;
    case 'h':
      return -0.5;
    case 'f':
      return -0.005;
    default:
      return -0.01;
  }
}

std::int32_t large_next(std::int32_t state, std::int32_t action) {
  const std::int32_t row = state / large_side, column = state % large_side;
  const std::int32_t new_row = row + (action == 3 ? 1 : 0) - (action == 2 ? 1 : 0);
  const std::int32_t new_column = column + (action == 1 ? 1 : 0) - (action == 0 ? 1 : 0);
  const bool inside = new_row >= 0 && new_row < large_side && new_column >= 0 && new_column < large_side;
  return inside ? new_row * large_side + new_column : state;
}

char at(const std::array<std::string_view, 8>& map, std::int32_t state) {
  return map[state / large_side][state % large_side];
}

// ---- The graph -----------------------------------------------------------------------------------------------------

// States 1 .. 2T-2 in `groups` groups of neighbors, the first ones larger by one where they cannot be equal; the start
// looks like the first group.
std::vector<std::int32_t> graph_symbols(std::int32_t layers, std::int32_t symbols) {
  const std::int32_t inner = 2 * layers - 2, groups = symbols - 1;
  if (groups < 1 || groups > inner) {
    throw InvalidArgument(
        fmt::format("a graph of {} layers can show 2 to {} symbols, not {}", layers, inner + 1, symbols));
  }
  std::vector<std::int32_t> symbol{0};
  for (std::int32_t group = 0; group < groups; ++group) {
    const std::int32_t size = inner / groups + (group < inner % groups ? 1 : 0);
    symbol.insert(symbol.end(), static_cast<std::size_t>(size), group);
  }
  symbol.push_back(groups);
  return symbol;
}

}  // namespace

TabularMdp model_win() {
  MdpDescription d = MdpDescription::with_own_rows(3, 2);
  d.outcomes(0, 0) = {{1, 0.4, 1.0}, {2, 0.6, -1.0}};
  d.outcomes(0, 1) = {{1, 0.6, 1.0}, {2, 0.4, -1.0}};
  for (const std::int32_t s : {1, 2})
    for (const std::int32_t a : {0, 1}) d.outcomes(s, a) = {{0, 1.0, 0.0}};
  d.start[0] = 1.0;
  return TabularMdp(d);
}

TabularPolicy model_win_policy(double first) {
  check_probability("P(action 0)", first);
  return {3, 2, {first, 1.0 - first, 0.5, 0.5, 0.5, 0.5}};
}

TabularMdp model_fail() {
  MdpDescription d = MdpDescription::with_own_rows(4, 2);
  d.outcomes(0, 0) = {{1, 1.0, 0.0}};
  d.outcomes(0, 1) = {{2, 1.0, 0.0}};
  for (const std::int32_t a : {0, 1}) {
    d.outcomes(1, a) = {{3, 1.0, 1.0}};
    d.outcomes(2, a) = {{3, 1.0, -1.0}};
  }
  d.terminal[3] = true;
  d.start[0] = 1.0;
  d.symbol = {0, 0, 0, 0};
  return TabularMdp(d);
}

TabularPolicy model_fail_policy(double first) {
  check_probability("P(action 0)", first);
  return {1, 2, {first, 1.0 - first}};
}

TabularMdp small_grid(double goal_reward) {
  constexpr std::int32_t side = 4, goal = 15;
  constexpr std::array<std::int32_t, 4> right{1, -1, 0, 0}, down{0, 0, 1, -1};
  const auto reward = [goal_reward](std::int32_t x, std::int32_t y) {
    if (x == 1 && y == 1) return -10.0;
    if (x == 1 && y == 3) return 1.0;
    return x == 3 && y == 3 ? goal_reward : -1.0;
  };
  MdpDescription d = MdpDescription::with_own_rows(side * side, 4);
  for (std::int32_t s = 0; s < goal; ++s) {
    for (std::int32_t a = 0; a < 4; ++a) {
      const std::int32_t x = std::clamp(s % side + right[a], 0, side - 1);
      const std::int32_t y = std::clamp(s / side + down[a], 0, side - 1);
      d.outcomes(s, a) = {{x + side * y, 1.0, reward(x, y)}};
    }
  }
  d.terminal[goal] = true;
  d.start[0] = 1.0;
  return TabularMdp(d);
}

TabularPolicy small_grid_policy(double low, double mid, double high) {
  constexpr std::size_t states = 15, actions = 4;
  std::array<double, states * actions> preference{};
  preference.fill(low);
  for (std::size_t s = 0; s < 12; ++s) preference[s * actions + 2] = mid;
  preference[13 * actions + 0] = mid;
  preference[13 * actions + 2] = high;
  return TabularPolicy::softmax(states, actions, preference);
}

TabularPolicy small_grid_sharp5() {
  return small_grid_policy(-10.0, 5.0, 10.0);
}

TabularPolicy small_grid_sharp10() {
  return small_grid_policy(-20.0, 10.0, 20.0);
}

TabularMdp toy_graph(const ToyGraphOptions& options) {
  const std::int32_t layers = options.layers;
  if (layers < 2 || layers > 1'000'000) {
    throw InvalidArgument(fmt::format("a graph has 2 to 1,000,000 layers, not {}", layers));
  }
  check_probability("the slip", options.slip);
  const std::int32_t end = 2 * layers - 1;
  MdpDescription d = MdpDescription::with_own_rows(2 * layers, 2);
  const double landing = options.sparse ? 0.0 : 1.0;
  for (std::int32_t s = 0; s < end; ++s) {
    const std::int32_t layer = (s + 1) / 2;
    for (const std::int32_t a : {0, 1}) {
      if (layer == layers - 1) {
        d.outcomes(s, a) = {{end, 1.0, s % 2 == 1 ? 1.0 : -1.0}};
        continue;
      }
      const std::int32_t good = 2 * layer + 1, bad = 2 * layer + 2;
      const double reached = a == 0 ? 1.0 - options.slip : options.slip;  // the good one
      d.outcomes(s, a) = {{good, reached, landing}, {bad, 1.0 - reached, -landing}};
    }
  }
  d.terminal[end] = true;
  d.start[0] = 1.0;
  d.reward_noise = options.noise ? 1.0 : 0.0;
  if (options.symbols) d.symbol = graph_symbols(layers, *options.symbols);
  return TabularMdp(d);
}

TabularMdp toy_mountain_car(bool random_start) {
  constexpr std::int32_t end = 21;
  MdpDescription d = MdpDescription::with_own_rows(end + 1, 2);
  for (std::int32_t s = 0; s < end; ++s) {
    d.outcomes(s, 0) = {{std::max(0, s - 1), 1.0, -1.0}};
    d.outcomes(s, 1) = {{s + 1, 1.0, -1.0}};
  }
  d.terminal[end] = true;
  if (random_start) {
    std::fill(d.start.begin(), d.start.end() - 1, 1.0 / end);
  } else {
    d.start[10] = 1.0;
  }
  return TabularMdp(d);
}

TabularMdp large_grid(double slip) {
  check_probability("the slip", slip);
  constexpr std::int32_t states = large_side * large_side, goal = states - 1;
  MdpDescription d = MdpDescription::with_own_rows(states, 4);
  for (std::int32_t s = 0; s < goal; ++s) {
    for (std::int32_t a = 0; a < 4; ++a) {
      for (std::int32_t taken = 0; taken < 4; ++taken) {
        const double p = slip / 4.0 + (taken == a ? 1.0 - slip : 0.0);
        const std::int32_t next = large_next(s, taken);
        if (p > 0.0) d.outcomes(s, a).push_back({next, p, large_reward(at(large_cells, next))});
      }
    }
  }
  d.terminal[goal] = true;
  for (std::size_t k = 0; k < large_side; ++k) d.start[k] = d.start[large_side * k] = 1.0 / (2 * large_side - 1);
  return TabularMdp(d);
}

TabularPolicy large_grid_policy(double epsilon) {
  check_probability("epsilon", epsilon);
  constexpr std::int32_t states = large_side * large_side - 1;
  std::vector<double> table(std::size_t{4} * states, epsilon / 4.0);
  for (std::int32_t s = 0; s < states; ++s)
    table[static_cast<std::size_t>(s) * 4 + large_actions.find(at(large_plan, s))] = 1.0 - epsilon + epsilon / 4.0;
  return {states, 4, std::move(table)};
}

SymbolFeatures large_grid_pixels() {
  constexpr std::size_t cells = std::size_t{large_side} * large_side, states = cells - 1;
  SymbolFeatures features;
  for (std::size_t c = 0; c < cells; ++c)
    features.names.push_back(fmt::format("pixel_{}_{}", c / large_side, c % large_side));
  features.values.assign(states * cells, 0.0);
  for (std::size_t s = 0; s < states; ++s) features.values[s * cells + s] = 1.0;
  return features;
}

TabularMdp single_path(std::int32_t length) {
  if (length < 1) throw InvalidArgument(fmt::format("a path has at least one state, not {}", length));
  MdpDescription d = MdpDescription::with_own_rows(length + 1, 2);
  for (std::int32_t s = 0; s < length; ++s) {
    d.outcomes(s, 0) = {{s + 1, 1.0, 1.0}};
    d.outcomes(s, 1) = {{s + 1, 0.5, 0.0}, {s, 0.5, 0.0}};
  }
  d.terminal[length] = true;
  d.start[0] = 1.0;
  return TabularMdp(d);
}

TabularPolicy first_action_policy(const TabularMdp& mdp, double first) {
  check_probability("P(action 0)", first);
  return TabularPolicy::same_everywhere(mdp.symbols(), std::array<double, 2>{first, 1.0 - first});
}

}  // namespace starope::domains
