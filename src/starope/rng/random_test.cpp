#include "starope/rng/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace starope {
namespace {

TEST(RandomBits, AreAFunctionOfSeedStreamItemAndDraw) {
  Random random(Seed{42}, Stream::rollout, 7);
  for (std::uint32_t draw = 0; draw < 9; ++draw) {
    EXPECT_EQ(random.bits(), random_bits(Seed{42}, Stream::rollout, 7, draw));
  }
}

TEST(RandomBits, ChangeWithEveryArgument) {
  std::set<std::uint64_t> seen;
  const std::uint64_t far = std::uint64_t{1} << 40;  // the upper halves of seed and item count too
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, far}) {
    for (const Stream stream : {Stream::rollout, Stream::bootstrap}) {
      for (const std::uint64_t item : {std::uint64_t{0}, std::uint64_t{1}, far}) {
        for (std::uint32_t draw = 0; draw < 4; ++draw) seen.insert(random_bits(Seed{seed}, stream, item, draw));
      }
    }
  }
  EXPECT_EQ(seen.size(), 3u * 2u * 3u * 4u);
}

TEST(Random, UniformHasTheMomentsOfTheUniformDistribution) {
  constexpr int n = 200000;
  double sum = 0, squares = 0, low = 1, high = 0;
  Random random(Seed{1}, Stream::test_data, 0);
  for (int i = 0; i < n; ++i) {
    const double u = random.uniform();
    sum += u;
    squares += u * u;
    low = std::min(low, u);
    high = std::max(high, u);
  }
  EXPECT_GE(low, 0.0);
  EXPECT_LT(high, 1.0);
  EXPECT_NEAR(sum / n, 0.5, 5 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(squares / n, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / n));
}

TEST(Random, NormalHasTheMomentsOfTheNormalDistribution) {
  constexpr int n = 200000;
  double sum = 0, squares = 0, fourth = 0;
  Random random(Seed{2}, Stream::test_data, 0);
  for (int i = 0; i < n; ++i) {
    const double x = random.normal();
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
  }
  EXPECT_NEAR(sum / n, 0.0, 5 * std::sqrt(1.0 / n));
  EXPECT_NEAR(squares / n, 1.0, 5 * std::sqrt(2.0 / n));
  EXPECT_NEAR(fourth / n, 3.0, 5 * std::sqrt(96.0 / n));
}

TEST(Random, BelowIsUniformOverItsRange) {
  constexpr int n = 70000, sides = 7;
  std::array<int, sides> count{};
  Random random(Seed{3}, Stream::test_data, 0);
  for (int i = 0; i < n; ++i) ++count.at(random.below(sides));
  constexpr double expected = 1.0 * n / sides;
  for (const int c : count) EXPECT_NEAR(c, expected, 5 * std::sqrt(expected));
  EXPECT_EQ(random.below(1), 0u);
}

TEST(PoissonOne, HasTheProbabilitiesOfThePoissonDistribution) {
  constexpr int n = 200000;
  std::array<int, 32> count{};
  Random random(Seed{4}, Stream::bootstrap, 0);
  for (int i = 0; i < n; ++i) ++count.at(poisson_one(random.bits()));
  double probability = std::exp(-1.0);
  for (int k = 0; k < 6; ++k) {
    EXPECT_NEAR(count.at(k), n * probability, 5 * std::sqrt(n * probability)) << k;
    probability /= k + 1;
  }
  EXPECT_EQ(poisson_one(0), 0);
  EXPECT_LT(poisson_one(~std::uint64_t{0}), 32);
}

TEST(SampleWithoutReplacement, GivesDistinctNumbersOfTheRange) {
  Random random(Seed{5}, Stream::split, 0);
  const auto some = sample_without_replacement(random, 1000, 100);
  EXPECT_EQ(std::set(some.begin(), some.end()).size(), 100u);
  EXPECT_GE(*std::min_element(some.begin(), some.end()), 0);
  EXPECT_LT(*std::max_element(some.begin(), some.end()), 1000);
  const auto all = sample_without_replacement(random, 10, 99);
  EXPECT_EQ(std::set(all.begin(), all.end()), (std::set<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

// Few of many are drawn in another way than many of them.
TEST(SampleWithoutReplacement, TheFirstDoNotDependOnHowManyFollow) {
  constexpr std::int64_t population = 100'000;
  Random random(Seed{7}, Stream::split, 0), again = random;
  const auto few = sample_without_replacement(random, population, 1000);
  const auto more = sample_without_replacement(again, population, 50'000);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), more.begin()));
}

TEST(SampleWithoutReplacement, EveryPairIsEquallyLikely) {
  std::array<std::array<int, 4>, 4> count{};
  constexpr int n = 24000;
  for (int i = 0; i < n; ++i) {
    Random random(Seed{6}, Stream::split, static_cast<std::uint64_t>(i));
    const auto pair = sample_without_replacement(random, 4, 2);
    ++count.at(pair[0]).at(pair[1]);
  }
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b < 4; ++b) {
      if (a != b) {
        EXPECT_NEAR(count.at(a).at(b), n / 12.0, 5 * std::sqrt(n / 12.0));
      }
    }
  }
}

}  // namespace
}  // namespace starope
