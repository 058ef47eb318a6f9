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

TEST(StepBasis, OfNothingIsEmpty) {
  EXPECT_EQ(step_basis(Eigen::MatrixXd::Zero(5, 3)).cols(), 0);
}

}  // namespace
}  // namespace starope
