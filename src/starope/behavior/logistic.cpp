#include "starope/behavior/logistic.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace starope {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// As many steps as make the work of a pass bearable.
std::vector<std::int64_t> thinned(Rows rows, std::int64_t width) {
  constexpr std::int64_t most_entries = 2'000'000;
  const auto count = static_cast<std::int64_t>(rows.size());
  const std::int64_t every = std::max<std::int64_t>(1, count * width / most_entries);
  std::vector<std::int64_t> kept;
  for (std::int64_t i = 0; i < count; i += every) kept.push_back(rows[i]);
  return kept;
}

Matrix design(const ActionLogs& logs, Rows rows) {
  Matrix x(static_cast<Eigen::Index>(rows.size()), logs.dimension + 1);
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    x(i, 0) = 1.0;
    const auto features = logs.row(rows[i]);
    for (Eigen::Index k = 0; k < logs.dimension; ++k) x(i, k + 1) = features[k];
  }
  return x;
}

// Rows of scores become rows of probabilities, all above zero.
void to_probabilities(Matrix& scores) {
  constexpr double least = 1e-12;
  for (Eigen::Index i = 0; i < scores.rows(); ++i) {
    const double largest = scores.row(i).maxCoeff();
    double sum = 0.0;
    for (Eigen::Index a = 0; a < scores.cols(); ++a) {
      scores(i, a) = std::max(least, std::exp(scores(i, a) - largest));
      sum += scores(i, a);
    }
    scores.row(i) /= sum;
  }
}

// The curvature of the log likelihood is at most X'X / 2 (Boehning 1992), so that steps with its inverse never
// overshoot; with momentum (Nesterov) a few dozen of them suffice.
Matrix fit(const Matrix& x, const std::vector<std::int32_t>& taken, std::int32_t actions, double ridge) {
  constexpr int most_iterations = 300;
  constexpr double small_step = 1e-6;
  const double steps = static_cast<double>(x.rows());
  Eigen::MatrixXd bound = 0.5 * (x.transpose() * x);
  for (Eigen::Index k = 1; k < bound.rows(); ++k) bound(k, k) += ridge * steps;
  bound.diagonal().array() += 1e-9 * steps;
  const Eigen::LLT<Eigen::MatrixXd> inverse(bound);
  Matrix coefficients = Matrix::Zero(x.cols(), actions), ahead = coefficients;
  double momentum = 1.0;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    Matrix rest = x * ahead;
    to_probabilities(rest);
    rest = -rest;
    for (Eigen::Index i = 0; i < rest.rows(); ++i) rest(i, taken[i]) += 1.0;
    Eigen::MatrixXd slope = x.transpose() * rest;
    slope.bottomRows(slope.rows() - 1) -= ridge * steps * ahead.bottomRows(ahead.rows() - 1);
    const Matrix next = ahead + Matrix(inverse.solve(slope));
    const double change = (next - coefficients).cwiseAbs().maxCoeff();
    const double following = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * momentum * momentum));
    ahead = next + (momentum - 1.0) / following * (next - coefficients);
    momentum = following;
    coefficients = next;
    if (change < small_step) break;
  }
  return coefficients;
}

}  // namespace

std::vector<double> logistic_probabilities(const ActionLogs& logs, Rows training, Rows wanted, double ridge) {
  const std::vector<std::int64_t> rows = thinned(training, logs.dimension + 1);
  std::vector<std::int32_t> taken;
  for (const std::int64_t row : rows) taken.push_back(logs.action[row]);
  const Matrix coefficients = fit(design(logs, rows), taken, logs.actions, ridge);
  Matrix scores = design(logs, wanted) * coefficients;
  to_probabilities(scores);
  return {scores.data(), scores.data() + scores.size()};
}

}  // namespace starope
