#include "starope/inference/replicate_counts.hpp"

#include <array>
#include <cstddef>

#include "starope/base/assert.hpp"
#include "starope/data/episode_hashes.hpp"
#include "starope/inference/poisson_thresholds.hpp"
#include "starope/rng/philox.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

constexpr std::int64_t per_block = 4;  // counts that one block of random bits gives, 32 bits each

double count_of(std::uint32_t bits) {
  int count = 0;
  for (const std::uint32_t threshold : poisson_thresholds()) count += bits >= threshold ? 1 : 0;
  return count;
}

std::array<std::uint32_t, 4> bits_of(Seed seed, std::uint64_t item, std::int64_t block) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  return philox_block(
      {static_cast<std::uint32_t>(block), low(item), high(item), static_cast<std::uint32_t>(Stream::bootstrap)},
      {low(seed.value), high(seed.value)});
}

}  // namespace

ReplicateCounts::ReplicateCounts(const Dataset& data, Seed seed, std::int64_t before)
    : seed_(seed), items_(episode_hashes(data, before)) {}

void ReplicateCounts::of_episode(std::int64_t episode, std::int64_t first, std::span<double> out) const {
  STAROPE_ASSERT(first % per_block == 0);
  const std::uint64_t item = items_[episode];
  for (std::size_t i = 0; i < out.size(); i += per_block) {
    const auto bits = bits_of(seed_, item, (first + static_cast<std::int64_t>(i)) / per_block);
    for (std::size_t k = 0; k < per_block && i + k < out.size(); ++k) out[i + k] = count_of(bits[k]);
  }
}

std::vector<double> ReplicateCounts::of_replicate(std::int64_t replicate) const {
  std::vector<double> counts;
  counts.reserve(items_.size());
  for (const std::uint64_t item : items_)
    counts.push_back(count_of(bits_of(seed_, item, replicate / per_block)[replicate % per_block]));
  return counts;
}

}  // namespace starope
