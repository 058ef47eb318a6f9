#include "starope/stats/scaled.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace starope {
namespace {

TEST(Scaled, ModerateProductsAreOrdinaryProducts) {
  const Scaled product = Scaled::of(1.8) * Scaled::of(0.2) * Scaled::of(3.0);
  EXPECT_EQ(product.exponent, 0);
  EXPECT_EQ(product.mantissa, 1.8 * 0.2 * 3.0);
}

TEST(Scaled, LongProductsNeitherOverflowNorVanish) {
  Scaled up, down, both;
  for (int i = 0; i < 5000; ++i) {
    up = up * Scaled::of(1.5);
    down = down * Scaled::of(1.0 / 1.5);
    both = both * Scaled::of(4.0) * Scaled::of(0.25);
  }
  EXPECT_GT(up.exponent, 0);
  EXPECT_LT(down.exponent, 0);
  EXPECT_NEAR((up * down).to_double(), 1.0, 1e-12);
  EXPECT_EQ(both.to_double(), 1.0);
  const double log2_up = std::log2(up.mantissa) + 256.0 * up.exponent;
  EXPECT_NEAR(log2_up, 5000 * std::log2(1.5), 1e-8);
}

TEST(Scaled, AZeroFactorMakesZero) {
  const Scaled zero = Scaled::of(1e300) * Scaled::of(0.0) * Scaled::of(1e300);
  EXPECT_EQ(zero.to_double(), 0.0);
  EXPECT_EQ(zero.exponent, 0);
}

TEST(Scaled, ExtremeDoublesComeBackUnchanged) {
  for (const double x : {1e-320, 2.3e-308, 1e-100, -7.0, 1e100, 1.7e308}) EXPECT_EQ(Scaled::of(x).to_double(), x);
}

TEST(Scaled, WhatIsNotFiniteEndsAndIsNotForgotten) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Scaled::of(infinity).to_double(), infinity);
  EXPECT_EQ(Scaled::of(-infinity).to_double(), -infinity);
  EXPECT_TRUE(std::isnan(Scaled::of(std::nan("")).to_double()));
  EXPECT_EQ((Scaled::of(infinity) * Scaled::of(1e-300) * Scaled::of(1e-300)).to_double(), infinity);
  EXPECT_TRUE(std::isnan((Scaled::of(infinity) * Scaled::of(0.0)).to_double()));
  ScaledSum sum;
  sum.add(Scaled::of(1.0));
  sum.add(Scaled::of(infinity));
  sum.add(Scaled::of(-1e300) * Scaled::of(1e300));
  EXPECT_FALSE(std::isfinite(sum.to_double()));
}

TEST(ScaledSum, QuotientsOfHugeSumsAreExactWhereDoublesOverflow) {
  ScaledSum a, b;
  Scaled w;
  for (int i = 0; i < 4000; ++i) w = w * Scaled::of(2.0);
  a.add(w * Scaled::of(3.0));
  b.add(w);
  b.add(Scaled::of(1.0));  // far below the resolution of the sum
  EXPECT_EQ(ratio(a, b), 3.0);
  EXPECT_TRUE(std::isinf(a.to_double()));
}

TEST(ScaledSum, MergingInAnyOrderGivesTheSameSum) {
  Scaled small;
  for (int i = 0; i < 3000; ++i) small = small * Scaled::of(0.5);
  ScaledSum left, right;
  left.add(small);
  right.add(Scaled::of(1.0));
  ScaledSum ab = left, ba = right;
  ab += right;
  ba += left;
  EXPECT_EQ(ab, ba);
  EXPECT_EQ(ab.to_double(), 1.0);
  ScaledSum only_small;
  only_small.add(small);
  only_small.add(small);
  EXPECT_EQ(ratio(only_small, left), 2.0);  // tiny sums keep their digits as long as nothing larger comes
}

// Bytes that were read may hold any exponent: 256 times it need not be an int.
TEST(Scaled, FarBeyondDoublesIsInfiniteOrZero) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  for (const int exponent : {16, 16'777'215, 16'777'216, 1 << 30}) {
    EXPECT_EQ((Scaled{1.0, exponent}.to_double()), infinite);
    EXPECT_EQ((Scaled{-5e-324, exponent}.to_double()), -infinite);
    EXPECT_EQ((Scaled{1.0, -exponent}.to_double()), 0.0);
    EXPECT_EQ((Scaled{infinite, -exponent}.to_double()), infinite);
  }
}

}  // namespace
}  // namespace starope
