#include "starope/auto/step_basis.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace starope {
namespace {

TEST(StepBasis, TellsFunctionsInFewNumbers) {
  // Sums of two decaying exponentials: two dimensions, whatever their number.
  Eigen::MatrixXd functions(60, 25);
  for (int i = 0; i < 25; ++i) {
    for (int k = 0; k < 60; ++k) functions(k, i) = (i + 1) * std::pow(0.9, k) + (i * i - 7) * std::pow(0.6, k);
  }
  const Eigen::MatrixXd basis = step_basis(functions);
  ASSERT_EQ(basis.cols(), 2);
  EXPECT_LT((basis.transpose() * basis - Eigen::MatrixXd::Identity(2, 2)).norm(), 1e-12);
  EXPECT_LT((basis * (basis.transpose() * functions) - functions).norm(), 1e-9 * functions.norm());
}

TEST(StepBasis, LeavesOutLessThanTheTolerance) {
  Eigen::MatrixXd functions(40, 30);
  for (int i = 0; i < 30; ++i) {
    for (int k = 0; k < 40; ++k) functions(k, i) = std::exp(-0.02 * (i + 1) * k);
  }
  const Eigen::MatrixXd fine = step_basis(functions, 1e-10), coarse = step_basis(functions, 1e-3);
  EXPECT_LT(coarse.cols(), fine.cols());
  const double largest = functions.colwise().norm().maxCoeff();
  for (const auto& [basis, tolerance] : {std::pair(&fine, 1e-10), std::pair(&coarse, 1e-3)}) {
    const Eigen::MatrixXd rest = functions - *basis * (basis->transpose() * functions);
    EXPECT_LE(rest.colwise().norm().maxCoeff(), 1.01 * tolerance * largest);
  }
}

// So many functions that sums of them are looked at instead.
TEST(StepBasis, LeavesOutLessThanTheToleranceOfManyFunctions) {
  Eigen::MatrixXd functions(70, 900);
  for (int i = 0; i < 900; ++i) {
    for (int k = 0; k < 70; ++k) functions(k, i) = (i % 7 + 0.01) * std::exp(-0.0011 * (i + 1) * k);
  }
  const Eigen::MatrixXd basis = step_basis(functions, 1e-10);
  EXPECT_LT(basis.cols(), 40);
  const Eigen::MatrixXd rest = functions - basis * (basis.transpose() * functions);
  EXPECT_LE(rest.colwise().norm().maxCoeff(), 1e-10 * functions.colwise().norm().maxCoeff());
  EXPECT_LT((basis.transpose() * basis - Eigen::MatrixXd::Identity(basis.cols(), basis.cols())).norm(), 1e-12);
  // Functions that have nothing in common need as many dimensions as there are steps.
  Eigen::MatrixXd rough(40, 400);
  for (int i = 0; i < 400; ++i) {
    for (int k = 0; k < 40; ++k) rough(k, i) = std::sin(1.0 + i * k * 0.37 + i * i);
  }
  EXPECT_EQ(step_basis(rough).cols(), 40);
}

TEST(StepBasis, OfNothingIsEmpty) {
  EXPECT_EQ(step_basis(Eigen::MatrixXd::Zero(5, 3)).cols(), 0);
}

}  // namespace
}  // namespace starope
