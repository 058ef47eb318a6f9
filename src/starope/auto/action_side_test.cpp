#include "starope/auto/action_side.hpp"

#include <gtest/gtest.h>

#include "starope/auto/action_logs.hpp"
#include "starope/auto/oracle.hpp"
#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

struct Logs {
  Problem problem = testing::with_all_actions(testing::random_problem({.episodes = 12, .final_states = 0.5}, Seed{3}));
  BagFeatures features{.dimension = 2, .values = testing::state_numbers(problem)};
  ActionRows rows{draw_actions(features, problem, {.draws = 2, .knees = 12}), features, problem};
  std::vector<RowMatrix> numbers{};

  Logs() {
    Random random(Seed{}, Stream::test_data, 5);
    for (std::size_t draw = 0; draw < 2; ++draw) {
      RowMatrix& of_draw = numbers.emplace_back(RowMatrix::Zero(rows.basis(draw).coefficients(), 8));
      for (Eigen::Index i = 0; i < of_draw.size(); ++i) of_draw.data()[i] = random.normal();
    }
  }
  // What an action in a state has.
  Eigen::VectorXd of(std::size_t draw, std::int64_t row, std::int64_t action) const {
    const ActionBasis& basis = rows.basis(draw);
    Eigen::VectorXd phi(basis.columns());
    rows.evaluate(draw, row, 1, phi.data());
    return numbers[draw].topRows(basis.columns()).transpose() * phi +
           numbers[draw].middleRows(basis.columns() + action * basis.own, basis.own).transpose() * phi.head(basis.own);
  }
};

TEST(ActionSide, TellsTheTakenActionAndTheMeanOverTheTargetPolicys) {
  const Logs logs;
  const ActionSide side(logs.rows, logs.numbers, false);
  ASSERT_EQ(side.variants(), 2u);
  ActionLook look;
  ActionSide::Numbers found;
  for (std::int64_t i = 0; i < logs.problem.episodes(); ++i) {
    const LoggedEpisode episode = logs.problem.episode(i);
    side.evaluate(episode, look, found);
    for (std::size_t draw = 0; draw < 2; ++draw) {
      ASSERT_EQ(found.state[draw].rows(), episode.length());
      for (std::int64_t t = 0; t < episode.length(); ++t) {
        const std::int64_t row = episode.first_row + t;
        Eigen::VectorXd mean = Eigen::VectorXd::Zero(8);
        for (std::int64_t a = 0; a < 3; ++a) mean += logs.rows.target(row)[a] * logs.of(draw, row, a);
        EXPECT_LT((found.state[draw].row(t).transpose() - mean).norm(), 1e-10);
        EXPECT_LT((found.taken[draw].row(t).transpose() - logs.of(draw, row, logs.rows.action(row))).norm(), 1e-10);
      }
    }
  }
}

TEST(ActionSide, AveragesOverTheDraws) {
  const Logs logs;
  const ActionSide each(logs.rows, logs.numbers, false), mean(logs.rows, logs.numbers, true);
  ASSERT_EQ(mean.variants(), 1u);
  ActionLook look;
  ActionSide::Numbers apart, together;
  each.evaluate(logs.problem.episode(3), look, apart);
  mean.evaluate(logs.problem.episode(3), look, together);
  EXPECT_LT((together.state[0] - 0.5 * (apart.state[0] + apart.state[1])).norm(), 1e-12);
  EXPECT_LT((together.taken[0] - 0.5 * (apart.taken[0] + apart.taken[1])).norm(), 1e-12);
}

}  // namespace
}  // namespace starope
