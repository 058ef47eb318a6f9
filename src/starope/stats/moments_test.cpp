#include "starope/stats/moments.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "starope/error.hpp"
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

// However the scores are split, and however large they are: what effective_scores finds in all of them.
TEST(ScoreMoments, SayWhatTheScoresSay) {
  Random random(Seed{1}, Stream::test_data, 0);
  for (const double size : {1.0, 1e-120, 1e120}) {
    std::vector<double> scores;
    for (int i = 0; i < 500; ++i) scores.push_back(size * (3.0 + random.normal() * (i % 50 == 0 ? 20.0 : 1.0)));
    const Moments plain = moments(scores);
    std::vector<double> centered = scores;
    for (double& x : centered) x -= plain.mean();
    const double expected = effective_scores(centered);
    ScoreMoments all, left, right;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      all.add(scores[i]);
      (i < 123 ? left : right).add(scores[i]);
    }
    EXPECT_EQ(all.plain().mean(), plain.mean());
    EXPECT_EQ(all.plain().standard_error(), plain.standard_error());
    EXPECT_NEAR(all.effective_scores(), expected, 1e-10 * expected);
    ScoreMoments merged = right;
    merged += left;
    EXPECT_NEAR(merged.effective_scores(), expected, 1e-10 * expected);
    EXPECT_NEAR(merged.plain().variance(), plain.variance(), 1e-12 * plain.variance());
    merged += ScoreMoments{};
    EXPECT_EQ(merged.plain().count(), 500);
  }
  ScoreMoments same;
  for (int i = 0; i < 5; ++i) same.add(2.5);
  EXPECT_EQ(same.effective_scores(), 0.0);
}

TEST(ScoreMoments, AWeightIsARepetition) {
  ScoreMoments weighted, repeated;
  for (const double x : {3.0, -1.0, 10.0, 2.5}) {
    weighted.add(x, 3.0);
    for (int k = 0; k < 3; ++k) repeated.add(x);
  }
  EXPECT_EQ(weighted.plain().count(), 12);
  EXPECT_NEAR(weighted.plain().mean(), repeated.plain().mean(), 1e-15);
  EXPECT_NEAR(weighted.plain().variance(), repeated.plain().variance(), 1e-13);
  EXPECT_NEAR(weighted.effective_scores(), repeated.effective_scores(), 1e-13);
  Moments halves;
  halves.add(1.0, 0.5);
  halves.add(3.0, 1.5);
  EXPECT_EQ(halves.times(), 2.0);
  EXPECT_EQ(halves.mean(), 2.5);
}

TEST(ScoreMoments, ComeBackFromTheirBytes) {
  ScoreMoments moments;
  for (const double x : {1e200, -3.0, 0.1}) moments.add(x);
  for (const ScoreMoments& given : {moments, ScoreMoments{}}) {
    ByteWriter to;
    given.write(to);
    ByteReader from(to.bytes(), "test");
    EXPECT_EQ(ScoreMoments::read(from), given);
    from.finish();
  }
  ByteWriter negative;
  for (const double x : {-1.0, 0.0, 0.0}) negative.number(x);
  ByteReader from(negative.bytes(), "test");
  EXPECT_THROW(Moments::read(from), DataError);
}

}  // namespace
}  // namespace starope
