#include "starope/inference/replicate_kernel.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <span>
#include <vector>

#include "starope/base/bits.hpp"
#include "starope/base/instruction_sets.hpp"
#include "starope/data/random_logs.hpp"
#include "starope/inference/replicate_counts.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

TEST(ReplicateKernel, PlacesAreAPermutation) {
  std::set<std::size_t> places;
  for (std::size_t b = 0; b < replicates_together; ++b) places.insert(replicate_place(b));
  EXPECT_EQ(places.size(), replicates_together);
  EXPECT_EQ(*places.rbegin(), replicates_together - 1);
}

// Two ways to the same random numbers: block by block, and many blocks beside each other.
TEST(ReplicateKernel, CountsAreThoseOfSingleReplicates) {
  const Dataset data = testing::random_problem({.episodes = 200}, Seed{3}, {}).data();
  const ReplicateCounts counts(data, Seed{0xfedcba9876543210ULL});
  int large = 0;
  for (const std::int64_t first : {0, 64, 640}) {
    std::vector<std::vector<double>> single;
    for (std::int64_t b = 0; b < 64; ++b) single.push_back(counts.of_replicate(first + b));
    testing::for_each_instruction_set([&] {
      std::vector<CountPair> together(199 * pairs_together);
      counts.of_episodes_together(1, 200, first, together);
      for (std::size_t e = 1; e < 200; ++e) {
        const auto of_episode = std::span<const CountPair>(together).subspan((e - 1) * pairs_together);
        for (std::size_t b = 0; b < 64; ++b) {
          ASSERT_EQ(replicate_count(of_episode.first<pairs_together>(), b), single[b][e]) << e << " " << b;
          large += single[b][e] >= 7.0 ? 1 : 0;
        }
      }
    });
  }
  EXPECT_GT(large, 0);  // 3 of 38,208 expected: rare counts are among those that were compared
}

TEST(ReplicateKernel, ShortWeightsAreNearAndTheirMultiplesExact) {
  Random random(Seed{2}, Stream::test_data, 0);
  EXPECT_EQ(short_weight(0.0), 0.0);
  EXPECT_EQ(short_weight(-1.5), -1.5);
  EXPECT_EQ(short_weight(std::nextafter(2.0, 1.0)), 2.0);
  int rounded = 0;
  for (int i = 0; i < 1000; ++i) {
    const double weight = random.normal(), kept = short_weight(weight);
    EXPECT_LE(std::abs(kept - weight), std::ldexp(std::abs(weight), -49));
    rounded += kept != weight ? 1 : 0;
    for (int count = 0; count <= 13; ++count) {
      const double times = count, product = kept * times;
      EXPECT_EQ(std::fma(kept, times, -product), 0.0) << count;  // nothing was rounded away
    }
  }
  EXPECT_GT(rounded, 900);
}

TEST(ReplicateKernel, TermsAreAddedInTheirOrder) {
  Random random(Seed{1}, Stream::test_data, 0);
  constexpr std::size_t episodes = 9, places = 4;
  std::vector<double> count_of;  // of episode and replicate
  std::vector<CountPair> counts(episodes * pairs_together);
  for (std::size_t e = 0; e < episodes; ++e) {
    for (std::size_t b = 0; b < replicates_together; ++b) {
      count_of.push_back(static_cast<double>(random.below(14)));
      const CountPair half = bits_as<CountPair>(count_of.back()) >> 32;
      const std::size_t place = replicate_place(b);
      counts[e * pairs_together + place % pairs_together] |= place < pairs_together ? half << 32 : half;
    }
  }
  PlacedTerms terms;
  std::vector<double> sums(places * replicates_together, 0.25), expected = sums;
  for (const std::uint32_t place : {0U, 2U, 3U}) {
    terms.place.push_back(place);
    for (std::uint32_t e = place; e < episodes; e += 2) {
      const double weight = short_weight(random.normal());
      terms.episode.push_back(e);
      terms.weight.push_back(weight);
      for (std::size_t b = 0; b < replicates_together; ++b)
        expected[place * replicates_together + replicate_place(b)] += weight * count_of[e * replicates_together + b];
    }
    terms.begin.push_back(terms.episode.size());
  }
  const std::vector<double> before = sums;
  testing::for_each_instruction_set([&] {
    sums = before;
    add_terms(terms, counts, sums);
    EXPECT_EQ(sums, expected);
  });
}

}  // namespace
}  // namespace starope
