#include "starope/estimators/replicate_sums.hpp"

#include <gtest/gtest.h>

#include "starope/rng/random.hpp"

namespace starope {
namespace {

// Against one ScaledSum per replicate; in halves that are merged, and with exponents that are all equal, or not, or so
// far apart that replicates without the largest term have nothing of its size.
TEST(ReplicateSums, AreTheSumsOfEveryReplicate) {
  for (const int spread : {0, 1, 40}) {
    Random random(Seed{6}, Stream::test_data, static_cast<std::uint64_t>(spread));
    constexpr std::size_t replicates = 7;
    std::vector<ScaledSum> expected(replicates);
    ReplicateSums first, second;
    for (int i = 0; i < 60; ++i) {
      const Scaled term{random.uniform(0.5, 2.0),
                        spread == 0 ? 3 : static_cast<int>(random.below(2)) * spread - spread / 2};
      std::vector<double> times;
      for (std::size_t b = 0; b < replicates; ++b) {
        times.push_back(static_cast<double>(random.below(3)));
        if (b == 0 && term.exponent > 0 && spread > 0) times.back() = 0.0;
        expected[b].add({times[b] * term.mantissa, term.exponent});
      }
      (i < 25 ? first : second).add(term, times);
    }
    first += second;
    for (std::size_t b = 0; b < replicates; ++b) {
      EXPECT_EQ(first.at(b).scale, expected[b].scale);
      EXPECT_NEAR(first.at(b).sum, expected[b].sum, 1e-13 * expected[b].sum);
      EXPECT_GT(first.at(b).sum, 0.0);
    }
  }
}

TEST(ReplicateSums, AreZeroWithoutTerms) {
  ReplicateSums sums;
  sums += ReplicateSums{};
  EXPECT_EQ(sums.at(3), ScaledSum{});
  sums.add({2.0, 1}, std::vector<double>{0.0, 3.0});
  EXPECT_EQ(sums.at(0), ScaledSum{});
  EXPECT_EQ(sums.at(1), (ScaledSum{.sum = 6.0, .scale = 1, .empty = false}));
}

}  // namespace
}  // namespace starope
