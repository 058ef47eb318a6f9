#include "starope/q/q_values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/error.hpp"
#include "starope/q/testing.hpp"

namespace starope {
namespace {

TEST(QTable, GivesEveryRowTheValuesOfItsState) {
  const Problem problem = testing::tabular_problem({.episodes = 20, .states = 3, .actions = 2}, Seed{1});
  const QLogs logs(problem, "dr");
  const QTable table{.actions = 2, .state = {2, 0, 1, 9}, .q = {20, 21, 0, 1, 10, 11, 90, 91}, .source = "q.csv"};
  const QValues values = look_up(table, logs);
  const auto& states = std::get<DiscreteStates>(problem.data().states());
  for (std::int64_t row = 0; row < problem.data().steps(); ++row) {
    const auto id = static_cast<double>(states.ids[states.code[row]]);
    EXPECT_EQ(values.at(row)[0], 10 * id);
    EXPECT_EQ(values.at(row)[1], 10 * id + 1);
  }
}

TEST(QTable, RefusesWhatDoesNotFit) {
  const QLogs logs(testing::tabular_problem({.episodes = 20, .states = 3, .actions = 2}, Seed{1}), "dr");
  const auto code = [&](const QTable& table, const QLogs& with) {
    try {
      look_up(table, with);
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(code({.actions = 2, .state = {0, 1}, .q = {0, 0, 0, 0}, .source = "q.csv"}, logs), HasSubstr("lacks"));
  EXPECT_THAT(code({.actions = 1, .state = {0, 1, 2}, .q = {0, 0, 0}, .source = "q.csv"}, logs), HasSubstr("actions"));
  EXPECT_THAT(code({.actions = 2, .state = {0, 0}, .q = {0, 0, 0, 0}, .source = "q.csv"}, logs), HasSubstr("twice"));
  const QLogs dense(testing::tabular_problem({.dense = true}, Seed{1}), "dr");
  EXPECT_THAT(code({.actions = 3, .state = {0}, .q = {0, 0, 0}, .source = "q.csv"}, dense), HasSubstr("integer ids"));
}

}  // namespace
}  // namespace starope
