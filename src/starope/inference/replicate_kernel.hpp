#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "starope/types.hpp"

namespace starope {

// Replicates of a bootstrap that are added up beside each other.
inline constexpr std::size_t replicates_together = 64;

// Where replicate b of such a group stands: the words of sixteen random blocks are kept together, two by two.
constexpr std::size_t replicate_place(std::size_t b) noexcept {
  const std::size_t block = b / 4, word = b % 4;
  return (word / 2) * (replicates_together / 2) + 2 * block + word % 2;
}

// How often one episode counts in replicates first, first + 1, ...: Poisson(1), the numbers of ReplicateCounts, in the
// order of replicate_place. `first` is a multiple of 4.
void draw_counts(Seed seed, std::uint64_t item, std::int64_t first, std::span<float, replicates_together> out);

// What some episodes add to sums, place by place. A term is an episode and what it adds.
struct PlacedTerms {
  std::vector<std::uint32_t> place{};    // ascending
  std::vector<std::size_t> begin{0};     // the terms of place[k] are begin[k] .. begin[k+1]
  std::vector<std::uint32_t> episode{};  // within these episodes
  std::vector<double> weight{};
};

// sums[place] += weight * counts[episode] for all replicates of a group, in the order of the terms. Both arrays have
// `replicates_together` numbers beside each other.
void add_terms(const PlacedTerms& terms, std::span<const float> counts, std::span<double> sums);

}  // namespace starope
