#include "starope/q/action_regression.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>

#include "starope/base/assert.hpp"
#include "starope/stats/matrix_product.hpp"

namespace starope {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixMap = Eigen::Map<const Matrix>;
using FloatVector = Eigen::Map<const Eigen::VectorXf>;
using Vector = Eigen::Map<Eigen::VectorXd>;
using ConstVector = Eigen::Map<const Eigen::VectorXd>;

constexpr std::size_t block_rows = 256;

// The features of rows[first ..] as numbers, at most `block_rows` of them.
Matrix gather(const StateFeatures& features, std::span<const std::int64_t> rows) {
  Matrix block(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(features.width));
  copy_rows(features, rows, block.data());
  return block;
}

template <class Use>
void for_each_block(std::span<const std::int64_t> rows, const Use& use) {
  for (std::size_t first = 0; first < rows.size(); first += block_rows)
    use(first, rows.subspan(first, std::min(block_rows, rows.size() - first)));
}

}  // namespace

std::vector<double> linear_values(const StateFeatures& features, const Coefficients& coefficients, std::int32_t actions,
                                  std::span<const std::int64_t> rows) {
  const auto a = static_cast<std::size_t>(actions), width = static_cast<std::size_t>(features.width);
  std::vector<double> values(rows.size() * a);
  if (features.indicator()) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t z = features.cell[rows[i]];
      for (std::size_t b = 0; b < a; ++b) values[i * a + b] = coefficients[b * width + z];
    }
    return values;
  }
  const MatrixMap weights(coefficients.data(), actions, static_cast<Eigen::Index>(features.width));
  for_each_block(rows, [&](std::size_t first, std::span<const std::int64_t> part) {
    Eigen::Map<Matrix> out(values.data() + first * a, static_cast<Eigen::Index>(part.size()), actions);
    out.noalias() = gather(features, part) * weights.transpose();
  });
  return values;
}

void add_features(const StateFeatures& features, std::span<const std::int64_t> rows, std::span<const double> weights,
                  std::int32_t actions, Coefficients& sum) {
  const auto a = static_cast<std::size_t>(actions), width = static_cast<std::size_t>(features.width);
  STAROPE_ASSERT(weights.size() == rows.size() * a && sum.size() == a * width);
  if (features.indicator()) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t z = features.cell[rows[i]];
      for (std::size_t b = 0; b < a; ++b) sum[b * width + z] += weights[i * a + b];
    }
    return;
  }
  Eigen::Map<Matrix> total(sum.data(), actions, static_cast<Eigen::Index>(features.width));
  for_each_block(rows, [&](std::size_t first, std::span<const std::int64_t> part) {
    const MatrixMap w(weights.data() + first * a, static_cast<Eigen::Index>(part.size()), actions);
    std::vector<std::int64_t> used;
    Matrix w_used(w.rows(), w.cols());
    for (Eigen::Index i = 0; i < w.rows(); ++i) {
      if ((w.row(i).array() == 0.0).all()) continue;
      w_used.row(static_cast<Eigen::Index>(used.size())) = w.row(i);
      used.push_back(part[i]);
    }
    if (used.empty()) return;
    total.noalias() += w_used.topRows(static_cast<Eigen::Index>(used.size())).transpose() * gather(features, used);
  });
}

TakenRows::TakenRows(std::span<const LoggedStep> steps) {
  row.reserve(steps.size());
  action.reserve(steps.size());
  for (const LoggedStep& step : steps) {
    row.push_back(step.row);
    action.push_back(step.action);
  }
}

std::vector<double> taken_values(const StateFeatures& features, const Coefficients& coefficients,
                                 const TakenRows& steps) {
  const auto width = static_cast<std::size_t>(features.width);
  std::vector<double> values(steps.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double* b = coefficients.data() + static_cast<std::size_t>(steps.action[i]) * width;
    if (features.indicator()) {
      values[i] = b[features.cell[steps.row[i]]];
    } else {
      values[i] = FloatVector(features.row(steps.row[i]).data(), features.width)
                      .cast<double>()
                      .dot(ConstVector(b, features.width));
    }
  }
  return values;
}

void add_taken_features(const StateFeatures& features, const TakenRows& steps, std::span<const double> y,
                        Coefficients& sum) {
  STAROPE_ASSERT(y.size() == steps.size());
  const auto width = static_cast<std::size_t>(features.width);
  for (std::size_t i = 0; i < y.size(); ++i) {
    double* total = sum.data() + static_cast<std::size_t>(steps.action[i]) * width;
    if (features.indicator()) {
      total[features.cell[steps.row[i]]] += y[i];
    } else {
      Vector(total, features.width) +=
          y[i] * FloatVector(features.row(steps.row[i]).data(), features.width).cast<double>();
    }
  }
}

