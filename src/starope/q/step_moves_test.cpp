#include "starope/q/step_moves.hpp"

#include <gtest/gtest.h>

#include "starope/q/moves_testing.hpp"
#include "starope/q/testing.hpp"

namespace starope {
namespace {

TEST(StepMoves, AreAsDefined) {
  const QLogs logs(testing::tabular_problem({.cut = 0.1, .dense = true}, Seed{32}, {.horizon = Horizon{8}}), "fqe");
  const StateFeatures features = make_features({.kind = FeatureKind::rbf, .waves = 5}, logs);
  const auto steps = testing::steps_with_known_outcome(logs);
  ASSERT_FALSE(steps.empty());
  testing::expect_as_defined(StepMoves(logs, features, steps), logs, features, steps);
}

}  // namespace
}  // namespace starope
