#include "starope/stats/moments.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "starope/rng/random.hpp"

namespace starope {
namespace {

TEST(Moments, HandComputedCase) {
  const std::vector<double> sample{2, 4, 4, 4, 5, 5, 7, 9};
  const Moments m = moments(sample);
  EXPECT_EQ(m.count(), 8);
  EXPECT_DOUBLE_EQ(m.mean(), 5.0);
  EXPECT_DOUBLE_EQ(m.variance(), 32.0 / 7.0);
  EXPECT_DOUBLE_EQ(m.standard_error(), std::sqrt(32.0 / 7.0 / 8.0));
}

TEST(Moments, MergingSplitsEqualsOnePass) {
  std::vector<double> sample(1000);
  Random random(Seed{1}, Stream::test_data, 1);
  for (double& x : sample) x = 1e6 + random.normal();  // a large mean: the naive formula loses all digits here
  const Moments whole = moments(sample);
  for (const std::size_t cut : {0u, 1u, 500u, 999u, 1000u}) {
    Moments parts = moments({sample.data(), cut});
    parts += moments({sample.data() + cut, sample.size() - cut});
    EXPECT_EQ(parts.count(), whole.count());
    EXPECT_NEAR(parts.mean(), whole.mean(), 1e-9);
    EXPECT_NEAR(parts.variance(), whole.variance(), 1e-8);
  }
  EXPECT_NEAR(whole.variance(), 1.0, 0.2);
}

TEST(Moments, FewerThanTwoObservationsHaveNoSpread) {
  EXPECT_EQ(Moments{}.standard_error(), 0.0);
  EXPECT_EQ(moments(std::vector<double>{3.0}).variance(), 0.0);
}

TEST(EffectiveSampleSize, CountsEqualWeightsAndIgnoresScale) {
  EXPECT_DOUBLE_EQ(effective_sample_size(std::vector<double>{2, 2, 2, 2}), 4.0);
  EXPECT_DOUBLE_EQ(effective_sample_size(std::vector<double>{5, 0, 0}), 1.0);
  EXPECT_DOUBLE_EQ(effective_sample_size(std::vector<double>{1e300, 1e300}), 2.0);
  EXPECT_DOUBLE_EQ(effective_sample_size(std::vector<double>{1, 3}), 16.0 / 10.0);
  EXPECT_EQ(effective_sample_size(std::vector<double>{0, 0}), 0.0);
}

TEST(EffectiveScores, CountsScoresOfEqualSize) {
  EXPECT_DOUBLE_EQ(effective_scores(std::vector<double>{1, -1, 1, -1}), 4.0);
  EXPECT_DOUBLE_EQ(effective_scores(std::vector<double>{1e200, 0, 0}), 1.0);
  EXPECT_EQ(effective_scores(std::vector<double>{}), 0.0);
}

}  // namespace
}  // namespace starope
