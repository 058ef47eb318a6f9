#include "starope/auto/step_basis.hpp"

#include <algorithm>
#include <cmath>

namespace starope {

Eigen::MatrixXd step_basis(const Eigen::MatrixXd& functions, double tolerance) {
  const Eigen::Index steps = functions.rows();
  Eigen::MatrixXd rest = functions;
  Eigen::MatrixXd basis(steps, std::min(steps, functions.cols()));
  Eigen::Index rank = 0;
  double largest = 0.0;
  while (rank < basis.cols()) {
    Eigen::Index worst = 0;
    const double norm = std::sqrt(rest.colwise().squaredNorm().maxCoeff(&worst));
    largest = std::max(largest, norm);
    if (!(norm > tolerance * largest)) break;
    Eigen::VectorXd next = rest.col(worst);
    // Twice is enough: what is left of the earlier ones is rounding of rounding.
    for (int again = 0; again < 2; ++again) next -= basis.leftCols(rank) * (basis.leftCols(rank).transpose() * next);
    next.normalize();
    basis.col(rank++) = next;
    rest.noalias() -= next * (next.transpose() * rest).eval();
  }
  return basis.leftCols(rank);
}

}  // namespace starope
