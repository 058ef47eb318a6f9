#include "starope/auto/action_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/auto/action_logs.hpp"
#include "starope/auto/oracle.hpp"
#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

struct Logs {
  Problem problem =
      testing::with_all_actions(testing::random_problem({.episodes = 60, .truncated = 0.5, .final_states = 0.4},
                                                        Seed{2}, {.discount = Discount{0.9}, .horizon = Horizon{9}}));
  BagFeatures features{.dimension = 2, .values = testing::state_numbers(problem)};
  ActionRows rows{draw_actions(features, problem, {.draws = 1, .knees = 12}), features, problem};
  std::vector<std::int64_t> episodes = testing::all_episodes(problem);

  // What a step with an action, or a state with weights of actions, has for a row.
  Eigen::VectorXd row(std::int64_t at, const std::vector<double>& weights) const {
    const ActionBasis& basis = rows.basis(0);
    Eigen::VectorXd phi(basis.columns());
    rows.evaluate(0, at, 1, phi.data());
    Eigen::VectorXd all = Eigen::VectorXd::Zero(basis.coefficients());
    all.head(basis.columns()) = phi;
    for (std::int64_t a = 0; a < basis.actions; ++a)
      all.segment(basis.columns() + a * basis.own, basis.own) = weights[a] * phi.head(basis.own);
    return all;
  }
  Eigen::VectorXd chi(std::int64_t at) const {
    std::vector<double> only(3, 0.0);
    only[rows.action(at)] = 1.0;
    return row(at, only);
  }
  Eigen::VectorXd state(std::int64_t at) const {
    return row(at, std::vector<double>(rows.target(at), rows.target(at) + 3));
  }
};

TEST(ActionSums, AreTheSumsOfTheirDefinition) {
  const Logs logs;
  const ActionSums sums = action_sums(logs.rows, 0, logs.problem, logs.episodes);
  const Eigen::Index d = logs.rows.basis(0).coefficients();
  Eigen::MatrixXd here = Eigen::MatrixXd::Zero(d, d), moves = here, unseen = here;
  Eigen::VectorXd reward = Eigen::VectorXd::Zero(d), unseen_reward = reward;
  double weight = 0.0, greatest = 0.0;
  for (const testing::OracleStep& s : testing::oracle_steps(logs.problem, logs.episodes)) {
    const double w = std::pow(0.9, s.t);
    const bool seen = s.seen && s.next_row < logs.problem.data().steps() &&
                      (s.next_row < 0 || s.next_row == s.row + 1) &&
                      !(s.next_row >= 0 && s.t + 1 == logs.problem.episode(s.episode).length());
    const Eigen::VectorXd chi = logs.chi(s.row);
    weight += w;
    greatest = std::max(greatest, std::abs(s.reward));
    (seen ? here : unseen) += w * chi * chi.transpose();
    (seen ? reward : unseen_reward) += w * s.reward * chi;
    if (seen && s.next_row >= 0) moves += w * chi * logs.state(s.next_row).transpose();
  }
  ASSERT_GT(unseen.norm(), 0.0);
  EXPECT_LT((sums.here - here).norm(), 1e-10 * here.norm());
  EXPECT_LT((sums.moves - moves).norm(), 1e-10 * moves.norm());
  EXPECT_LT((sums.unseen_here - unseen).norm(), 1e-10 * unseen.norm());
  EXPECT_LT((sums.reward - reward).norm(), 1e-10 * reward.norm());
  EXPECT_LT((sums.unseen_reward - unseen_reward).norm(), 1e-10 * unseen_reward.norm());
  EXPECT_NEAR(sums.weight, weight, 1e-10 * weight);
  EXPECT_EQ(sums.greatest, greatest);
}

TEST(ActionSums, OfPartsAddUp) {
  const Logs logs;
  const ActionSums whole = action_sums(logs.rows, 0, logs.problem, logs.episodes);
  ActionSums parts;
  for (std::size_t first = 0; first < logs.episodes.size(); first += 13) {
    const std::size_t count = std::min<std::size_t>(13, logs.episodes.size() - first);
    parts += action_sums(logs.rows, 0, logs.problem, std::span(logs.episodes).subspan(first, count));
  }
  EXPECT_LT((parts.here - whole.here).norm(), 1e-12 * whole.here.norm());
  EXPECT_LT((parts.moves - whole.moves).norm(), 1e-12 * whole.moves.norm());
  EXPECT_LT((parts.unseen_reward - whole.unseen_reward).norm(), 1e-12 * whole.unseen_reward.norm());
  EXPECT_EQ(parts.greatest, whole.greatest);
}

TEST(ActionModel, SolvesItsEquations) {
  const Logs logs;
  const ActionSums sums = action_sums(logs.rows, 0, logs.problem, logs.episodes);
  const ActionModel model = solve(sums, {.gamma = 0.9, .horizon = 9, .ridge = 1e-2});
  Eigen::MatrixXd regular = sums.here;
  regular.diagonal().array() += 1e-2 * sums.weight;
  ASSERT_EQ(model.values.cols(), 10);
  EXPECT_EQ(model.values.col(9).norm(), 0.0);
  for (Eigen::Index k = 0; k < 9; ++k) {
    const Eigen::VectorXd right = sums.reward + 0.9 * sums.moves * model.values.col(k + 1);
    EXPECT_LT((regular * model.values.col(k) - right).norm(), 1e-9 * right.norm()) << k;
  }
  const Eigen::VectorXd right = sums.reward + sums.unseen_reward;
  EXPECT_LT(((regular + sums.unseen_here) * model.reward - right).norm(), 1e-9 * right.norm());
}

