#include "starope/auto/backward.hpp"

#include <gtest/gtest.h>

namespace starope {
namespace {

// Either way, every column satisfies the equation that defines it.
TEST(Backward, SolvesItsEquationsForShortAndLongHorizons) {
  const Eigen::Index size = 6;
  Eigen::MatrixXd root(size, size), moves(size, size);
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = 0; j < size; ++j) {
      root(i, j) = (i == j ? 3.0 : 0.0) + 0.1 * static_cast<double>((3 * i + 5 * j) % 7);
      moves(i, j) = 0.2 * static_cast<double>((2 * i + 3 * j) % 5);
    }
  }
  const Eigen::MatrixXd a = root * root.transpose();
  const Eigen::VectorXd reward = Eigen::VectorXd::LinSpaced(size, -1.0, 2.0);
  const Eigen::LLT<Eigen::MatrixXd> inverse(a);
  for (const Eigen::Index horizon : {1, 5, 6, 20}) {
    Eigen::MatrixXd values = Eigen::MatrixXd::Zero(size, horizon + 1);
    backward(inverse, reward, moves, 0.9, values);
    EXPECT_EQ(values.col(horizon).norm(), 0.0);
    for (Eigen::Index k = 0; k < horizon; ++k) {
      const Eigen::VectorXd right = reward + 0.9 * moves * values.col(k + 1);
      EXPECT_LT((a * values.col(k) - right).norm(), 1e-11 * (1.0 + right.norm())) << horizon << " " << k;
    }
  }
}

}  // namespace
}  // namespace starope
