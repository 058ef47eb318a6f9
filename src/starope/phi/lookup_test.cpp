#include "starope/phi/lookup.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/clustering/testing.hpp"

namespace starope {
namespace {

using testing::discrete_problem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string code_and_message(const LookupTable& table, const Problem& problem) {
  try {
    fit_lookup(table, problem);
  } catch (const DataError& error) {
    return error.code() + ": " + error.what();
  }
  return "no error";
}

TEST(Lookup, MapsIdsToAbstractStates) {
  const Labels labels =
      fit_lookup({.state = {7, -1, 99, 5}, .z = {0, 6, 1, 1}}, discrete_problem({99, 7, 5, 7}, {2, 1}, 1)).labels;
  EXPECT_EQ(labels.cells, 7);  // the largest z of the table, logged or not
  EXPECT_THAT(labels.of_row, ElementsAre(1, 0, 1, 0));
}

TEST(Lookup, NamesAMissingStateWithItsPlace) {
  const Problem problem = discrete_problem({1, 2, 1, 2, 42, 2}, {3, 2}, 1);
  const std::string message = code_and_message({.state = {1, 2}, .z = {0, 1}, .source = "map.csv"}, problem);
  EXPECT_THAT(message, HasSubstr("unknown_state"));
  EXPECT_THAT(message, HasSubstr("'42' is not in the lookup table map.csv"));
  EXPECT_THAT(message, HasSubstr("episode 1, step 1"));
  EXPECT_THAT(code_and_message({.state = {1, 42}, .z = {0, 1}}, problem), HasSubstr("episode 0, step 1"));
  // A final state, too, at the step behind the last.
  const Problem late = discrete_problem({1, 1, 1, 43}, {3}, 1);
  EXPECT_THAT(code_and_message({.state = {1}, .z = {0}}, late), HasSubstr("episode 0, step 3"));
}

TEST(Lookup, RefusesNegativeAndContradictingRows) {
  const Problem problem = discrete_problem({1, 2}, {2});
  const std::string negative = code_and_message({.state = {1, 2}, .z = {0, -4}, .source = "map.csv"}, problem);
  EXPECT_THAT(negative, HasSubstr("map.csv"));
  EXPECT_THAT(negative, HasSubstr("'-4' is the abstract state of state 2"));
  const std::string twice = code_and_message({.state = {1, 2, 1}, .z = {0, 1, 2}, .source = "map.csv"}, problem);
  EXPECT_THAT(twice, HasSubstr("contradicting_abstract_states"));
  EXPECT_THAT(twice, HasSubstr("puts state 1 into abstract state 0"));
  EXPECT_THAT(code_and_message({.state = {1, 2}, .z = {0, 1LL << 40}}, problem), HasSubstr("too large"));
  // Saying the same thing twice is no contradiction.
  EXPECT_EQ(fit_lookup({.state = {1, 2, 1}, .z = {0, 1, 0}}, problem).labels.cells, 2);
}

TEST(Lookup, RefusesWrongCalls) {
  EXPECT_THROW(fit_lookup({.state = {1}, .z = {}}, discrete_problem({1}, {1})), InvalidArgument);
  EXPECT_THROW(fit_lookup({.state = {1}, .z = {0}}, testing::dense_problem(1, {1}, {1})), InvalidArgument);
  EXPECT_THROW(fit_lookup({.state = {1}, .z = {0}}, testing::problem_of(std::monostate{}, {1})), DataError);
}

}  // namespace
}  // namespace starope
