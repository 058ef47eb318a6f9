#include "starope/auto/history_features.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "starope/error.hpp"
#include "starope/rng/random.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

constexpr double weight_of_the_past = 0.7;
constexpr double weight_of_traces = 1.3;

ActionColumns fit_actions(const Dataset& data) {
  ActionColumns columns;
  if (const auto* discrete = std::get_if<DiscreteActions>(&data.actions())) {
    columns.discrete = discrete->count;
  } else if (const auto* continuous = std::get_if<ContinuousActions>(&data.actions())) {
    const Points points{.dimension = continuous->dimension, .values = continuous->values};
    columns.continuous = make_scaling(FeatureScale::standard, points, Threads{1});
  }
  return columns;
}

void check_actions(const ActionColumns& fitted, const Dataset& data) {
  const auto* continuous = std::get_if<ContinuousActions>(&data.actions());
  const std::size_t numbers = continuous != nullptr ? static_cast<std::size_t>(continuous->dimension) : 0;
  if ((fitted.discrete > 0) == std::holds_alternative<DiscreteActions>(data.actions()) &&
      fitted.continuous.scale.size() == numbers)
    return;
  throw InvalidArgument("the features were fitted to logs with actions of another kind; give the same columns");
}

// The features of state rows that a look at the past repeats: of slow ones, as many as the middle member of a bag has.
class StateColumns {
 public:
  explicit StateColumns(const BagFeatures& features)
      : features_(features),
        count_(features.prefixes.empty() ? features.dimension : features.prefixes[features.prefixes.size() / 2]) {}

  std::int64_t count() const noexcept { return count_; }
  const double* of_row(std::int64_t row) const {
    const std::int64_t point = features_.point_of_row.empty() ? row : features_.point_of_row[row];
    return features_.values.data() + point * features_.dimension;
  }

  // Sum of the variances over all logged steps.
  double variance(std::int64_t steps) const {
    double total = 0.0;
    for (std::int64_t j = 0; j < count_; ++j) {
      Moments column;
      for (std::int64_t row = 0; row < steps; ++row) column.add(of_row(row)[j]);
      total += column.variance();
    }
    return total;
  }

 private:
  const BagFeatures& features_;
  std::int64_t count_;
};

BagFeatures with_last_step(const HistoryMap& map, const StateColumns& states, const Dataset& data) {
  const std::int64_t narrow = map.states;
  BagFeatures both{.dimension = 2 * narrow + map.actions.columns()};
  both.values.assign(data.state_rows() * both.dimension, 0.0);
  const auto fill = [&](std::int64_t row, std::int64_t before) {
    double* const out = both.values.data() + row * both.dimension;
    std::copy_n(states.of_row(row), narrow, out);
    if (before < 0) return;
    const double* const past = states.of_row(before);
    for (std::int64_t j = 0; j < narrow; ++j) out[narrow + j] = weight_of_the_past * past[j];
    map.actions.of_step(data, before, out + 2 * narrow);
  };
  for (std::int64_t i = 0; i < data.episodes(); ++i) {
    const std::int64_t first = data.first_step(i);
    for (std::int64_t t = 0; t < data.length(i); ++t) fill(first + t, t == 0 ? -1 : first + t - 1);
    if (const auto last = data.final_row(i)) fill(*last, first + data.length(i) - 1);
  }
  return both;
}

BagFeatures with_memory(const HistoryMap& map, const StateColumns& states, const Dataset& data) {
  const std::int64_t narrow = map.states, trace = narrow + map.actions.columns() + 1;
  BagFeatures both{.dimension = narrow + trace};
  both.values.resize(data.state_rows() * both.dimension);
  std::vector<double> memory(trace), happened(memory.size());
  const auto fill = [&](std::int64_t row) {
    double* out = both.values.data() + row * both.dimension;
    for (std::int64_t j = 0; j < narrow; ++j) *out++ = map.state_scale * states.of_row(row)[j];
    for (const double m : memory) *out++ = weight_of_traces * m;
  };
  const auto remember = [&](std::int64_t step) {
    const double* const x = states.of_row(step);
    for (std::int64_t j = 0; j < narrow; ++j) happened[j] = weight_of_the_past * map.state_scale * x[j];
    map.actions.of_step(data, step, happened.data() + narrow);
    happened.back() = map.per_reward * (data.rewards()[step] - map.reward_mean);
    for (std::size_t j = 0; j < memory.size(); ++j)
      memory[j] = map.fading * memory[j] + (1.0 - map.fading) * happened[j];
  };
  for (std::int64_t i = 0; i < data.episodes(); ++i) {
    std::fill(memory.begin(), memory.end(), 0.0);
    const std::int64_t first = data.first_step(i);
    for (std::int64_t step = first; step < first + data.length(i); ++step) {
      fill(step);
      remember(step);
    }
    if (const auto last = data.final_row(i)) fill(*last);
  }
  return both;
}

}  // namespace