// Rewards that are linear in the state, another line for every action: what the target policy would earn in a step is
// the mean over its actions, whatever was done.
TEST(ActionModel, FindsWhatOtherActionsWouldEarn) {
  Logs logs;
  const auto earn = [&](std::int64_t row, std::int64_t action) {
    const double* x = logs.features.values.data() + 2 * row;
    return action == 0 ? 1.0 + x[0] : (action == 1 ? x[1] - 2.0 * x[0] : 0.5);
  };
  Columns columns = logs.problem.data().columns();
  std::vector<double> rewards;
  for (std::int64_t row = 0; row < logs.problem.data().steps(); ++row)
    rewards.push_back(earn(row, logs.rows.action(row)));
  columns.rewards = std::move(rewards);
  const Problem problem = make_problem(Dataset(std::move(columns)), {.horizon = Horizon{12}});
  const ActionRows rows(draw_actions(logs.features, problem, {.draws = 1, .knees = 4}), logs.features, problem);
  const ActionModel model =
      solve(action_sums(rows, 0, problem, logs.episodes), {.gamma = 1.0, .horizon = 1, .ridge = 1e-12});
  for (const std::int64_t i : logs.episodes) {
    const std::int64_t row = problem.episode(i).first_row;
    double expected = 0.0;
    for (std::int64_t a = 0; a < 3; ++a) expected += rows.target(row)[a] * earn(row, a);
    Logs other = logs;
    other.rows = rows;
    EXPECT_NEAR(other.state(row).dot(model.reward), expected, 1e-5) << i;
  }
}

// A regression that has run away is held back.
TEST(ActionModel, StaysWithinWhatRewardsCanAddUpTo) {
  ActionSums sums{.here = Eigen::MatrixXd::Identity(3, 3),
                  .moves = 3.0 * Eigen::MatrixXd::Identity(3, 3),
                  .reward = Eigen::VectorXd::Ones(3),
                  .weight = 1.0,
                  .greatest = 1.0};
  const ActionModel model = solve(sums, {.gamma = 1.0, .horizon = 400, .ridge = 1e-4});
  ASSERT_TRUE(model.values.allFinite());
  EXPECT_LE(model.values.col(0).norm(), 2.0 * 400);
  // One that has not is left alone: here the sum of 20 rewards of 1.
  sums.moves /= 3.0;
  const ActionModel calm = solve(sums, {.gamma = 1.0, .horizon = 20, .ridge = 1e-12});
  EXPECT_NEAR(calm.values(0, 0), 20.0, 1e-8);
}

// Few states make functions that are sums of others: with what was cut, the sums may be singular but for rounding. A
// pivot of zero gave rewards that are no numbers, and the whole answer no interval.
TEST(ActionModel, RewardsOfSingularSumsAreNumbers) {
  ActionSums sums{.here = Eigen::MatrixXd::Identity(3, 3),
                  .moves = Eigen::MatrixXd::Zero(3, 3),
                  .reward = Eigen::VectorXd::Ones(3),
                  .weight = 2.0,
                  .greatest = 1.0};
  sums.unseen_here = Eigen::MatrixXd::Zero(3, 3);
  sums.unseen_here(2, 2) = -1.0;
  sums.unseen_reward = Eigen::VectorXd::Zero(3);
  sums.unseen_reward[2] = -1.0 + 1e-15;
  const ActionModel model = solve(sums, {.gamma = 1.0, .horizon = 5, .ridge = 1e-17});
  ASSERT_TRUE(model.reward.allFinite());
  EXPECT_NEAR(model.reward[0], 1.0, 1e-6);
  EXPECT_LT(std::abs(model.reward[2]), 10.0);
  EXPECT_NEAR(model.values(0, 0), 1.0, 1e-6);
}

TEST(FitActions, DoesNotDependOnThreads) {
  const Logs logs;
  const std::vector<std::vector<std::int64_t>> groups{{0, 1, 2, 3}, {4, 5, 6}, {7, 8, 9, 10, 11}};
  const std::vector<std::size_t> some{0, 2};
  const ActionSolve how{.gamma = 0.9, .horizon = 9};
  const auto one = action_models(fit_actions(logs.features, logs.problem, {}, groups, Threads{1}), some, how);
  const auto three = action_models(fit_actions(logs.features, logs.problem, {}, groups, Threads{3}), some, how);
  ASSERT_EQ(one.size(), 2u);
  for (std::size_t draw = 0; draw < 2; ++draw) EXPECT_EQ(one[draw].values, three[draw].values);
  EXPECT_NE(one[0].values, one[1].values);
}

}  // namespace
}  // namespace starope
