#include "starope/checks/reward_fit.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

namespace starope {
namespace {

constexpr std::int64_t most_rows = 20'000;
constexpr std::int64_t fewest_rows = 500;
constexpr std::int64_t most_features = 12;
constexpr std::int64_t most_squared = 4;  // features, for their products to enter
constexpr std::int32_t most_actions = 8;
constexpr double exact = 1e-5;  // of the variance: nothing is left to explain

// What is left of a variance; the columns are those of a regression.
struct Design {
  Eigen::MatrixXd columns;
  Eigen::VectorXd y;

  double left() const {
    const Eigen::Index n = columns.rows(), p = columns.cols();
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(p, p);
    gram.selfadjointView<Eigen::Lower>().rankUpdate(columns.transpose());
    // Columns may depend on each other: a little of the diagonal keeps them apart and costs next to nothing.
    for (Eigen::Index k = 0; k < p; ++k) gram(k, k) = gram(k, k) * (1.0 + 1e-9) + 1e-12;
    const Eigen::MatrixXd whole = gram.selfadjointView<Eigen::Lower>();
    const Eigen::VectorXd weights = whole.ldlt().solve(columns.transpose() * y);
    const double within = (y - columns * weights).squaredNorm() / static_cast<double>(n - p);
    const double total = (y.array() - y.mean()).square().sum() / static_cast<double>(n - 1);
    return within / total;
  }
};

class Regression {
 public:
  Regression(const Dataset& data, const DenseStates& dense, const DiscreteActions& actions)
      : data_(data), dense_(dense), actions_(actions) {
    for (std::int64_t e = 0; e < data.episodes() && static_cast<std::int64_t>(rows_.size()) < most_rows; ++e) {
      for (std::int64_t i = data.first_step(e) + 1; i + 1 < data.first_step(e + 1); ++i) rows_.push_back(i);
    }
    const auto d = static_cast<std::size_t>(dense.dimension);
    mean_.resize(d);
    scale_.resize(d);
    for (std::size_t k = 0; k < d; ++k) {
      double sum = 0.0, squares = 0.0;
      for (std::int64_t i = 0; i < data.steps(); ++i) sum += at(i, k);
      mean_[k] = sum / static_cast<double>(data.steps());
      for (std::int64_t i = 0; i < data.steps(); ++i) squares += (at(i, k) - mean_[k]) * (at(i, k) - mean_[k]);
      const double variance = squares / static_cast<double>(data.steps());
      scale_[k] = variance > 0.0 ? 1.0 / std::sqrt(variance) : 0.0;
    }
  }

  std::int64_t rows() const { return static_cast<std::int64_t>(rows_.size()); }

  // Of the rewards, by states and actions so many rows on.
  double left(const std::vector<std::int64_t>& state_lags, const std::vector<std::int64_t>& action_lags) const {
    const auto n = static_cast<Eigen::Index>(rows_.size());
    std::vector<double> first;
    design_row(rows_.front(), state_lags, action_lags, first);
    Design design{.columns = Eigen::MatrixXd(n, static_cast<Eigen::Index>(first.size())), .y = Eigen::VectorXd(n)};
    std::vector<double> row;
    for (Eigen::Index k = 0; k < n; ++k) {
      const std::int64_t i = rows_[k];
      design_row(i, state_lags, action_lags, row);
      design.columns.row(k) = Eigen::Map<const Eigen::RowVectorXd>(row.data(), design.columns.cols());
      design.y(k) = data_.rewards()[i];
    }
    return design.left();
  }

 private:
  double at(std::int64_t row, std::size_t feature) const {
    return dense_.values[row * dense_.dimension + static_cast<std::int64_t>(feature)];
  }
  double scaled(std::int64_t row, std::size_t feature) const {
    return (at(row, feature) - mean_[feature]) * scale_[feature];
  }

  void design_row(std::int64_t i, const std::vector<std::int64_t>& state_lags,
                  const std::vector<std::int64_t>& action_lags, std::vector<double>& row) const {
    const auto d = static_cast<std::size_t>(dense_.dimension);
    row.assign(1, 1.0);
    for (const std::int64_t lag : state_lags) {
      for (std::size_t k = 0; k < d; ++k) row.push_back(scaled(i + lag, k));
      for (std::size_t k = 0; k < d && d <= most_squared; ++k) {
        for (std::size_t m = 0; m <= k; ++m) row.push_back(scaled(i + lag, k) * scaled(i + lag, m));
      }
    }
    for (const std::int64_t lag : action_lags) {
      for (std::int32_t a = 1; a < actions_.count; ++a) {
        const double taken = actions_.id[i + lag] == a ? 1.0 : 0.0;
        row.push_back(taken);
        for (std::size_t k = 0; k < d && d <= most_squared; ++k) row.push_back(taken * scaled(i + lag, k));
      }
    }
  }

  const Dataset& data_;
  const DenseStates& dense_;
  const DiscreteActions& actions_;
  std::vector<std::int64_t> rows_{};
  std::vector<double> mean_{}, scale_{};
};

}  // namespace

std::optional<Finding> misplaced_rewards(const Dataset& sample) {
  const auto* dense = std::get_if<DenseStates>(&sample.states());
  const auto* actions = std::get_if<DiscreteActions>(&sample.actions());
  if (dense == nullptr || actions == nullptr || dense->dimension > most_features || actions->count > most_actions)
    return std::nullopt;
  const auto [least, most] = std::minmax_element(sample.rewards().begin(), sample.rewards().end());
  if (*least == *most) return std::nullopt;
  const Regression regression(sample, *dense, *actions);
  if (regression.rows() < fewest_rows) return std::nullopt;
  const double own = regression.left({0}, {0});
  if (!(own > exact)) return std::nullopt;
  if (const double before = regression.left({-1}, {-1}); before < 0.5 * own && before < 0.7) {
    return Finding{Severity::warning, "rewards_late", {{"own", 1.0 - std::min(1.0, own)}, {"other", 1.0 - before}}};
  }
  // What both states and the own action explain is no surprise: rewards may be paid on arrival.
  const double natural = regression.left({0, 1}, {0});
  const double next = regression.left({0, 1}, {0, 1});
  if (natural > exact && next < 0.5 * natural && next < 0.7) {
    return Finding{
        Severity::warning, "rewards_fit_next", {{"own", 1.0 - std::min(1.0, natural)}, {"other", 1.0 - next}}};
  }
  return std::nullopt;
}

}  // namespace starope
