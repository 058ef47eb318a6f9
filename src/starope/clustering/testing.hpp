#pragma once

// Helpers for the tests of this module: matrices of random numbers, small problems, and the loop that defines
// "nearest".

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "starope/data.hpp"
#include "starope/problem.hpp"
#include "starope/rng/random.hpp"
#include "starope/types.hpp"

namespace starope::testing {

inline std::vector<double> normal_numbers(std::int64_t count, std::uint64_t seed) {
  Random random(Seed{seed}, Stream::test_data, 1);
  std::vector<double> numbers(count);
  for (double& x : numbers) x = random.normal();
  return numbers;
}

// Rows of bits, each 1 with the given probability.
inline BinaryStates random_bits_states(std::int64_t rows, std::int64_t dimension, double share, std::uint64_t seed) {
  Random random(Seed{seed}, Stream::test_data, 2);
  std::vector<std::uint64_t> words;
  std::vector<double> row(dimension);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (double& x : row) x = random.uniform() < share ? 1.0 : 0.0;
    append_bits(words, row);
  }
  return {.dimension = dimension, .words = std::move(words)};
}

inline double squared_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

// The definition, without any cleverness.
inline Label naive_nearest(std::span<const double> x, std::span<const double> centroids) {
  Label best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < centroids.size() / x.size(); ++k) {
    const double distance = squared_distance(x, centroids.subspan(k * x.size(), x.size()));
    if (distance < least) {
      least = distance;
      best = static_cast<Label>(k);
    }
  }
  return best;
}

inline std::vector<Label> naive_labels(std::span<const double> rows, std::span<const double> centroids,
                                       std::int64_t dimension) {
  const auto d = static_cast<std::size_t>(dimension);
  std::vector<Label> labels;
  for (std::size_t i = 0; i < rows.size(); i += d) labels.push_back(naive_nearest(rows.subspan(i, d), centroids));
  return labels;
}

// Points around `centers`, `each` of them in turn, with the given standard deviation.
inline std::vector<double> blobs(const std::vector<double>& centers, std::int64_t each, double deviation,
                                 std::uint64_t seed) {
  std::vector<double> points = normal_numbers(static_cast<std::int64_t>(centers.size()) * each, seed);
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = centers[i % centers.size()] + deviation * points[i];
  return points;
}

// On-policy episodes of the given lengths over the given states; the first episodes of `final_states` have a known
// state behind their last step.
inline Problem problem_of(States states, const std::vector<std::int64_t>& lengths, std::size_t final_states = 0,
                          const ProblemOptions& options = {}) {
  std::vector<std::int64_t> offsets{0};
  for (const std::int64_t length : lengths) offsets.push_back(offsets.back() + length);
  const auto steps = static_cast<std::size_t>(offsets.back());
  std::vector<std::uint8_t> has_final_state(lengths.size(), 0);
  for (std::size_t i = 0; i < final_states; ++i) has_final_state[i] = 1;
  Columns columns;
  columns.offsets = std::move(offsets);
  columns.states = std::move(states);
  columns.rewards = std::vector<double>(steps, 1.0);
  columns.actions = DiscreteActions{.id = std::vector<std::int32_t>(steps, 0), .count = 2};
  columns.behavior = LoggedProbabilities{.values = std::vector<double>(steps, 0.5)};
  columns.target = columns.behavior;
  columns.ends = std::vector<EpisodeEnd>(lengths.size(), EpisodeEnd::truncated);
  columns.has_final_state = std::move(has_final_state);
  return make_problem(Dataset(std::move(columns)), options);
}

inline Problem dense_problem(std::int64_t dimension, std::vector<double> values,
                             const std::vector<std::int64_t>& lengths, std::size_t final_states = 0,
                             const ProblemOptions& options = {}) {
  return problem_of(DenseStates{.dimension = dimension, .values = std::move(values)}, lengths, final_states, options);
}

inline Problem discrete_problem(const std::vector<std::int64_t>& ids, const std::vector<std::int64_t>& lengths,
                                std::size_t final_states = 0, const ProblemOptions& options = {}) {
  return problem_of(make_discrete_states(ids), lengths, final_states, options);
}

}  // namespace starope::testing
