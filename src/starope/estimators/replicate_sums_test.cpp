#include "starope/estimators/replicate_sums.hpp"

#include <gtest/gtest.h>

#include "starope/rng/random.hpp"

namespace starope {
namespace {

// Against one ScaledSum per replicate; in halves that are merged, and with exponents that are all equal, or not, or so
// far apart that replicates without the largest term have nothing of its size; or nearly all different.
TEST(ReplicateSums, AreTheSumsOfEveryReplicate) {
  for (const int spread : {0, 1, 40, 1000}) {
    Random random(Seed{6}, Stream::test_data, static_cast<std::uint64_t>(spread));
    constexpr std::size_t replicates = 7;
    std::vector<ScaledSum> expected(replicates);
    ReplicateSums first, second;
    for (int i = 0; i < 60; ++i) {
      Scaled term{random.uniform(0.5, 2.0), spread == 0 ? 3 : static_cast<int>(random.below(2)) * spread - spread / 2};
      if (spread == 1000) term.exponent += static_cast<int>(random.below(30));
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

// Two sums, of which one begins with a zero, against the same terms one by one; added twice, so that the second call
// finds the units of the first.
TEST(ReplicateSums, TakeManyTermsAtOnce) {
  for (const int spread : {0, 1, 40}) {
    Random random(Seed{7}, Stream::test_data, static_cast<std::uint64_t>(spread));
    constexpr std::size_t replicates = 11, count = 30;
    ReplicateSums together[2], single[2];
    for (int call = 0; call < 2; ++call) {
      std::vector<Scaled> terms;
      std::vector<double> times;
      for (std::size_t e = 0; e < count; ++e) {
        terms.push_back({random.uniform(0.5, 2.0), 2});
        terms.push_back(e == 0 ? Scaled{0.0, 0}
                               : Scaled{random.uniform(-2.0, 2.0),
                                        static_cast<int>(e % 2) * (spread + static_cast<int>(e) * (spread / 40))});
        for (std::size_t b = 0; b < replicates; ++b) times.push_back(static_cast<double>(random.below(3)));
        for (std::size_t s = 0; s < 2; ++s)
          single[s].add(terms[2 * e + s], std::span(times).subspan(e * replicates, replicates));
      }
      ReplicateSums* const sums[] = {&together[0], &together[1]};
      ReplicateSums::add_all(sums, terms, times, replicates);
    }
    for (std::size_t b = 0; b < replicates; ++b) {
      for (std::size_t s = 0; s < 2; ++s) {
        EXPECT_EQ(together[s].at(b).scale, single[s].at(b).scale);
        EXPECT_NEAR(together[s].at(b).sum, single[s].at(b).sum, 1e-13 * count);
      }
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
