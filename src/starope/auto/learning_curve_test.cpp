#include "starope/auto/learning_curve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starope {
namespace {

using ::testing::ElementsAre;

// Scores 0 and 2 have a standard error of 1; halves that are 4 apart have one of 2, which is the larger.
TEST(LearningCurve, ForetellsWhatNoiseDoesNotExplain) {
  FamilyScores family{.scores = {0.0, 2.0}};
  EXPECT_DOUBLE_EQ(foretold(family, 1.0), 2.4 * 2.4 - 2.0);
  EXPECT_DOUBLE_EQ(foretold(family, -1.0), 2.4 * 2.4 - 2.0);
  EXPECT_EQ(foretold(family, 0.5), 0.0);
  family.halves = {{1.0, 5.0}, {5.0, 1.0}};
  EXPECT_DOUBLE_EQ(foretold(family, 2.0), 4.8 * 4.8 - 8.0);
}

TEST(LearningCurve, IsThatOfCellsWavesAndActions) {
  LearningCurve curve{.cells = 1.0, .waves = 2.0, .actions = 3.0};
  EXPECT_EQ(*shift_of(curve, FamilyKind::cells), 1.0);
  EXPECT_EQ(*shift_of(curve, FamilyKind::waves), 2.0);
  EXPECT_EQ(*shift_of(curve, FamilyKind::actions), 3.0);
  EXPECT_EQ(shift_of(curve, FamilyKind::anchor), nullptr);
}

TEST(LearningCurve, OfFamiliesOnFeaturesOfIdsHasAtLeastThatOfTheCells) {
  std::vector<FamilyScores> families{{.kind = FamilyKind::cells, .learning = 2.0},
                                     {.kind = FamilyKind::waves, .learning = 3.0},
                                     {.kind = FamilyKind::actions, .learning = 1.0},
                                     {.kind = FamilyKind::anchor},
                                     {.kind = FamilyKind::traces},
                                     {.kind = FamilyKind::other_cells}};
  learn_as_cells(families);
  std::vector<double> learning;
  for (const FamilyScores& family : families) learning.push_back(family.learning);
  EXPECT_THAT(learning, ElementsAre(2.0, 3.0, 2.0, 0.0, 0.0, 2.0));
}

}  // namespace
}  // namespace starope
