#include "starope/auto/step_basis.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "starope/auto/wave_basis.hpp"
#include "starope/rng/random.hpp"
#include "starope/stats/matrix_product.hpp"

namespace starope {
namespace {

// Sums of the functions with random signs: `count` of them span what all of them span, up to rounding, if that has
// clearly fewer dimensions (a random range finder: Halko, Martinsson & Tropp 2011).
Eigen::MatrixXd sketch(const Eigen::MatrixXd& functions, Eigen::Index count) {
  const Eigen::Index steps = functions.rows();
  RowMatrix signs(functions.cols(), count);
  for (Eigen::Index i = 0; i < functions.cols(); ++i) {
    std::uint64_t bits = 0;
    for (Eigen::Index j = 0; j < count; ++j, bits >>= 1U) {
      if (j % 64 == 0)
        bits =
            random_bits(Seed{}, Stream::step_signs, static_cast<std::uint64_t>(i), static_cast<std::uint32_t>(j / 64));
      signs(i, j) = (bits & 1U) != 0 ? 1.0 : -1.0;
    }
  }
  RowMatrix sums = RowMatrix::Zero(steps, count);
  add_product({.rows = static_cast<std::size_t>(steps),
               .columns = static_cast<std::size_t>(count),
               .depth = static_cast<std::size_t>(functions.cols()),
               .left = MatrixView{functions.data(), static_cast<std::size_t>(steps)}.transposed(),
               .right = signs.data(),
               .right_stride = static_cast<std::size_t>(count),
               .out = sums.data(),
               .out_stride = static_cast<std::size_t>(count)});
  return sums;
}

Eigen::MatrixXd orthonormal(const Eigen::MatrixXd& functions, double tolerance) {
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

}  // namespace

Eigen::MatrixXd step_basis(const Eigen::MatrixXd& functions, double tolerance) {
  constexpr Eigen::Index spare = 8;
  // What a sketch leaves out of some function may be several times what it leaves out of its sums.
  constexpr double sharper = 0.1;
  for (Eigen::Index count = 32; 2 * count <= std::min(functions.cols(), 2 * functions.rows()); count *= 2) {
    Eigen::MatrixXd basis = orthonormal(sketch(functions, count), sharper * tolerance);
    if (basis.cols() + spare <= count) return basis;
  }
  return orthonormal(functions, tolerance);
}

}  // namespace starope
