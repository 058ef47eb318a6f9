#pragma once

#include <Eigen/Dense>

namespace starope {

// values_k = A^-1 (reward + gamma moves values_{k+1}) for k = H-1 .. 0, where the last column of `values` is given. The
// matrix A^-1 moves costs as much as about two solves per column of A: with a short horizon, solving anew is cheaper.
inline void backward(const Eigen::LLT<Eigen::MatrixXd>& a, const Eigen::VectorXd& reward, const Eigen::MatrixXd& moves,
                     double gamma, Eigen::MatrixXd& values) {
  const Eigen::Index horizon = values.cols() - 1;
  if (horizon < moves.cols()) {
    Eigen::VectorXd right(reward.size());
    for (Eigen::Index k = horizon; k-- > 0;) {
      right = reward;
      right.noalias() += gamma * (moves * values.col(k + 1));
      values.col(k) = a.solve(right);
    }
    return;
  }
  const Eigen::VectorXd once = a.solve(reward);
  const Eigen::MatrixXd step = gamma * a.solve(moves);
  for (Eigen::Index k = horizon; k-- > 0;) {
    values.col(k) = once;
    values.col(k).noalias() += step * values.col(k + 1);
  }
}

}  // namespace starope
