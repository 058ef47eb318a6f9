#include "starope/q/cell_moves.hpp"

#include <gtest/gtest.h>

#include "starope/q/moves_testing.hpp"
#include "starope/q/testing.hpp"

namespace starope {
namespace {

// Tables, where equal moves are pooled; clusters, inside which policies differ; ends, cuts, final states.
TEST(CellMoves, AreAsDefined) {
  for (const bool dense : {false, true}) {
    const QLogs logs(testing::tabular_problem({.episodes = 200, .cut = 0.1, .dense = dense, .final_states = !dense},
                                              Seed{31}, {.horizon = Horizon{8}}),
                     "mb");
    const StateFeatures features =
        make_features({.kind = dense ? FeatureKind::clusters : FeatureKind::tabular, .clusters = 2}, logs);
    const auto steps = testing::steps_with_known_outcome(logs);
    const CellMoves moves(logs, features, steps);
    testing::expect_as_defined(moves, logs, features, steps);
    EXPECT_LT(moves.no_scores().size(), steps.size() / 4);
  }
}

}  // namespace
}  // namespace starope
