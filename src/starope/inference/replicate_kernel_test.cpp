#include "starope/inference/replicate_kernel.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

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
    for (std::int64_t e = 0; e < 200; ++e) {
      std::array<float, replicates_together> together{};
      counts.of_episode_together(e, first, together);
      for (std::size_t b = 0; b < 64; ++b) {
        ASSERT_EQ(together[replicate_place(b)], single[b][e]) << e << " " << b;
        large += together[replicate_place(b)] >= 6.0F ? 1 : 0;
      }
    }
  }
  EXPECT_GT(large, 0);  // 23 of 38,400 expected: rare counts are among those that were compared
}

TEST(ReplicateKernel, TermsAreAddedInTheirOrder) {
  Random random(Seed{1}, Stream::test_data, 0);
  constexpr std::size_t episodes = 9, places = 4;
  std::vector<float> counts;
  for (std::size_t i = 0; i < episodes * replicates_together; ++i)
    counts.push_back(static_cast<float>(random.below(4)));
  PlacedTerms terms;
  std::vector<double> sums(places * replicates_together, 0.25), expected = sums;
  for (const std::uint32_t place : {0U, 2U, 3U}) {
    terms.place.push_back(place);
    for (std::uint32_t e = place; e < episodes; e += 2) {
      const double weight = random.normal();
      terms.episode.push_back(e);
      terms.weight.push_back(weight);
      for (std::size_t b = 0; b < replicates_together; ++b)
        expected[place * replicates_together + b] += weight * static_cast<double>(counts[e * replicates_together + b]);
    }
    terms.begin.push_back(terms.episode.size());
  }
  add_terms(terms, counts, sums);
  EXPECT_EQ(sums, expected);
}

}  // namespace
}  // namespace starope
