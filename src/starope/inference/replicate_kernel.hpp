#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "starope/base/bits.hpp"
#include "starope/types.hpp"

namespace starope {

// Replicates of a bootstrap that are added up beside each other.
inline constexpr std::size_t replicates_together = 64;

// How often an episode counts in them: two counts in 64 bits, each the upper half of a double, whose lower half is zero
// for all small numbers. So a count becomes a number by a mask or a shift, and takes half of the memory.
using CountPair = std::uint64_t;
inline constexpr std::size_t pairs_together = replicates_together / 2;

// Where the sum of replicate b of a group stands. The upper halves of the pairs come first, then the lower ones; a pair
// is two words of a random block, and the first words of sixteen blocks stand together, then the second ones.
constexpr std::size_t replicate_place(std::size_t b) noexcept {
  const std::size_t block = b / 4, word = b % 4;
  const std::size_t pair = (word / 2) * (pairs_together / 2) + block;
  return word % 2 == 1 ? pair : pairs_together + pair;
}

// How often the episode counts in replicate b of the group.
inline double replicate_count(std::span<const CountPair, pairs_together> counts, std::size_t b) noexcept {
  const std::size_t place = replicate_place(b);
  return bits_as<double>(place < pairs_together ? counts[place] >> 32 << 32 : counts[place - pairs_together] << 32);
}

// How often these episodes count in replicates first, first + 1, ...: Poisson(1), the numbers of ReplicateCounts.
// `first` is a multiple of 4; `out` has pairs_together entries for each episode.
void draw_counts(Seed seed, std::span<const std::uint64_t> items, std::int64_t first, std::span<CountPair> out);

// What some episodes add to sums, place by place. A term is an episode and what it adds.
struct PlacedTerms {
  std::vector<std::uint32_t> place{};    // ascending
  std::vector<std::size_t> begin{0};     // the terms of place[k] are begin[k] .. begin[k+1]
  std::vector<std::uint32_t> episode{};  // within these episodes
  std::vector<double> weight{};          // short ones
};

// The number next to a weight that leaves the last four bits free: times a count, which is at most 13, it is exact, and
// then a fused multiply-add has the bits of a product and a sum, on machines that have it and on those that do not.
inline double short_weight(double weight) noexcept {
  return bits_as<double>((bits_as<std::uint64_t>(weight) + 8) & ~std::uint64_t{15});
}

// sums[place] += weight * count for all replicates of a group, in the order of the terms. A place has
// `replicates_together` sums beside each other, an episode `pairs_together` pairs of counts.
void add_terms(const PlacedTerms& terms, std::span<const CountPair> counts, std::span<double> sums);

}  // namespace starope
