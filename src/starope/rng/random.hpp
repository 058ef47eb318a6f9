#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "starope/base/types.hpp"

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
  random_features = 31,
  network_weights = 32,
  network_batches = 33,
  model_rollout = 34,
  study_cell = 40,
  study_truth = 41,
  study_sample = 42,
};

// 64 random bits: a pure function of its arguments (Philox4x32-10; two draws share one block of 128 bits).
std::uint64_t random_bits(Seed seed, Stream stream, std::uint64_t item, std::uint32_t draw) noexcept;

// The draws of one (seed, stream, item) in order: draw k of a fresh Random equals random_bits(seed, stream, item, k).
class Random {
 public:
  Random(Seed seed, Stream stream, std::uint64_t item) noexcept : seed_(seed), stream_(stream), item_(item) {}

  std::uint64_t bits() noexcept;
  double uniform() noexcept;                          // [0, 1), 53 random bits
  double uniform(double low, double high) noexcept;   // [low, high)
  std::uint64_t below(std::uint64_t count) noexcept;  // 0 .. count-1; count >= 1
  double normal() noexcept;                           // standard normal
  std::uint32_t draws() const noexcept { return draw_; }

 private:
  Seed seed_;
  Stream stream_;
  std::uint64_t item_;
  std::uint32_t draw_ = 0;
  std::uint64_t second_half_ = 0;
};

// Poisson(1): how often an episode is repeated in a bootstrap replicate. Inversion of the cumulative distribution.
int poisson_one(std::uint64_t bits) noexcept;

// `count` distinct numbers of 0 .. population-1 in random order (all of them, shuffled, if count >= population).
std::vector<std::int64_t> sample_without_replacement(Random& random, std::int64_t population, std::int64_t count);

}  // namespace starope
