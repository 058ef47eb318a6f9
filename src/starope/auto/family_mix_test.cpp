#include "starope/auto/family_mix.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace starope {
namespace {

// Two families with the given scores on all levels and seeds.
CoalitionScores scores_of(const std::vector<double>& scores, std::size_t levels = 4) {
  return {.nested = std::vector(levels, scores), .by_seed = {scores, scores}};
}

const std::vector<double> wide{0.0, 8.0, 0.0, 8.0};    // mean 4, standard error sqrt(64/3)/2
const std::vector<double> narrow{3.0, 5.0, 3.0, 5.0};  // mean 4, a quarter of it

TEST(FamilyMix, WeighsTheFamiliesByTheirErrors) {
  const std::vector<HalfSample> halves{{.pooled = {4.0, 4.0}, .indexed = {4.0, 4.0}}};
  const FamilyMix mix = mix_families(scores_of(wide), scores_of(narrow), halves, 0.0);
  // m_pooled = 16 m_indexed, so a = 16/17.
  EXPECT_NEAR(mix.indexed_share, 16.0 / 17.0, 1e-12);
  EXPECT_EQ(mix.reason, MixReason::weighted);
  EXPECT_NEAR(mix.value, 4.0, 1e-12);
  EXPECT_NEAR(mix.scores[0], 16.0 / 17.0 * 3.0, 1e-12);
  EXPECT_EQ(mix.errors.families, 0.0);
  EXPECT_EQ(mix.errors.seeds, 0.0);
}

TEST(FamilyMix, TakesThePooledFamilyWhereTheOtherKnowsTooLittle) {
  EXPECT_EQ(mix_families(scores_of(wide), scores_of(narrow), {}, 0.2).reason, MixReason::late_steps);
  EXPECT_EQ(mix_families(scores_of(wide), scores_of(narrow), {}, 0.2).indexed_share, 0.0);
  const std::vector<HalfSample> off{{.pooled = {4.0, 4.0}, .indexed = {9.0, 9.0}}};
  const FamilyMix mix = mix_families(scores_of(wide), scores_of(narrow), off, 0.0);
  EXPECT_EQ(mix.reason, MixReason::unstable);
  EXPECT_EQ(mix.indexed_share, 0.0);
  EXPECT_NEAR(mix.indexed.instability, 5.0, 1e-12);
}

TEST(FamilyMix, GoesToTheMiddleWhereTheFamiliesDisagree) {
  std::vector<double> higher = narrow;
  for (double& s : higher) s += 6.0;
  const FamilyMix mix = mix_families(scores_of(narrow), scores_of(higher), {}, 0.0);
  EXPECT_EQ(mix.reason, MixReason::disagree);
  EXPECT_NEAR(mix.value, 7.0, 1e-12);
  EXPECT_NEAR(mix.errors.families, 9.0, 1e-12);
}

TEST(FamilyMix, AddsUpWhatItKnowsOfItsErrors) {
  CoalitionScores pooled = scores_of(narrow);
  pooled.nested[2] = {5.0, 7.0, 5.0, 7.0};  // the three finest levels: 2 higher
  pooled.by_seed = {{3.0, 3.0, 3.0, 3.0}, {5.0, 5.0, 5.0, 5.0}};
  const std::vector<HalfSample> halves{{.pooled = {1.0, 8.0}, .indexed = {0.0, 0.0}}};
  const FamilyMix mix = mix_families(pooled, scores_of(narrow), halves, 1.0);  // late: pooled only
  EXPECT_NEAR(mix.errors.score, 4.0 / 3.0 / 4.0, 1e-12);
  EXPECT_NEAR(mix.errors.half, 3.5 * 3.5, 1e-12);
  EXPECT_NEAR(mix.errors.instability, 0.5 * 0.5, 1e-12);
  EXPECT_NEAR(mix.errors.seeds, 2.0 / 2.0, 1e-12);
  EXPECT_NEAR(mix.errors.ladder, 4.0, 1e-12);
  EXPECT_NEAR(mix.errors.total(), 12.25 + 0.25 + 1.0 + 4.0, 1e-12);
}

}  // namespace
}  // namespace starope