struct ActionRegression::Impl {
  const StateFeatures* features = nullptr;
  std::size_t actions = 0, width = 0;
  TakenRows steps{};
  std::vector<double> weight{};                     // of each step; empty: all 1
  double penalty = 0.0;                             // as a share of the mean diagonal
  std::vector<double> cells{};                      // indicator: total weight of (action, cell) ...
  std::vector<double> added{};                      // ... and what the ridge adds to it, by action
  std::vector<Eigen::LLT<Eigen::MatrixXd>> gram{};  // numbers: one per action; empty where never seen

  double weight_of(std::size_t i) const { return weight.empty() ? 1.0 : weight[i]; }

  void count_cells() {
    cells.assign(actions * width, 0.0);
    added.assign(actions, 0.0);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto a = static_cast<std::size_t>(steps.action[i]);
      cells[a * width + features->cell[steps.row[i]]] += weight_of(i);
      added[a] += penalty * weight_of(i) / static_cast<double>(width);
    }
  }

  void factorize() {
    std::vector<std::vector<std::int64_t>> rows_of(actions);
    std::vector<std::vector<double>> root_of(actions);  // of the weights
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (!(weight_of(i) > 0.0)) continue;
      rows_of[steps.action[i]].push_back(steps.row[i]);
      if (!weight.empty()) root_of[steps.action[i]].push_back(std::sqrt(weight[i]));
    }
    gram.resize(actions);
    const auto size = static_cast<Eigen::Index>(width);
    for (std::size_t b = 0; b < actions; ++b) {
      if (rows_of[b].empty()) continue;
      Matrix g = Matrix::Zero(size, size);
      for_each_block(rows_of[b], [&](std::size_t first, std::span<const std::int64_t> part) {
        Matrix block = gather(*features, part);
        if (!weight.empty()) block.array().colwise() *= ConstVector(root_of[b].data() + first, block.rows()).array();
        add_symmetric_product(block.data(), block.data(), part.size(), width, g.data());
      });
      const double mean = g.diagonal().mean();
      // The smallest ridge that keeps the factorization away from rounding, whatever was asked for.
      g.diagonal().array() += std::max(penalty, 1e-10) * mean;
      gram[b].compute(g);
    }
  }
};

ActionRegression::ActionRegression(const StateFeatures& features, std::span<const LoggedStep> steps,
                                   std::span<const double> weights, std::int32_t actions, double ridge) {
  STAROPE_ASSERT(weights.empty() || weights.size() == steps.size());
  auto impl = std::make_unique<Impl>();
  impl->features = &features;
  impl->actions = static_cast<std::size_t>(actions);
  impl->width = static_cast<std::size_t>(features.width);
  impl->penalty = ridge;
  impl->steps = TakenRows(steps);
  impl->weight.assign(weights.begin(), weights.end());
  if (features.indicator()) {
    impl->count_cells();
  } else {
    impl->factorize();
  }
  impl_ = std::move(impl);
}

ActionRegression::~ActionRegression() = default;
ActionRegression::ActionRegression(ActionRegression&&) noexcept = default;
ActionRegression& ActionRegression::operator=(ActionRegression&&) noexcept = default;

Coefficients ActionRegression::solve(const Coefficients& right) const {
  const Impl& m = *impl_;
  STAROPE_ASSERT(right.size() == m.actions * m.width);
  Coefficients result(right.size(), 0.0);
  if (m.features->indicator()) {
    // A mean, shrunk by the ridge.
    for (std::size_t k = 0; k < result.size(); ++k)
      if (m.cells[k] > 0.0) result[k] = right[k] / (m.cells[k] + m.added[k / m.width]);
    return result;
  }
  const auto width = static_cast<Eigen::Index>(m.width);
  for (std::size_t b = 0; b < m.actions; ++b) {
    if (m.gram[b].rows() == 0) continue;
    Vector(result.data() + b * m.width, width) = m.gram[b].solve(ConstVector(right.data() + b * m.width, width));
  }
  return result;
}

Coefficients ActionRegression::fit(std::span<const double> y) const {
  const Impl& m = *impl_;
  std::vector<double> weighted(y.begin(), y.end());
  for (std::size_t i = 0; i < weighted.size(); ++i) weighted[i] *= m.weight_of(i);
  Coefficients right(m.actions * m.width, 0.0);
  add_taken_features(*m.features, m.steps, weighted, right);
  return solve(right);
}

std::vector<double> ActionRegression::leverage(const Coefficients& direction) const {
  const Impl& m = *impl_;
  std::vector<double> result = taken_values(*m.features, solve(direction), m.steps);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] *= m.weight_of(i);
  return result;
}

const std::vector<double>& ActionRegression::weight_of_cells() const noexcept {
  return impl_->cells;
}

}  // namespace starope
