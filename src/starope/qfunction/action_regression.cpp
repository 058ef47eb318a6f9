#include "starope/qfunction/action_regression.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>

#include "starope/base/assert.hpp"

namespace starope {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixMap = Eigen::Map<const Matrix>;
using FloatRow = Eigen::Map<const Eigen::Matrix<float, 1, Eigen::Dynamic>>;

constexpr std::size_t block_rows = 256;

// The features of rows[first ..] as numbers, at most `block_rows` of them.
Matrix gather(const StateFeatures& features, std::span<const std::int64_t> rows) {
  Matrix block(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(features.width));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = features.row(rows[i]);
    block.row(static_cast<Eigen::Index>(i)) =
        FloatRow(row.data(), static_cast<Eigen::Index>(row.size())).cast<double>();
  }
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
      const std::size_t z = features.cell[static_cast<std::size_t>(rows[i])];
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
      const std::size_t z = features.cell[static_cast<std::size_t>(rows[i])];
      for (std::size_t b = 0; b < a; ++b) sum[b * width + z] += weights[i * a + b];
    }
    return;
  }
  Eigen::Map<Matrix> total(sum.data(), actions, static_cast<Eigen::Index>(features.width));
  for_each_block(rows, [&](std::size_t first, std::span<const std::int64_t> part) {
    const MatrixMap w(weights.data() + first * a, static_cast<Eigen::Index>(part.size()), actions);
    total.noalias() += w.transpose() * gather(features, part);
  });
}

struct ActionRegression::Impl {
  const StateFeatures* features = nullptr;
  std::size_t actions = 0, width = 0;
  std::vector<std::int64_t> row{};  // of each step
  std::vector<std::int32_t> action{};
  std::vector<double> weight{};
  double penalty = 0.0;                              // as a share of the mean diagonal
  std::vector<double> cells{};                       // indicator: total weight of (action, cell) ...
  std::vector<double> added{};                       // ... and what the ridge adds to it, by action
  std::vector<std::vector<std::size_t>> steps_of{};  // numbers: the steps of each action
  std::vector<Eigen::LLT<Eigen::MatrixXd>> gram{};   // one per action; empty where never seen

  std::size_t place(std::size_t i) const {
    return static_cast<std::size_t>(action[i]) * width + features->cell[static_cast<std::size_t>(row[i])];
  }
  // x / G for indicator features: a mean, shrunk by the ridge.
  double divided(double x, std::size_t k) const { return cells[k] > 0.0 ? x / (cells[k] + added[k / width]) : 0.0; }

  void count_cells() {
    cells.assign(actions * width, 0.0);
    added.assign(actions, 0.0);
    for (std::size_t i = 0; i < row.size(); ++i) {
      cells[place(i)] += weight[i];
      added[static_cast<std::size_t>(action[i])] += penalty * weight[i] / static_cast<double>(width);
    }
  }

  void factorise() {
    steps_of.resize(actions);
    gram.resize(actions);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (weight[i] > 0.0) steps_of[static_cast<std::size_t>(action[i])].push_back(i);
    }
    const auto size = static_cast<Eigen::Index>(width);
    for (std::size_t b = 0; b < actions; ++b) {
      if (steps_of[b].empty()) continue;
      Eigen::MatrixXd g = Eigen::MatrixXd::Zero(size, size);
      for_each_block(rows_of(b), [&](std::size_t first, std::span<const std::int64_t> part) {
        Matrix block = gather(*features, part);
        for (std::size_t i = 0; i < part.size(); ++i)
          block.row(static_cast<Eigen::Index>(i)) *= std::sqrt(weight[steps_of[b][first + i]]);
        g.selfadjointView<Eigen::Lower>().rankUpdate(block.transpose());
      });
      const double mean = g.diagonal().mean();
      // The smallest ridge that keeps the factorisation away from rounding, whatever was asked for.
      g.diagonal().array() += std::max(penalty, 1e-10) * mean;
      gram[b].compute(g);
    }
  }

  std::vector<std::int64_t> rows_of(std::size_t b) const {
    std::vector<std::int64_t> rows;
    rows.reserve(steps_of[b].size());
    for (const std::size_t i : steps_of[b]) rows.push_back(row[i]);
    return rows;
  }
};

