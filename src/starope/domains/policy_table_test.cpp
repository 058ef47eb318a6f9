#include "starope/domains/policy_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "starope/error.hpp"
#include "starope/io/testing_files.hpp"

namespace starope::domains {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

class PolicyFile : public ::testing::Test {
 protected:
  std::string write(const std::string& text) { return folder_.write("policy.csv", text); }

  const starope::testing::TemporaryFolder folder_;
};

TEST(PolicyTable, ProbabilitiesAreCheckedAndMadeToSumToOne) {
  const PolicyTable read = as_probabilities({.actions = 2, .values = {0.3, 0.7, 0.3333333, 0.6666666}});
  EXPECT_THAT(std::vector<double>(read.values.begin(), read.values.begin() + 2), ElementsAre(0.3, 0.7));
  EXPECT_DOUBLE_EQ(read.values[2] + read.values[3], 1.0);
  const auto refused = [](std::vector<double> values) {
    return error_of([&] { as_probabilities({.actions = 2, .values = values, .source = "mine.csv"}); });
  };
  EXPECT_THAT(refused({0.5, 0.5, 0.5, 0.6}), HasSubstr("mine.csv"));
  EXPECT_THAT(refused({0.5, 0.5, 0.5, 0.6}), HasSubstr("state 1"));
  EXPECT_THAT(refused({-1, 2}), HasSubstr("not a probability"));
  EXPECT_THAT(refused({std::nan(""), 1}), HasSubstr("not a probability"));
}

TEST(PolicyTable, GreedyTakesTheFirstLargestNumber) {
  const PolicyTable table{.actions = 4, .values = {1, 5, 5, -2, -9, -8, -7, -7}};
  EXPECT_THAT(as_greedy(table, 0.2).values, ElementsAre(0.05, 0.05 + 0.8, 0.05, 0.05, 0.05, 0.05, 0.05 + 0.8, 0.05));
}

TEST(PolicyTable, SoftmaxOfLargeNumbersOverTau) {
  const double share = 1.0 / (1.0 + std::exp(-2.0));
  const PolicyTable soft = as_softmax({.actions = 2, .values = {1000, 1004, 3, 3}}, 2.0);
  EXPECT_NEAR(soft.values[1], share, 1e-15);
  EXPECT_NEAR(soft.values[0], 1.0 - share, 1e-15);
  EXPECT_EQ(soft.values[2], 0.5);
}

TEST(PolicyTable, OneRowHoldsEverywhere) {
  const PolicyTable one{.actions = 2, .values = {0.25, 0.75}};
  EXPECT_EQ(table_policy(one, 3, 2).probability(2, 1), 0.75);
  EXPECT_THAT(only_row(one, 2), ElementsAre(0.25, 0.75));
}

TEST(PolicyTable, RowsMustFitTheDomain) {
  const PolicyTable table{.actions = 2, .values = {1, 0, 0.5, 0.5, 0, 1}, .source = "t.csv"};
  EXPECT_EQ(table_policy(table, 3, 2).probability(1, 0), 0.5);
  EXPECT_EQ(table_policy(table, 2, 2, 1).symbols(), 2);  // a row for the terminal state
  EXPECT_THAT(error_of([&] { table_policy(table, 4, 2); }), HasSubstr("3 rows"));
  EXPECT_THAT(error_of([&] { table_policy(table, 3, 5); }), HasSubstr("5 actions"));
  EXPECT_THAT(error_of([&] { only_row(table, 2); }), HasSubstr("one row"));
}

TEST_F(PolicyFile, RowsInTheOrderOfTheStates) {
  const PolicyTable table = read_policy_table(write("left,state,right\n0.1,1,0.9\n0.5,0,0.5\n"));
  EXPECT_EQ(table.actions, 2);
  EXPECT_THAT(table.values, ElementsAre(0.5, 0.5, 0.1, 0.9));
}

TEST_F(PolicyFile, WithoutStatesInTheOrderOfTheFile) {
  EXPECT_THAT(read_policy_table(write("left,right\n0.1,0.9\n0.5,0.5\n")).values, ElementsAre(0.1, 0.9, 0.5, 0.5));
  EXPECT_THAT(read_policy_table(write("0.25,0.75\n")).values, ElementsAre(0.25, 0.75));
}

TEST_F(PolicyFile, EveryStateOnce) {
  for (const char* states : {"0\n0", "0\n2", "-1\n0", "0\n0.5"}) {
    const std::string two = states;
    const std::string text =
        "state,a\n" + two.substr(0, two.find('\n')) + ",1\n" + two.substr(two.find('\n') + 1) + ",1\n";
    EXPECT_THROW(read_policy_table(write(text)), DataError) << text;
  }
}

}  // namespace
}  // namespace starope::domains
