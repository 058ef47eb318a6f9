#include "starope/auto/markov.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace starope {
namespace {

// Differences 1 +- 1, equally often: mean 1, sd sqrt(100/99), neff = 100, t(0.99, 99) = 2.364606.
TEST(MarkovTest, ComparesTheShiftWithGapAndNoise) {
  const std::vector<double> one(100, 3.0);
  std::vector<double> two;
  for (int i = 0; i < 100; ++i) two.push_back(3.0 + (i % 2 == 0 ? 2.0 : 0.0));
  const MarkovTest test = test_markov(one, two, 0.5);
  EXPECT_NEAR(test.delta, 1.0, 1e-12);
  EXPECT_NEAR(test.delta_se, 0.1 * std::sqrt(100.0 / 99.0), 1e-12);
  EXPECT_NEAR(test.scores, 100.0, 1e-9);
  EXPECT_NEAR(test.threshold, 0.5 + 2.364606 * test.delta_se, 1e-6);
  EXPECT_FALSE(test.markov);
  EXPECT_TRUE(test_markov(one, two, 0.9).markov);
}

// What neither gap nor noise explains: (1 - 0.3)^2 - 0.1^2 100/99.
TEST(MarkovTest, KnowsWhatIsLeftUnexplained) {
  const std::vector<double> one(100, 3.0);
  std::vector<double> two;
  for (int i = 0; i < 100; ++i) two.push_back(3.0 + (i % 2 == 0 ? 2.0 : 0.0));
  EXPECT_NEAR(test_markov(one, two, 0.3).unexplained(), 0.49 - 0.01 * 100.0 / 99.0, 1e-12);
  EXPECT_EQ(test_markov(one, two, 0.95).unexplained(), 0.0);  // less than noise is left
  EXPECT_EQ(test_markov(one, two, 3.0).unexplained(), 0.0);   // the gap explains it all
}

TEST(MarkovTest, AsksForMoreWhereFewEpisodesDecide) {
  std::vector<double> two(50, 0.0);
  two[0] = 10.0;  // neff near 1
  const MarkovTest test = test_markov(std::vector<double>(50, 0.0), two, 0.0);
  EXPECT_LT(test.scores, 8.0);
  EXPECT_NEAR(test.threshold, 5.0 * test.delta_se, 1e-12);
  EXPECT_TRUE(test.markov);
}

TEST(MarkovTest, IsSilentForOneEpisodeAndForNoDifference) {
  EXPECT_TRUE(test_markov(std::vector<double>{1.0}, std::vector<double>{9.0}, 0.0).markov);
  EXPECT_TRUE(test_markov(std::vector<double>(9, 1.0), std::vector<double>(9, 1.0), 0.0).markov);
  EXPECT_TRUE(test_markov(std::vector<double>(9, 1.0), std::vector<double>(9, 1.0 + 1e-15), 0.0).markov);  // rounding
}

}  // namespace
}  // namespace starope
