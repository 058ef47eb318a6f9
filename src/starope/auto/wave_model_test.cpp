#include "starope/auto/wave_model.hpp"

#include <gtest/gtest.h>

#include "starope/auto/oracle.hpp"
#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

struct Logs {
  Problem problem = testing::random_problem({.episodes = 40, .truncated = 0.5, .final_states = 0.4}, Seed{2},
                                            {.discount = Discount{0.9}, .horizon = Horizon{9}});
  BagFeatures features{.dimension = 2, .values = testing::state_numbers(problem)};
  WaveRows waves{draw_waves(features, problem, {.draws = 1, .waves = 12}), features};
  std::vector<std::int64_t> episodes = testing::all_episodes(problem);

  Eigen::VectorXd at(std::int64_t row) const {
    RowMatrix out;
    waves.evaluate(0, std::span(&row, 1), out);
    return out.row(0).transpose();
  }
};

TEST(WaveSums, AreTheSumsOfTheirDefinition) {
  const Logs logs;
  const WaveSums sums = wave_sums(logs.waves, 0, logs.problem, logs.episodes);
  const Eigen::Index d = logs.waves.columns();
  Eigen::MatrixXd here = Eigen::MatrixXd::Zero(d, d), moves = here, unseen = here;
  Eigen::VectorXd reward = Eigen::VectorXd::Zero(d), unseen_reward = reward, start = reward;
  double weight = 0.0;
  for (const std::int64_t i : logs.episodes) start += logs.at(logs.problem.episode(i).first_row);
  for (const testing::OracleStep& s : testing::oracle_steps(logs.problem, logs.episodes)) {
    const Eigen::VectorXd phi = logs.at(s.row);
    weight += s.weight;
    (s.seen ? here : unseen) += s.weight * phi * phi.transpose();
    (s.seen ? reward : unseen_reward) += s.weight * s.reward * phi;
    if (s.next_row >= 0) moves += s.weight * phi * logs.at(s.next_row).transpose();
  }
  ASSERT_GT(unseen.norm(), 0.0);
  EXPECT_LT((sums.here - here).norm(), 1e-10 * here.norm());
  EXPECT_LT((sums.moves - moves).norm(), 1e-10 * moves.norm());
  EXPECT_LT((sums.unseen_here - unseen).norm(), 1e-10 * unseen.norm());
  EXPECT_LT((sums.reward - reward).norm(), 1e-10 * reward.norm());
  EXPECT_LT((sums.unseen_reward - unseen_reward).norm(), 1e-10 * unseen_reward.norm());
  EXPECT_LT((sums.start - start).norm(), 1e-10 * start.norm());
  EXPECT_NEAR(sums.weight, weight, 1e-10 * weight);
}

TEST(WaveSums, OfPartsAddUp) {
  const Logs logs;
  const WaveSums whole = wave_sums(logs.waves, 0, logs.problem, logs.episodes);
  WaveSums parts;
  for (std::size_t first = 0; first < logs.episodes.size(); first += 13) {
    const std::size_t count = std::min<std::size_t>(13, logs.episodes.size() - first);
    parts += wave_sums(logs.waves, 0, logs.problem, std::span(logs.episodes).subspan(first, count));
  }
  EXPECT_LT((parts.here - whole.here).norm(), 1e-12 * whole.here.norm());
  EXPECT_LT((parts.moves - whole.moves).norm(), 1e-12 * whole.moves.norm());
  EXPECT_LT((parts.unseen_reward - whole.unseen_reward).norm(), 1e-12 * whole.unseen_reward.norm());
  EXPECT_NEAR(parts.weight, whole.weight, 1e-12 * whole.weight);
}

TEST(WaveModel, SolvesItsEquations) {
  const Logs logs;
  const WaveSums sums = wave_sums(logs.waves, 0, logs.problem, logs.episodes);
  const WaveModel model = solve(sums, {.gamma = 0.9, .horizon = 9});
  Eigen::MatrixXd regular = sums.here;
  regular.diagonal().array() += 1e-3 * sums.weight;
  ASSERT_EQ(model.values.cols(), 10);
  EXPECT_EQ(model.values.col(9).norm(), 0.0);
  for (Eigen::Index k = 0; k < 9; ++k) {
    const Eigen::VectorXd right = sums.reward + 0.9 * sums.moves * model.values.col(k + 1);
    EXPECT_LT((regular * model.values.col(k) - right).norm(), 1e-9 * right.norm()) << k;
  }
  EXPECT_LT((regular * model.occupancy.col(0) - sums.start).norm(), 1e-9 * sums.start.norm());
  for (Eigen::Index k = 1; k < 9; ++k) {
    const Eigen::VectorXd right = 0.9 * sums.moves.transpose() * model.occupancy.col(k - 1);
    EXPECT_LT((regular * model.occupancy.col(k) - right).norm(), 1e-9 * right.norm()) << k;
  }
}

// Values and occupancies are two ways to the same answer: sum_i V_0(s_i0) = sum over k and steps of w r omega_k.
TEST(WaveModel, ValuesAndOccupanciesAgree) {
  const Logs logs;
  const WaveSums sums = wave_sums(logs.waves, 0, logs.problem, logs.episodes);
  const WaveModel model = solve(sums, {.gamma = 0.9, .horizon = 9});
  const double by_values = sums.start.dot(model.values.col(0));
  const double by_occupancy = sums.reward.dot(model.occupancy.rowwise().sum());
  EXPECT_NEAR(by_values, by_occupancy, 1e-9 * std::abs(by_values));
}

TEST(WaveModel, NeedsNoModelOfRewardsWhereEveryOutcomeWasSeen) {
  Logs logs;
  logs.problem = testing::random_problem({.episodes = 40, .truncated = 0.0}, Seed{2}, {.horizon = Horizon{12}});
  logs.features.values = testing::state_numbers(logs.problem);
  const WaveRows waves(draw_waves(logs.features, logs.problem, {.draws = 1}), logs.features);
  const WaveModel model =
      solve(wave_sums(waves, 0, logs.problem, testing::all_episodes(logs.problem)), {.horizon = 12});
  EXPECT_EQ(model.reward.norm(), 0.0);
}

}  // namespace
}  // namespace starope
