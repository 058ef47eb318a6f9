#pragma once

#include <Eigen/Dense>

namespace starope {

// Functions of the step k in few numbers: the values of a state k steps before the horizon change smoothly with k, so
// the values of all states lie in a space of few dimensions. With F(k, i) the i-th function,
//
//     F = basis * (basis' F)      up to `tolerance` of the largest function
//
// and sums over k of products become sums over `basis.cols()` numbers. The basis is orthonormal: pivoted Gram-Schmidt,
// the function that is described worst comes next.
Eigen::MatrixXd step_basis(const Eigen::MatrixXd& functions, double tolerance = 1e-10);

}  // namespace starope
