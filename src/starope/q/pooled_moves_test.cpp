#include "starope/q/pooled_moves.hpp"

#include <gtest/gtest.h>

#include "starope/q/moves_testing.hpp"
#include "starope/q/testing.hpp"

namespace starope {
namespace {

// With a policy that takes five distributions, and with one of forty, more than pay for matrices of their own; with and
// without horizon; steps enough for several blocks.
TEST(PooledMoves, AreAsDefined) {
  for (const std::int64_t states : {5, 40}) {
    for (const bool finite : {false, true}) {
      ProblemOptions options;
      if (finite) options.horizon = Horizon{8};
      const QLogs logs(
          testing::tabular_problem({.episodes = 1500, .states = states, .actions = 2, .cut = 0.1, .dense = true},
                                   Seed{33}, options),
          "fqe");
      const StateFeatures features = make_features({.kind = FeatureKind::rbf, .waves = 5}, logs);
      const auto steps = testing::steps_with_known_outcome(logs);
      ASSERT_GT(steps.size(), 4000U);
      ASSERT_EQ(PolicyBasis(logs, steps).mixed(), states == 40);
      testing::expect_as_defined(PooledMoves(logs, features, steps), logs, features, steps);
    }
  }
}

TEST(PooledMoves, PayWhereFeaturesAreFewBesidePasses) {
  const QLogs logs(testing::tabular_problem({.dense = true}, Seed{34}), "fqe");
  EXPECT_TRUE(PooledMoves::pay(logs, {.width = 100}, 100));
  EXPECT_FALSE(PooledMoves::pay(logs, {.width = 101}, 100));
  EXPECT_TRUE(PooledMoves::pay(logs, {.width = 101}, std::nullopt));
  EXPECT_FALSE(PooledMoves::pay(logs, {.width = 100'000}, std::nullopt));  // 360 billion numbers
}

}  // namespace
}  // namespace starope
