#include "starope/auto/bag_features.hpp"

#include <algorithm>
#include <utility>

#include "starope/phi/counted_states.hpp"
#include "starope/clustering/feature_scaling.hpp"
#include "starope/base/assert.hpp"
#include "starope/auto/slow_features.hpp"

namespace starope {
namespace {

constexpr double weight_of_the_past = 0.7;

BagFeatures standardised(const Problem& problem, const DenseStates& states, Threads threads) {
  const std::vector<double> counted = counted_features(problem);
  const Points points{.dimension = states.dimension, .values = counted};
  FeatureScaling scaling = make_scaling(FeatureScale::standard, points, threads);
  const auto d = static_cast<std::size_t>(states.dimension);
  std::vector<bool> is_flag(d, true);
  for (std::size_t i = 0; i < counted.size(); ++i) {
    if (counted[i] != 0.0 && counted[i] != 1.0) is_flag[i % d] = false;
  }
  for (std::size_t j = 0; j < d; ++j) {
    if (is_flag[j]) {
      scaling.centre[j] = 0.0;
      scaling.scale[j] = 1.0;
    }
  }
  BagFeatures features{.dimension = states.dimension, .values = std::vector<double>(states.values.size())};
  scaling.apply(states.values, features.values);
  return features;
}

BagFeatures plain_bits(const BinaryStates& bits) {
  return {.dimension = bits.dimension, .values = to_dense(bits).values};
}

// Where nothing moves there is nothing slow: one point for all.
BagFeatures one_point(const Dataset& data) {
  return {.dimension = 1,
          .values = {0.0},
          .point_of_row = std::vector<std::int32_t>(static_cast<std::size_t>(data.state_rows()), 0)};
}

// What the step before left behind, per step: a block of columns behind the two states.
struct LastActions {
  std::int64_t dimension = 0;
  std::vector<double> of_step{};  // steps x dimension
};

LastActions action_columns(const Dataset& data) {
  LastActions columns;
  if (const auto* discrete = std::get_if<DiscreteActions>(&data.actions())) {
    columns.dimension = discrete->count;
    columns.of_step.assign(static_cast<std::size_t>(data.steps() * columns.dimension), 0.0);
    for (std::int64_t i = 0; i < data.steps(); ++i) {
      columns.of_step[static_cast<std::size_t>(i * columns.dimension + discrete->id[static_cast<std::size_t>(i)])] =
          1.0;
    }
  } else if (const auto* continuous = std::get_if<ContinuousActions>(&data.actions())) {
    columns.dimension = continuous->dimension;
    columns.of_step.resize(continuous->values.size());
    const Points points{.dimension = continuous->dimension, .values = continuous->values};
    make_scaling(FeatureScale::standard, points, Threads{1}).apply(continuous->values, columns.of_step);
    for (double& x : columns.of_step) x *= weight_of_the_past;
  }
  return columns;
}

}  // namespace

BagFeatures bag_features(const Problem& problem, Threads threads) {
  require_states(problem, "auto");
  const Dataset& data = problem.data();
  const auto* dense = std::get_if<DenseStates>(&data.states());
  if (dense != nullptr && !are_pixels(data, threads)) return standardised(problem, *dense, threads);
  if (const auto* bits = std::get_if<BinaryStates>(&data.states()); bits != nullptr && !are_pixels(data, threads)) {
    return plain_bits(*bits);
  }
  BagFeatures slow = slow_features(problem, {}, threads);
  return slow.values.empty() ? one_point(data) : slow;
}

BagFeatures with_history(const BagFeatures& features, const Problem& problem) {
  const Dataset& data = problem.data();
  const LastActions actions = action_columns(data);
  const std::int64_t narrow =
      features.prefixes.empty() ? features.dimension : features.prefixes[features.prefixes.size() / 2];
  BagFeatures both{.dimension = 2 * narrow + actions.dimension};
  both.values.assign(static_cast<std::size_t>(data.state_rows() * both.dimension), 0.0);
  const auto state_of = [&](std::int64_t row) {
    const std::int64_t point =
        features.point_of_row.empty() ? row : features.point_of_row[static_cast<std::size_t>(row)];
    return features.values.data() + point * features.dimension;
  };
  const auto fill = [&](std::int64_t row, std::int64_t before) {
    double* const out = both.values.data() + row * both.dimension;
    std::copy_n(state_of(row), narrow, out);
    if (before < 0) return;
    const double* const past = state_of(before);
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

}  // namespace starope
