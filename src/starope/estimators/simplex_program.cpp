#include "starope/estimators/simplex_program.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <limits>

#include "starope/base/assert.hpp"

namespace starope {
namespace {

using Matrix = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

// The weights of sum 1, of either sign, that minimize x' M x on these points: (M + c 1 1') u = 1, scaled. Adding
// c 1 1' changes x' M x by a constant where the sum is 1, and makes the matrix regular for affinely independent points.
Eigen::VectorXd affine_minimum(const Matrix& m, const std::vector<Eigen::Index>& points, double c) {
  const auto size = static_cast<Eigen::Index>(points.size());
  Eigen::MatrixXd part(size, size);
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = 0; j < size; ++j) part(i, j) = m(points[i], points[j]) + c;
  }
  const Eigen::VectorXd u = part.ldlt().solve(Eigen::VectorXd::Ones(size));
  return u / u.sum();
}

}  // namespace

std::vector<double> least_on_simplex(std::span<const double> values, std::size_t size) {
  STAROPE_ASSERT(size > 0 && values.size() == size * size);
  const Matrix m(values.data(), static_cast<Eigen::Index>(size), static_cast<Eigen::Index>(size));
  const double largest = std::max(m.diagonal().maxCoeff(), std::numeric_limits<double>::min());
  Eigen::Index best = 0;
  m.diagonal().minCoeff(&best);
  std::vector<Eigen::Index> points{best};  // the corral: the points that have weight
  Eigen::VectorXd weight = Eigen::VectorXd::Ones(1);
  const auto spread = [&] {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(m.rows());
    for (std::size_t i = 0; i < points.size(); ++i) x[points[i]] += weight[static_cast<Eigen::Index>(i)];
    return x;
  };
  for (std::size_t round = 0; round < 10 * size + 100; ++round) {
    const Eigen::VectorXd x = spread();
    const Eigen::VectorXd slope = m * x;
    Eigen::Index candidate = 0;
    slope.minCoeff(&candidate);
    // Optimal if no point has a smaller inner product with the combination than the combination with itself.
    if (slope[candidate] >= x.dot(slope) - 1e-13 * largest) break;
    if (std::find(points.begin(), points.end(), candidate) != points.end()) break;
    points.push_back(candidate);
    weight.conservativeResize(weight.size() + 1);
    weight[weight.size() - 1] = 0.0;
    for (;;) {
      const Eigen::VectorXd target = affine_minimum(m, points, largest);
      if (target.minCoeff() > 0.0) {
        weight = target;
        break;
      }
      // Go towards it until the first weight is used up, and drop that point.
      double step = 1.0;
      Eigen::Index first = 0;
      for (Eigen::Index i = 0; i < target.size(); ++i) {
        if (target[i] > 0.0) continue;
        const double until = weight[i] / (weight[i] - target[i]);
        if (until <= step) {
          step = until;
          first = i;
        }
      }
      weight += step * (target - weight);
      points.erase(points.begin() + first);
      for (Eigen::Index i = first; i + 1 < weight.size(); ++i) weight[i] = weight[i + 1];
      weight.conservativeResize(weight.size() - 1);
      weight = weight.cwiseMax(0.0) / weight.cwiseMax(0.0).sum();
    }
  }
  const Eigen::VectorXd x = spread();
  return {x.data(), x.data() + x.size()};
}

}  // namespace starope
