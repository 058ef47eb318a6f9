#include "starope/auto/history_features.hpp"

#include <algorithm>
#include <cmath>

#include "starope/clustering/feature_scaling.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

constexpr double weight_of_the_past = 0.7;
constexpr double weight_of_traces = 1.3;

// The logged actions as numbers.
struct ActionColumns {
  std::int64_t dimension = 0;
  std::vector<double> of_step{};  // steps x dimension
};

ActionColumns action_columns(const Dataset& data) {
  ActionColumns columns;
  if (const auto* discrete = std::get_if<DiscreteActions>(&data.actions())) {
    columns.dimension = discrete->count;
    columns.of_step.assign(static_cast<std::size_t>(data.steps() * columns.dimension), 0.0);
    for (std::int64_t i = 0; i < data.steps(); ++i) {
      columns.of_step[static_cast<std::size_t>(i * columns.dimension + discrete->id[i])] = 1.0;
    }
  } else if (const auto* continuous = std::get_if<ContinuousActions>(&data.actions())) {
    columns.dimension = continuous->dimension;
    columns.of_step.resize(static_cast<std::size_t>(continuous->values.size()));
    const Points points{.dimension = continuous->dimension, .values = continuous->values};
    make_scaling(FeatureScale::standard, points, Threads{1}).apply(continuous->values, columns.of_step);
    for (double& x : columns.of_step) x *= weight_of_the_past;
  }
  return columns;
}

// The features of state rows that a look at the past repeats: of slow ones, as many as the middle member of a bag has.
class StateColumns {
 public:
  explicit StateColumns(const BagFeatures& features)
      : features_(features),
        count_(features.prefixes.empty() ? features.dimension : features.prefixes[features.prefixes.size() / 2]) {}

  std::int64_t count() const noexcept { return count_; }
  const double* of_row(std::int64_t row) const {
    const std::int64_t point =
        features_.point_of_row.empty() ? row : features_.point_of_row[static_cast<std::size_t>(row)];
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

}  // namespace

BagFeatures with_history(const BagFeatures& features, const Problem& problem) {
  const Dataset& data = problem.data();
  const ActionColumns actions = action_columns(data);
  const StateColumns states(features);
  const std::int64_t narrow = states.count();
  BagFeatures both{.dimension = 2 * narrow + actions.dimension};
  both.values.assign(static_cast<std::size_t>(data.state_rows() * both.dimension), 0.0);
  const auto fill = [&](std::int64_t row, std::int64_t before) {
    double* const out = both.values.data() + row * both.dimension;
    std::copy_n(states.of_row(row), narrow, out);
    if (before < 0) return;
    const double* const past = states.of_row(before);
    for (std::int64_t j = 0; j < narrow; ++j) out[narrow + j] = weight_of_the_past * past[j];
    std::copy_n(actions.of_step.data() + before * actions.dimension, actions.dimension, out + 2 * narrow);
  };
  for (std::int64_t i = 0; i < data.episodes(); ++i) {
    const std::int64_t first = data.first_step(i);
    for (std::int64_t t = 0; t < data.length(i); ++t) fill(first + t, t == 0 ? -1 : first + t - 1);
    if (const auto last = data.final_row(i)) fill(*last, first + data.length(i) - 1);
  }
  return both;
}

BagFeatures with_traces(const BagFeatures& features, const Problem& problem, double fading) {
  const Dataset& data = problem.data();
  const ActionColumns actions = action_columns(data);
  const StateColumns states(features);
  double scale = 1.0;
  if (!features.prefixes.empty()) {
    const double variance = states.variance(data.steps());
    if (variance > 0.0) scale = 2.0 / std::sqrt(variance);
  }
  const Moments rewards = moments(data.rewards());
  const double per_reward = rewards.variance() > 0.0 ? weight_of_the_past / std::sqrt(rewards.variance()) : 0.0;
  const std::int64_t narrow = states.count(), trace = narrow + actions.dimension + 1;
  BagFeatures both{.dimension = narrow + trace};
  both.values.resize(static_cast<std::size_t>(data.state_rows() * both.dimension));
  std::vector<double> memory(static_cast<std::size_t>(trace));
  const auto fill = [&](std::int64_t row) {
    double* out = both.values.data() + row * both.dimension;
    for (std::int64_t j = 0; j < narrow; ++j) *out++ = scale * states.of_row(row)[j];
    for (const double m : memory) *out++ = weight_of_traces * m;
  };
  const auto remember = [&](std::int64_t step) {
    for (std::int64_t j = 0; j < trace; ++j) {
      const double happened = j < narrow ? weight_of_the_past * scale * states.of_row(step)[j]
                              : j + 1 < trace
                                  ? actions.of_step[static_cast<std::size_t>(step * actions.dimension + j - narrow)]
                                  : per_reward * (data.rewards()[static_cast<std::size_t>(step)] - rewards.mean());
      double& m = memory[static_cast<std::size_t>(j)];
      m = fading * m + (1.0 - fading) * happened;
    }
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

}  // namespace starope
