#include "starope/phi/grid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/clustering/testing.hpp"

namespace starope {
namespace {

using testing::dense_problem;
using testing::discrete_problem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Grid, EqualWidthBinsOnALine) {
  const auto fit = fit_grid({.bins = 4}, dense_problem(1, {0, 0.9, 1, 1.9, 2, 3, 4}, {7}));
  EXPECT_EQ(fit.labels.cells, 4);
  EXPECT_THAT(fit.labels.of_row, ElementsAre(0, 0, 1, 1, 2, 3, 3));  // the largest value is in the last bin
}

TEST(Grid, NumbersOccupiedCellsInLexicographicOrder) {
  // Bins (2 per dimension): (1,1) (0,1) (1,1) (0,0): three of four cells are occupied.
  const auto fit = fit_grid({.bins = 2}, dense_problem(2, {10, 10, 0, 9, 9, 8, 1, 0}, {4}));
  EXPECT_EQ(fit.labels.cells, 3);
  EXPECT_THAT(fit.labels.of_row, ElementsAre(2, 1, 2, 0));
}

TEST(Grid, AConstantDimensionHasOneBin) {
  const auto fit = fit_grid({.bins = 3}, dense_problem(2, {0, 7, 3, 7, 1.5, 7}, {3}));
  EXPECT_EQ(fit.labels.cells, 3);
  EXPECT_THAT(fit.labels.of_row, ElementsAre(0, 2, 1));
  EXPECT_EQ(fit_grid({.bins = 5}, dense_problem(1, {7, 7}, {2})).labels.cells, 1);
}

TEST(Grid, TheRangeIsThatOfTheCountedStatesAndOthersFallIntoTheNearestBin) {
  // Range 0..4 from the first two steps; 100 is beyond the horizon, -100 a final state.
  const auto fit = fit_grid({.bins = 2}, dense_problem(1, {0, 4, 100, 1.9, -100}, {3, 1}, 1, {.horizon = Horizon{2}}));
  EXPECT_THAT(fit.labels.of_row, ElementsAre(0, 1, 1, 0, 0));
}

TEST(Grid, ACellThatOnlyAFinalStateOccupiesHasANumber) {
  const auto fit = fit_grid({.bins = 2}, dense_problem(2, {0, 0, 4, 4, 0, 4}, {2}, 1));
  EXPECT_EQ(fit.labels.cells, 3);
  EXPECT_THAT(fit.labels.of_row, ElementsAre(0, 2, 1));
}

TEST(Grid, TheLargestNumbersDoNotOverflow) {
  const auto fit = fit_grid({.bins = 2}, dense_problem(1, {-1.7e308, 1.7e308, -1e307, 1e307}, {4}));
  EXPECT_THAT(fit.labels.of_row, ElementsAre(0, 1, 0, 1));
}

TEST(Grid, WarnsAboutNearlyAsManyCellsAsStates) {
  const auto many = fit_grid({.bins = 100}, dense_problem(2, testing::normal_numbers(200, 1), {100}));
  ASSERT_EQ(many.findings.size(), 1u);
  EXPECT_EQ(many.findings[0].code, "many_cells");
  EXPECT_THAT(fit_grid({.bins = 2}, dense_problem(2, testing::normal_numbers(200, 1), {100})).findings, IsEmpty());
}

TEST(Grid, RefusesWrongCalls) {
  EXPECT_THROW(fit_grid({.bins = 0}, dense_problem(1, {1, 2}, {2})), InvalidArgument);
  EXPECT_THROW(fit_grid({}, discrete_problem({1, 2}, {2})), InvalidArgument);
  EXPECT_THROW(fit_grid({}, testing::problem_of(std::monostate{}, {2})), DataError);
}

TEST(Grid, RefusesBitsAndNamesTheAlternatives) {
  try {
    fit_grid({}, testing::problem_of(BinaryStates{.dimension = 2, .words = {2, 3}}, {2}));
    FAIL() << "no error";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("phi=identity"));
  }
}

}  // namespace
}  // namespace starope