ActionRegression::ActionRegression(const StateFeatures& features, std::span<const LoggedStep> steps,
                                   std::span<const double> weights, std::int32_t actions, double ridge) {
  auto impl = std::make_unique<Impl>();
  impl->features = &features;
  impl->actions = static_cast<std::size_t>(actions);
  impl->width = static_cast<std::size_t>(features.width);
  impl->penalty = ridge;
  impl->row.reserve(steps.size());
  impl->action.reserve(steps.size());
  for (const LoggedStep& step : steps) {
    impl->row.push_back(step.row);
    impl->action.push_back(step.action);
  }
  impl->weight.assign(weights.begin(), weights.end());
  if (weights.empty()) impl->weight.assign(steps.size(), 1.0);
  STAROPE_ASSERT(impl->weight.size() == steps.size());
  if (features.indicator()) {
    impl->count_cells();
  } else {
    impl->factorise();
  }
  impl_ = std::move(impl);
}

ActionRegression::~ActionRegression() = default;
ActionRegression::ActionRegression(ActionRegression&&) noexcept = default;
ActionRegression& ActionRegression::operator=(ActionRegression&&) noexcept = default;

Coefficients ActionRegression::fit(std::span<const double> y) const {
  const Impl& m = *impl_;
  Coefficients result(m.actions * m.width, 0.0);
  if (m.features->indicator()) {
    for (std::size_t i = 0; i < y.size(); ++i) result[m.place(i)] += m.weight[i] * y[i];
    for (std::size_t k = 0; k < result.size(); ++k) result[k] = m.divided(result[k], k);
    return result;
  }
  for (std::size_t b = 0; b < m.actions; ++b) {
    if (m.steps_of[b].empty()) continue;
    Eigen::VectorXd right = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(m.width));
    for_each_block(m.rows_of(b), [&](std::size_t first, std::span<const std::int64_t> part) {
      Eigen::VectorXd wy(static_cast<Eigen::Index>(part.size()));
      for (std::size_t i = 0; i < part.size(); ++i) {
        const std::size_t step = m.steps_of[b][first + i];
        wy[static_cast<Eigen::Index>(i)] = m.weight[step] * y[step];
      }
      right.noalias() += gather(*m.features, part).transpose() * wy;
    });
    Eigen::Map<Eigen::VectorXd>(result.data() + b * m.width, right.size()) = m.gram[b].solve(right);
  }
  return result;
}

std::vector<double> ActionRegression::leverage(const Coefficients& direction) const {
  const Impl& m = *impl_;
  std::vector<double> result(m.row.size(), 0.0);
  if (m.features->indicator()) {
    for (std::size_t i = 0; i < result.size(); ++i) {
      const std::size_t k = m.place(i);
      result[i] = m.weight[i] * m.divided(direction[k], k);
    }
    return result;
  }
  for (std::size_t b = 0; b < m.actions; ++b) {
    if (m.steps_of[b].empty()) continue;
    const Eigen::VectorXd u = m.gram[b].solve(
        Eigen::Map<const Eigen::VectorXd>(direction.data() + b * m.width, static_cast<Eigen::Index>(m.width)));
    for_each_block(m.rows_of(b), [&](std::size_t first, std::span<const std::int64_t> part) {
      const Eigen::VectorXd c = gather(*m.features, part) * u;
      for (std::size_t i = 0; i < part.size(); ++i) {
        const std::size_t step = m.steps_of[b][first + i];
        result[step] = m.weight[step] * c[static_cast<Eigen::Index>(i)];
      }
    });
  }
  return result;
}

const std::vector<double>& ActionRegression::weight_of_cells() const noexcept {
  return impl_->cells;
}

}  // namespace starope
