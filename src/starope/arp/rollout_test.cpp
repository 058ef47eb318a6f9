#include "starope/arp/rollout.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/arp/solve.hpp"
#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"
#include "starope/fold/fold.hpp"

namespace starope {
namespace {

ArpModel random_model(std::uint64_t seed, double gamma) {
  const Problem problem =
      testing::random_problem({.episodes = 50, .discrete_states = 4}, Seed{seed}, {.discount = Discount{gamma}});
  Labels labels{.cells = 4, .of_row = {}};
  for (const auto code : std::get<DiscreteStates>(problem.data().states()).code)
    labels.of_row.push_back(static_cast<Label>(code));
  return make_model(fold(ArpFold(labels, problem, {}), problem));
}

TEST(RollOut, AgreesWithTheSolve) {
  for (const double gamma : {1.0, 0.8}) {
    for (const auto horizon : {std::optional<Horizon>{}, std::optional{Horizon{4}}}) {
      const ArpModel model = random_model(11, gamma);
      const Moments returns = roll_out(model, Discount{gamma}, horizon, {.rollouts = 200000, .seed = Seed{1}});
      EXPECT_EQ(returns.count(), 200000);
      EXPECT_NEAR(returns.mean(), solve(model, Discount{gamma}, horizon).value, 4 * returns.standard_error());
      EXPECT_GT(returns.standard_error(), 0.0);
    }
  }
}

TEST(RollOut, SameBitsForAnyNumberOfThreads) {
  const ArpModel model = random_model(12, 1.0);
  const Moments one = roll_out(model, Discount{1.0}, {}, {.rollouts = 5000, .threads = Threads{1}});
  const Moments many = roll_out(model, Discount{1.0}, {}, {.rollouts = 5000, .threads = Threads{3}});
  EXPECT_EQ(one.mean(), many.mean());
  EXPECT_EQ(one.variance(), many.variance());
  EXPECT_NE(roll_out(model, Discount{1.0}, {}, {.rollouts = 5000, .seed = Seed{1}}).mean(), one.mean());
}

TEST(RollOut, AProcessThatNeverEndsIsAnError) {
  ArpModel m{.cells = 1, .episodes = 1, .start = {1.0}, .exit = {0.0}, .reward = {1.0}, .visit = {1.0}, .seen = {1.0}};
  MoveCounts p(1);
  p.add(0, 0, 1.0);
  m.transition = p.rows();
  EXPECT_THROW(roll_out(m, Discount{1.0}, {}, {.rollouts = 1, .most_steps = 1000}), DegenerateModel);
  EXPECT_EQ(roll_out(m, Discount{1.0}, Horizon{5}, {.rollouts = 3}).mean(), 5.0);
}

}  // namespace
}  // namespace starope
