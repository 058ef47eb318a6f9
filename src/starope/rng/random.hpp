#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "starope/types.hpp"

namespace starope {

// What a random number is for. Two purposes never share a stream, so adding draws to one leaves the other unchanged.
// The numbers are part of the results: append, never renumber.
enum class Stream : std::uint32_t {
  test_data = 1,
  kmeans_init = 2,
  kmeans_sample = 3,
  random_centroids = 4,
  rollout = 5,
  bootstrap = 6,
  split = 7,
  simulate_reset = 8,
  simulate_action = 9,
  simulate_dynamics = 10,
  random_mdp = 11,
  bag_sample = 21,
  bag_seed = 22,
  half_sample = 23,
  half_groups = 24,
  waves = 25,
  action_signs = 26,
  step_signs = 27,
  random_features = 31,
  network_weights = 32,
  network_batches = 33,
  model_rollout = 34,
  study_cell = 40,
  study_truth = 41,
  study_sample = 42,
  simultaneous = 50,
  ranking = 51,
};

// 64 random bits: a pure function of its arguments (Philox4x32-10; two draws share one block of 128 bits).
std::uint64_t random_bits(Seed seed, Stream stream, std::uint64_t item, std::uint32_t draw) noexcept;

// Poisson(1): how often an episode is repeated in a bootstrap replicate. Inversion of the cumulative distribution.
int poisson_one(std::uint64_t bits) noexcept;

// `count` distinct numbers of 0 .. population-1 in random order (all of them, shuffled, if count >= population).
std::vector<std::int64_t> sample_without_replacement(Random& random, std::int64_t population, std::int64_t count);

}  // namespace starope
