#include "starope/phi/labels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/clustering/testing.hpp"

namespace starope {
namespace {

using testing::discrete_problem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Labels, VisitsCountTheStepsUpToTheHorizonAndNoFinalState) {
  // Two episodes of 3 and 2 steps; row 5 is the state behind the first.
  const std::vector<std::int64_t> ids{0, 1, 2, 0, 2, 2};
  const Labels labels{.cells = 4, .of_row = {0, 1, 2, 0, 2, 2}};
  EXPECT_THAT(visits_of_cells(labels, discrete_problem(ids, {3, 2}, 1)), ElementsAre(2, 1, 2, 0));
  EXPECT_THAT(visits_of_cells(labels, discrete_problem(ids, {3, 2}, 1, {.horizon = Horizon{2}})),
              ElementsAre(2, 1, 1, 0));
}

TEST(Labels, LocatesStepsAndFinalStates) {
  const Problem problem = discrete_problem({0, 1, 2, 0, 2, 7, 8}, {3, 2}, 2);
  EXPECT_EQ(locate_state(problem.data(), 2).episode, "0");
  EXPECT_EQ(locate_state(problem.data(), 2).step, 2);
  EXPECT_EQ(locate_state(problem.data(), 3).episode, "1");
  EXPECT_EQ(locate_state(problem.data(), 3).step, 0);
  EXPECT_EQ(locate_state(problem.data(), 6).episode, "1");
  EXPECT_EQ(locate_state(problem.data(), 6).step, 2);
}

TEST(Labels, ManyCellsMeansFewerThanFourVisitsEach) {
  const Problem problem = discrete_problem(std::vector<std::int64_t>(12, 0), {12});
  EXPECT_THAT(many_cells_finding(3, problem), IsEmpty());
  const auto findings = many_cells_finding(4, problem);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "many_cells");
  EXPECT_THAT(text(findings[0]), HasSubstr("4 cells for 12 logged states"));
  EXPECT_THAT(text(findings[0]), HasSubstr("Group the states more coarsely"));
}

}  // namespace
}  // namespace starope
