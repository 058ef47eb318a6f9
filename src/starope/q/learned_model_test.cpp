#include "starope/q/learned_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/data/log_vectors.hpp"
#include "starope/error.hpp"
#include "starope/q/testing.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

// A walk on a line: x' = 0.8 x + (a ? 1 : -1), reward x, the target policy goes up with probability logistic(0.8 - x /
// 4). It ends with probability 0.1 per step where x > 0.
double up(double x) {
  return 1.0 / (1.0 + std::exp(x / 4 - 0.8));
}

Problem walk(std::int64_t episodes, std::int64_t horizon) {
  testing::LogVectors c;
  std::vector<double> states;
  c.action_count = 2;
  for (std::int64_t i = 0; i < episodes; ++i) {
    Random random(Seed{1}, Stream::test_data, static_cast<std::uint64_t>(i));
    double x = random.uniform(-1, 1);
    bool ended = false;
    for (std::int64_t t = 0; t < horizon && !ended; ++t) {
      const bool a = random.uniform() < 0.5;
      states.push_back(x);
      c.actions.push_back(a ? 1 : 0);
      c.rewards.push_back(x);
      c.behavior.push_back(0.5);
      c.target.push_back(a ? up(x) : 1 - up(x));
      c.target_distribution.insert(c.target_distribution.end(), {1 - up(x), up(x)});
      ended = x > 0 && random.uniform() < 0.1;
      x = 0.8 * x + (a ? 1 : -1);
    }
    c.end_episode(ended ? EpisodeEnd::terminated : EpisodeEnd::truncated);
  }
  c.states = DenseStates{.dimension = 1, .values = std::move(states)};
  return make_problem(std::move(c).dataset(), {.discount = Discount{0.95}, .horizon = Horizon{horizon}});
}

double truth(std::int64_t horizon) {
  Moments returns;
  for (std::uint64_t i = 0; i < 40000; ++i) {
    Random random(Seed{2}, Stream::test_data, i);
    double x = random.uniform(-1, 1), total = 0.0, power = 1.0;
    for (std::int64_t t = 0; t < horizon; ++t, power *= 0.95) {
      total += power * x;
      if (x > 0 && random.uniform() < 0.1) break;
      x = 0.8 * x + (random.uniform() < up(x) ? 1 : -1);
    }
    returns.add(total);
  }
  return returns.mean();
}

TEST(LearnedModel, FindsTheValueOfAWalk) {
  const QLogs logs(walk(300, 12), "mb");
  const LearnedModelValue found = roll_out_learned_model(logs, {});
  EXPECT_EQ(found.rollouts, 1200);
  EXPECT_EQ(found.steps, 12);
  EXPECT_FALSE(found.unfinished);
  const double value = moments(found.of_episode).mean();
  // Under the behavior policy the walk earns next to nothing; the target policy drifts upwards.
  const double expected = truth(12);
  EXPECT_GT(expected, 3.0);
  EXPECT_NEAR(value, expected, 0.12 * expected);
}

TEST(LearnedModel, NeedsStatesThatAreNumbers) {
  const QLogs logs(testing::tabular_problem({}, Seed{1}), "mb");
  EXPECT_THROW(roll_out_learned_model(logs, {}), InvalidArgument);
}

}  // namespace
}  // namespace starope
