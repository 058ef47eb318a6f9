#include "starope/domains/cartpole.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "starope/data.hpp"
#include "starope/domains/csv_rows.hpp"
#include "starope/rng/random.hpp"
#include "support/test_data.hpp"

namespace starope::domains {
namespace {

static_assert(FeatureDomain<CartPole>);

void expect_near(const CartPole::State& a, const CartPole::State& b) {
  EXPECT_NEAR(a.x, b.x, 1e-12);
  EXPECT_NEAR(a.x_dot, b.x_dot, 1e-12);
  EXPECT_NEAR(a.theta, b.theta, 1e-12);
  EXPECT_NEAR(a.theta_dot, b.theta_dot, 1e-12);
}

TEST(CartPole, FollowsRecordedTrajectories) {
  const auto rows = starope::testing::read_csv_rows(starope::testing::committed_file("traces/cartpole_traces.csv"));
  ASSERT_EQ(rows.size(), 471u);
  const CartPole world;
  Random unused(Seed{}, Stream::test_data, 0);
  CartPole::State running;
  for (const auto& row : rows) {
    const auto number = [&row](const std::string& name) { return row.number(name); };
    const auto state = [&number](const std::string& prefix) {
      return CartPole::State{number(prefix + "x"), number(prefix + "x_dot"), number(prefix + "theta"),
                             number(prefix + "theta_dot")};
    };
    const auto action = static_cast<std::int32_t>(number("action"));
    if (row.text("t") == "0") running = state("");
    CartPole::State one_step = state("");
    const Transition transition = world.step(one_step, action, unused);
    expect_near(one_step, state("next_"));
    EXPECT_EQ(transition.reward, number("reward"));
    EXPECT_EQ(transition.terminated, number("terminated") == 1.0);
    world.step(running, action, unused);
    expect_near(running, state("next_"));
    std::array<double, 4> seen{};
    world.observe(one_step, seen);
    EXPECT_EQ(seen[0], number("obs32_x"));
    EXPECT_EQ(seen[1], number("obs32_x_dot"));
    EXPECT_EQ(seen[2], number("obs32_theta"));
    EXPECT_EQ(seen[3], number("obs32_theta_dot"));
  }
}

TEST(CartPole, IsMirrorSymmetric) {
  const CartPole::State state{0.3, -0.2, 0.1, 0.4}, mirrored{-0.3, 0.2, -0.1, -0.4};
  const auto right = CartPole::next_state(state, 1), left = CartPole::next_state(mirrored, 0);
  EXPECT_EQ(right.x, -left.x);
  EXPECT_EQ(right.x_dot, -left.x_dot);
  EXPECT_EQ(right.theta, -left.theta);
  EXPECT_EQ(right.theta_dot, -left.theta_dot);
}

TEST(CartPole, EndsStrictlyBeyondTheLimits) {
  EXPECT_FALSE(CartPole::is_terminal({2.4, 0, 0, 0}));
  EXPECT_TRUE(CartPole::is_terminal({std::nextafter(2.4, 3.0), 0, 0, 0}));
  EXPECT_FALSE(CartPole::is_terminal({0, 0, -0.20943951023931953, 0}));
  EXPECT_TRUE(CartPole::is_terminal({0, 0, -0.2094395102393196, 0}));
}

TEST(CartPole, StartsWithinItsSmallBox) {
  const CartPole world;
  double most = 0.0, least = 0.0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    Random random(Seed{}, Stream::test_data, i);
    const auto s = world.reset(random);
    for (const double x : {s.x, s.x_dot, s.theta, s.theta_dot}) {
      most = std::max(most, x);
      least = std::min(least, x);
    }
  }
  EXPECT_LT(most, 0.05);
  EXPECT_GT(most, 0.0499);
  EXPECT_GE(least, -0.05);
  EXPECT_LT(least, -0.0499);
}

TEST(CartPolePolicy, FollowsOrOpposesThePole) {
  std::array<double, 2> p{};
  CartPolePolicy::follow()({0, 0, 0.1, 0}, p);
  EXPECT_EQ(p, (std::array<double, 2>{0.1, 0.9}));
  CartPolePolicy::follow()({0, 0, 0.0, 0}, p);  // upright counts as not leaning right
  EXPECT_EQ(p, (std::array<double, 2>{0.9, 0.1}));
  CartPolePolicy::oppose()({0, 0, 0.1, 0}, p);
  EXPECT_EQ(p, (std::array<double, 2>{0.9, 0.1}));
  CartPolePolicy::follow()({0, 0, 1e-50, 0}, p);  // what is seen, in single precision, is zero
  EXPECT_EQ(p, (std::array<double, 2>{0.9, 0.1}));
}

TEST(CartPole, MonteCarloValuesAgreeWithLongReferenceRuns) {
  const CartPole world;
  const auto expect = [&](const CartPolePolicy& policy, double value, double error, double alive, double alive_digits) {
    const auto result = monte_carlo_value(world, policy, {.episodes = 400'000, .seed = Seed{2024}});
    EXPECT_NEAR(result.value, value, 4 * std::hypot(result.standard_error, error));
    EXPECT_NEAR(result.value, result.mean_length, 1e-9);  // one reward a step
    EXPECT_NEAR(result.truncated_share, alive, 4 * std::sqrt(alive * (1 - alive) / 400'000) + alive_digits);
  };
  expect(CartPolePolicy::follow(), 39.310, 0.005, 0.309, 0.002);
  expect(CartPolePolicy::uniform(), 21.835, 0.010, 0.034, 0.001);
  expect(CartPolePolicy::oppose(), 9.803, 0.002, 0.0, 0.0001);
}

TEST(SimulateCartPole, LogsTheDocumentedRatios) {
  const Dataset data = simulate(CartPole{}, CartPolePolicy::uniform(), CartPolePolicy::follow(), {.episodes = 300});
  EXPECT_EQ(data.longest(), 50);
  const auto& states = std::get<DenseStates>(data.states());
  EXPECT_EQ(states.dimension, 4);
  EXPECT_EQ(states.names[2], "theta");
  const auto& actions = std::get<DiscreteActions>(data.actions());
  for (std::size_t i = 0; i < data.rewards().size(); ++i) {
    const bool toward = (states.values[4 * i + 2] > 0.0) == (actions.id[i] == 1);
    ASSERT_EQ(data.target()->values[i] / data.behavior()->values[i], toward ? 1.8 : 0.2);
    ASSERT_EQ(data.rewards()[i], 1.0);
  }
  for (std::int64_t i = 0; i < data.episodes(); ++i)
    EXPECT_EQ(data.end(i) == EpisodeEnd::truncated, data.final_row(i).has_value());
}

}  // namespace
}  // namespace starope::domains