std::int64_t ActionColumns::columns() const noexcept {
  return discrete > 0 ? std::min(discrete, most_one_hot) : static_cast<std::int64_t>(continuous.scale.size());
}

void ActionColumns::of_step(const Dataset& data, std::int64_t step, double* out) const {
  if (discrete > 0) {
    const std::int32_t action = std::get<DiscreteActions>(data.actions()).id[step];
    if (discrete <= most_one_hot) {
      for (std::int64_t j = 0; j < discrete; ++j) out[j] = j == action ? 1.0 : 0.0;
      return;
    }
    static_assert(most_one_hot <= 64);
    const std::uint64_t signs = random_bits(Seed{}, Stream::action_signs, static_cast<std::uint64_t>(action), 0);
    const double size = 1.0 / std::sqrt(static_cast<double>(most_one_hot));
    for (std::int64_t j = 0; j < most_one_hot; ++j) out[j] = (signs >> j & 1U) != 0 ? size : -size;
  } else if (!continuous.scale.empty()) {
    const auto& values = std::get<ContinuousActions>(data.actions()).values;
    const std::size_t d = continuous.scale.size();
    continuous.apply(std::span(values).subspan(static_cast<std::size_t>(step) * d, d), std::span(out, d));
    for (std::size_t j = 0; j < d; ++j) out[j] *= weight_of_the_past;
  }
}

BagFeatures HistoryMap::apply(const BagFeatures& features, const Dataset& data) const {
  check_actions(actions, data);
  const StateColumns columns(features);
  if (columns.count() != states) throw InvalidArgument("the features of history were fitted to states of another kind");
  return fading > 0.0 ? with_memory(*this, columns, data) : with_last_step(*this, columns, data);
}

void HistoryMap::write(ByteWriter& to) const {
  to.number(fading);
  to.number(states);
  for (const double x : {state_scale, reward_mean, per_reward}) to.number(x);
  to.number(actions.discrete);
  to.numbers(actions.continuous.center);
  to.numbers(actions.continuous.scale);
}

HistoryMap HistoryMap::read(ByteReader& from) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const auto require = [&](bool holds) {
    if (!holds) from.fail("numbers of the features of history do not fit together");
  };
  HistoryMap map;
  map.fading = from.finite();
  require(map.fading >= 0.0 && map.fading < 1.0);
  map.states = from.number_within(1, most);
  map.state_scale = from.finite();
  map.reward_mean = from.finite();
  map.per_reward = from.finite();
  map.actions.discrete = from.number_within(0, most);
  map.actions.continuous.center = from.finites();
  map.actions.continuous.scale = from.finites();
  require(map.actions.continuous.center.size() == map.actions.continuous.scale.size());
  require(map.actions.discrete == 0 || map.actions.continuous.scale.empty());
  for (const double scale : map.actions.continuous.scale) require(scale > 0.0);
  return map;
}

HistoryMap fit_last_step(const BagFeatures& features, const Problem& problem) {
  return {.states = StateColumns(features).count(), .actions = fit_actions(problem.data())};
}

HistoryMap fit_traces(const BagFeatures& features, const Problem& problem, double fading) {
  const Dataset& data = problem.data();
  const StateColumns states(features);
  HistoryMap map{.fading = fading, .states = states.count(), .actions = fit_actions(data)};
  if (!features.prefixes.empty()) {
    const double variance = states.variance(data.steps());
    if (variance > 0.0) map.state_scale = 2.0 / std::sqrt(variance);
  }
  const Moments rewards = moments(data.rewards());
  map.reward_mean = rewards.mean();
  if (rewards.variance() > 0.0) map.per_reward = weight_of_the_past / std::sqrt(rewards.variance());
  return map;
}

BagFeatures with_history(const BagFeatures& features, const Problem& problem) {
  return fit_last_step(features, problem).apply(features, problem.data());
}

BagFeatures with_traces(const BagFeatures& features, const Problem& problem, double fading) {
  return fit_traces(features, problem, fading).apply(features, problem.data());
}

}  // namespace starope
