#include "starope/auto/action_basis.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/auto/action_logs.hpp"
#include "starope/auto/oracle.hpp"
#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

struct Logs {
  Problem problem = testing::with_all_actions(
      testing::random_problem({.episodes = 40, .dimension = 3, .final_states = 0.5}, Seed{1}));
  BagFeatures features{.dimension = 3, .values = testing::state_numbers(problem)};
  std::vector<ActionBasis> draws = draw_actions(features, problem, {.draws = 2, .knees = 30});
};

TEST(ActionBasis, IsAConstantTheStateTheProbabilitiesAndKnees) {
  const Logs logs;
  const ActionRows rows(logs.draws, logs.features, logs.problem);
  for (std::size_t draw = 0; draw < 2; ++draw) {
    const ActionBasis& basis = rows.basis(draw);
    ASSERT_EQ(basis.features(), 3);
    ASSERT_EQ(basis.columns() % 8, 0);
    ASSERT_GE(basis.knees(), 30);
    const auto columns = static_cast<std::size_t>(basis.columns()), knees = static_cast<std::size_t>(basis.knees());
    std::vector<double> found(5 * columns);
    rows.evaluate(draw, 7, 5, found.data());
    for (std::size_t i = 0; i < 5; ++i) {
      std::vector<double> y;
      for (std::size_t j = 0; j < 3; ++j) y.push_back(logs.features.values[(7 + i) * 3 + j]);
      for (std::size_t a = 0; a < 3; ++a) y.push_back(logs.problem.target_distribution()->values[(7 + i) * 3 + a]);
      const double* row = found.data() + i * columns;
      EXPECT_EQ(row[0], 1.0);
      for (std::size_t j = 0; j < 6; ++j) {
        y[j] = (y[j] - basis.center[j]) * basis.scale[j];
        EXPECT_NEAR(row[1 + j], y[j], 1e-12);
      }
      for (std::size_t k = 0; k < knees; ++k) {
        double sum = basis.offsets[k];
        for (std::size_t j = 0; j < 6; ++j) sum += y[j] * basis.directions[j * knees + k];
        EXPECT_NEAR(row[7 + k], std::max(0.0, sum), 1e-12);
      }
    }
  }
  EXPECT_NE(logs.draws[0].directions, logs.draws[1].directions);
}

TEST(ActionBasis, HasFunctionsOfOneSize) {
  const Logs logs;
  const ActionRows rows(logs.draws, logs.features, logs.problem);
  const std::int64_t steps = logs.problem.steps();
  const auto columns = static_cast<std::size_t>(rows.basis(0).columns());
  std::vector<double> all(static_cast<std::size_t>(steps) * columns);
  rows.evaluate(0, 0, steps, all.data());
  double features = 0.0;
  for (std::size_t j = 1; j < columns; ++j) {
    double mean = 0.0, square = 0.0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(steps); ++i) {
      mean += all[i * columns + j] / static_cast<double>(steps);
      square += all[i * columns + j] * all[i * columns + j] / static_cast<double>(steps);
    }
    EXPECT_NEAR(j <= 6 ? mean : 0.0, 0.0, 1e-12) << j;
    if (j <= 3) features += square / 3.0;
    // A knee at the edge of the steps may be nothing at all.
    EXPECT_TRUE(j <= 6 || square == 0.0 || std::abs(square - 1.0) < 1e-9) << j;
  }
  EXPECT_NEAR(features, 1.0, 1e-12);
}

TEST(ActionBasis, NeedsAllProbabilities) {
  const Problem without = testing::random_problem({.episodes = 5}, Seed{1});
  EXPECT_FALSE(knows_all_actions(without));
  EXPECT_TRUE(knows_all_actions(testing::with_all_actions(without)));
  const Problem many = testing::random_problem({.episodes = 5, .actions = 500}, Seed{1});
  EXPECT_FALSE(knows_all_actions(testing::with_all_actions(many)));
}

TEST(ActionBasis, GivesManyActionsFewCoefficientsEach) {
  for (const std::int32_t actions : {2, 7, 40, 150}) {
    const Problem problem =
        testing::with_all_actions(testing::random_problem({.episodes = 20, .actions = actions}, Seed{1}));
    const BagFeatures features{.dimension = 2, .values = testing::state_numbers(problem)};
    const ActionBasis basis = draw_actions(features, problem, {.draws = 1}).front();
    EXPECT_GE(basis.own, 1);
    EXPECT_LE(basis.own * actions, 240);
    EXPECT_EQ(basis.coefficients(), basis.columns() + actions * basis.own);
  }
}

TEST(ActionBasis, IsAValueWithBytes) {
  const Logs logs;
  ByteWriter to;
  logs.draws[1].write(to);
  ByteReader from(to.bytes(), "actions");
  EXPECT_EQ(ActionBasis::read(from), logs.draws[1]);
  ActionBasis broken = logs.draws[1];
  broken.offsets.pop_back();
  ByteWriter wrong;
  broken.write(wrong);
  ByteReader reader(wrong.bytes(), "actions");
  EXPECT_THROW(ActionBasis::read(reader), DataError);
}

TEST(ActionLook, RemembersTheRightRows) {
  const Logs logs;
  const ActionRows rows(logs.draws, logs.features, logs.problem);
  const auto columns = static_cast<std::size_t>(rows.basis(0).columns());
  ActionLook look;
  for (const auto& [draw, first, count] :
       {std::array<std::int64_t, 3>{0, 3, 4}, {1, 3, 4}, {0, 3, 2}, {0, 4, 4}, {0, 4, 6}, {1, 3, 4}}) {
    std::vector<double> expected(static_cast<std::size_t>(count) * columns);
    rows.evaluate(static_cast<std::size_t>(draw), first, count, expected.data());
    const double* found = look.functions(rows, static_cast<std::size_t>(draw), first, count);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), found));
  }
}

}  // namespace
}  // namespace starope
