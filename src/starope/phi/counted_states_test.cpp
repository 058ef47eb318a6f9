#include "starope/phi/counted_states.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/clustering/testing.hpp"
#include "starope/data/random_logs.hpp"
#include "starope/data/sample_places.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

using testing::dense_problem;
using testing::discrete_problem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(CountedStates, AreTheStatesOfTheStepsUpToTheHorizon) {
  // Episodes of 3 and 1 steps; the last row is the state behind the first episode.
  const std::vector<double> values{0, 1, 10, 11, 20, 21, 30, 31, 90, 91};
  EXPECT_THAT(counted_features(dense_problem(2, values, {3, 1}, 1)), ElementsAre(0, 1, 10, 11, 20, 21, 30, 31));
  EXPECT_THAT(counted_features(dense_problem(2, values, {3, 1}, 1, {.horizon = Horizon{2}})),
              ElementsAre(0, 1, 10, 11, 30, 31));
}

TEST(CountedStates, OfASampleAreThoseOfItsEpisodes) {
  for (const bool single : {false, true}) {
    const Problem problem =
        testing::random_problem({.episodes = 150, .dimension = 3, .single_precision = single, .final_states = 0.5},
                                Seed{6}, {.horizon = Horizon{7}});
    for (const std::int64_t most : {std::int64_t{200}, problem.data().steps()}) {
      const std::vector<double> expected =
          counted_features(problem.take(sample_places(dataset_source(problem.data()), most)));
      for (const std::int64_t block : {1, 90, 100'000})
        EXPECT_EQ(sampled_features(dataset_source(problem.data(), block), Horizon{7}, most), expected) << block;
    }
  }
}

TEST(CountedStates, VisitsByCode) {
  const std::vector<std::int64_t> ids{50, 7, 7, 50, 9};  // codes 2 0 0 2 1; the last one is a final state
  EXPECT_THAT(counted_visits(discrete_problem(ids, {3, 1}, 1)), ElementsAre(2, 0, 2));
  EXPECT_THAT(counted_visits(discrete_problem(ids, {3, 1}, 1, {.horizon = Horizon{1}})), ElementsAre(0, 0, 2));
}

TEST(CountedStates, SaysWhichColumnsAreMissing) {
  const Problem problem = testing::problem_of(std::monostate{}, {2, 2});
  try {
    require_states(problem, "k-means");
    FAIL() << "no error";
  } catch (const DataError& error) {
    EXPECT_EQ(error.code(), "missing_column");
    EXPECT_EQ(error.problem().at.column, "state");
    EXPECT_THAT(error.what(), HasSubstr("k-means needs the logged states"));
    EXPECT_THAT(error.what(), HasSubstr("phi=time"));
  }
  EXPECT_THROW(require_dense_states(problem.data(), "x"), DataError);
  EXPECT_THROW(require_discrete_states(problem.data(), "x"), DataError);
}

TEST(CountedStates, BitsUpToTheHorizonAndWithoutFinalStates) {
  // Two episodes of three and one steps, the first with a known final state; two words per row.
  BinaryStates states{.dimension = 65, .words = {10, 0, 11, 1, 12, 0, 20, 1, 99, 0}};
  const Problem problem = testing::problem_of(std::move(states), {3, 1}, 1, {.horizon = Horizon{2}});
  EXPECT_THAT(counted_bits(problem), ::testing::ElementsAre(10, 0, 11, 1, 20, 1));
  EXPECT_NO_THROW(require_states(problem, "x"));
  EXPECT_THROW(require_discrete_states(problem.data(), "x"), InvalidArgument);
  try {
    require_dense_states(problem.data(), "the grid");
    FAIL() << "no error";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("all 0 or 1"));
  }
}

TEST(CountedStates, TheWrongKindOfStatesIsAWrongCall) {
  const Problem dense = dense_problem(1, {1, 2}, {2});
  const Problem discrete = discrete_problem({1, 2}, {2});
  EXPECT_EQ(require_dense_states(dense.data(), "x").dimension, 1);
  EXPECT_EQ(require_discrete_states(discrete.data(), "x").ids.size(), 2u);
  EXPECT_THROW(require_dense_states(discrete.data(), "x"), InvalidArgument);
  EXPECT_THROW(require_discrete_states(dense.data(), "x"), InvalidArgument);
}

}  // namespace
}  // namespace starope
