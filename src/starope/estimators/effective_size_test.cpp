#include "starope/estimators/effective_size.hpp"

#include <gtest/gtest.h>

#include "starope/data/log_vectors.hpp"
#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

Problem problem_with(const std::vector<std::vector<double>>& ratios) {
  testing::LogVectors c;
  for (const auto& episode : ratios) {
    for (const double ratio : episode) {
      c.rewards.push_back(1.0);
      c.behavior.push_back(0.125);
      c.target.push_back(0.125 * ratio);
    }
    c.end_episode();
  }
  return make_problem(std::move(c).dataset());
}

TEST(EffectiveEpisodes, HandComputedProducts) {
  // Products 2 * 3 = 6, 1 and 0.5 * 4 = 2: (6 + 1 + 2)^2 / (36 + 1 + 4).
  EXPECT_NEAR(effective_episodes(problem_with({{2, 3}, {1}, {0.5, 4}})), 81.0 / 41.0, 1e-12);
}

TEST(EffectiveEpisodes, HandComputedWindows) {
  // Clip 1: weights 2, 3, 1, 0.5, 4: 3 episodes x 10.5^2 / (5 x 30.25).
  EXPECT_NEAR(effective_episodes(problem_with({{2, 3}, {1}, {0.5, 4}}), Clip::last(1)), 3 * 10.5 * 10.5 / (5 * 30.25),
              1e-12);
}

TEST(EffectiveEpisodes, AllEpisodesCountOnPolicy) {
  const Problem problem = testing::random_problem({.episodes = 37, .on_policy = true}, Seed{1});
  EXPECT_NEAR(effective_episodes(problem), 37.0, 1e-9);
  EXPECT_NEAR(effective_episodes(problem, Clip::none()), 37.0, 1e-9);
}

TEST(EffectiveEpisodes, SurviveProductsThatAreNoDoubles) {
  const std::vector<double> doubling(3000, 2.0), halving(3000, 0.5);
  EXPECT_NEAR(effective_episodes(problem_with({doubling, doubling, halving})), 2.0, 1e-12);
  EXPECT_NEAR(effective_episodes(problem_with({halving, halving, halving})), 3.0, 1e-12);
  // Weights 2^1..2^3000 twice: sum ~ 2 * 2^3001, squares ~ 2 * 4^3000 * 4/3: (sum^2 / squares) = 6; 2 episodes of 3000.
  EXPECT_NEAR(effective_episodes(problem_with({doubling, doubling}), Clip::none()), 2 * 6.0 / 6000, 1e-9);
}

TEST(EffectiveEpisodes, NoSupportIsZero) {
  EXPECT_EQ(effective_episodes(problem_with({{0, 1}, {0}})), 0.0);
  EXPECT_EQ(effective_episodes(problem_with({{0}, {0}}), Clip::last(1)), 0.0);
}

TEST(LowEss, SpeaksBelowTenEffectiveEpisodes) {
  EXPECT_FALSE(low_ess(10.0, 1000));
  EXPECT_EQ(low_ess(9.9, 1000)->severity, Severity::warning);
  EXPECT_EQ(low_ess(1.5, 1000)->severity, Severity::critical);
  EXPECT_EQ(low_ess(3.1, 1000)->code, "low_ess");
  EXPECT_NE(text(*low_ess(3.1, 1000)).find("1,000 episodes"), std::string::npos);
}

// Ten steps of ratio 1/2 in every episode: equal weights of 2^-10.
TEST(MissingWeight, IsFoundAlthoughAllWeightsAreEqual) {
  const Problem problem = problem_with(std::vector(20, std::vector<double>(10, 0.5)));
  EXPECT_NEAR(effective_episodes(problem), 20.0, 1e-9);
  const auto finding = missing_weight(problem);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->code, "missing_weight");
  EXPECT_NE(text(*finding).find("0.00098"), std::string::npos);
  EXPECT_FALSE(missing_weight(problem.with({.discount = problem.discount(), .horizon = Horizon{3}})));
}

}  // namespace
}  // namespace starope
