#include "starope/phi/simple.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/clustering/testing.hpp"
#include "starope/data.hpp"

namespace starope {
namespace {

using testing::dense_problem;
using testing::discrete_problem;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::problem_of;

TEST(Simple, OneLabelsEveryRowAlikeAndNeedsNoStates) {
  const Problem problem = discrete_problem({4, 5, 6, 7}, {2, 1}, 1);
  const Labels labels = fit_one(problem.data()).labels;
  EXPECT_EQ(labels.cells, 1);
  EXPECT_THAT(labels.of_row, ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(fit_one(problem_of(std::monostate{}, {3, 2}).data()).labels.of_row.size(), 5u);
}

TEST(Simple, TimeCountsFromTheStartOfTheEpisode) {
  const Labels labels = fit_time(problem_of(std::monostate{}, {3, 1, 2}).data()).labels;
  EXPECT_EQ(labels.cells, 3);
  EXPECT_THAT(labels.of_row, ElementsAre(0, 1, 2, 0, 0, 1));
}

TEST(Simple, TheStateBehindTheLastStepHasTimeT) {
  const Labels labels = fit_time(discrete_problem({0, 0, 0, 0, 0, 0}, {3, 1}, 2).data()).labels;
  EXPECT_EQ(labels.cells, 4);
  EXPECT_THAT(labels.of_row, ElementsAre(0, 1, 2, 0, 3, 1));
}

TEST(Simple, TimeAlsoLabelsWhatIsBeyondTheHorizon) {
  const Problem problem = problem_of(std::monostate{}, {3, 1}, 0, {.horizon = Horizon{1}});
  EXPECT_THAT(fit_time(problem.data()).labels.of_row, ElementsAre(0, 1, 2, 0));
}

TEST(Simple, IdentityOfDiscreteStatesIsTheCode) {
  const FittedAbstraction fit = fit_identity(discrete_problem({90, -3, 90, 7, 8}, {2, 2}, 1));
  EXPECT_EQ(fit.labels.cells, 4);
  EXPECT_THAT(fit.labels.of_row, ElementsAre(3, 0, 3, 1, 2));
}

TEST(Simple, IdentityOfVectorsIsExactEquality) {
  const FittedAbstraction fit =
      fit_identity(dense_problem(2, {1, 2, 0.0, 5, 1, 2, -0.0, 5, 1, 2 + 1e-15, 0, 5}, {5}, 1));
  EXPECT_EQ(fit.labels.cells, 3);
  EXPECT_THAT(fit.labels.of_row, ElementsAre(1, 0, 1, 0, 2, 0));
}

TEST(Simple, IdentityWarnsWhereHardlyAnyVectorRepeats) {
  const FittedAbstraction noisy = fit_identity(dense_problem(1, testing::normal_numbers(50, 1), {50}));
  ASSERT_EQ(noisy.findings.size(), 1u);
  EXPECT_EQ(noisy.findings[0].code, "many_cells");
  const FittedAbstraction few = fit_identity(dense_problem(1, std::vector<double>(50, 2.5), {50}));
  EXPECT_THAT(few.findings, IsEmpty());
  EXPECT_THAT(few.labels.of_row, Each(0));
}

TEST(Simple, IdentityNeedsStates) {
  EXPECT_THROW(fit_identity(problem_of(std::monostate{}, {2})), DataError);
}

TEST(Simple, IdentityOfBitsIsThatOfTheirDenseRows) {
  const BinaryStates states = testing::random_bits_states(500, 66, 0.02, 71);
  const FittedAbstraction fit = fit_identity(problem_of(states, {300, 199}, 1));
  EXPECT_EQ(fit.labels.of_row, fit_identity(problem_of(to_dense(states), {300, 199}, 1)).labels.of_row);
  EXPECT_GT(fit.labels.cells, 50);
  ASSERT_EQ(fit.findings.size(), 1u);
  EXPECT_EQ(fit.findings[0].code, "many_cells");
}

}  // namespace
}  // namespace starope
