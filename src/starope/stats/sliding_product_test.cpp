#include "starope/stats/sliding_product.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "starope/rng/random.hpp"

namespace starope {
namespace {

double product_of_last(const std::vector<double>& factors, std::size_t t, std::size_t window) {
  double product = 1.0;
  for (std::size_t j = t + 1 > window ? t + 1 - window : 0; j <= t; ++j) product *= factors[j];
  return product;
}

TEST(SlidingProduct, EqualsTheDefinitionAlsoAroundZeros) {
  for (std::uint64_t repetition = 0; repetition < 50; ++repetition) {
    Random random(Seed{11}, Stream::test_data, repetition);
    std::vector<double> factors(60);
    for (double& f : factors) f = random.uniform() < 0.1 ? 0.0 : std::exp(random.normal());
    for (const std::size_t window : {1u, 2u, 3u, 5u, 17u, 60u, 100u}) {
      SlidingProduct product(Clip::last(static_cast<std::int64_t>(window)));
      for (std::size_t t = 0; t < factors.size(); ++t) {
        const double expected = product_of_last(factors, t, window);
        EXPECT_NEAR(product.push(factors[t]).to_double(), expected, 1e-13 * expected) << t << " of window " << window;
      }
    }
  }
}

TEST(SlidingProduct, WithoutClipIsTheRunningProduct) {
  SlidingProduct product(Clip::none());
  double expected = 1.0;
  for (const double f : {2.0, 0.5, 3.0, 0.1}) EXPECT_DOUBLE_EQ(product.push(f).to_double(), expected *= f);
  EXPECT_EQ(product.push(0.0).to_double(), 0.0);
  EXPECT_EQ(product.push(5.0).to_double(), 0.0);
}

TEST(SlidingProduct, RecoversFromZerosAndFromHugeFactors) {
  SlidingProduct product(Clip::last(2));
  product.push(1e300);
  const Scaled huge = product.push(1e300);  // 1e600 is no double
  EXPECT_NEAR(std::log10(huge.mantissa) + 256 * huge.exponent * std::log10(2.0), 600.0, 1e-9);
  product.push(0.0);
  EXPECT_EQ(product.push(7.0).to_double(), 0.0);
  EXPECT_EQ(product.push(3.0).to_double(), 21.0);
}

TEST(SlidingProduct, ResetForgetsTheEpisode) {
  SlidingProduct product(Clip::last(3));
  for (const double f : {2.0, 3.0, 4.0, 5.0}) product.push(f);
  product.reset();
  EXPECT_EQ(product.push(7.0).to_double(), 7.0);
}

}  // namespace
}  // namespace starope
