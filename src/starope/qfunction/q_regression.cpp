#include "starope/qfunction/q_regression.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "starope/qfunction/weighted_returns.hpp"

namespace starope {
namespace {

std::vector<std::int64_t> rows_of(std::span<const LoggedStep> steps) {
  std::vector<std::int64_t> rows;
  rows.reserve(steps.size());
  for (const LoggedStep& step : steps) rows.push_back(step.row);
  return rows;
}

// One step of the quadratic form: D Omega D = diag(square) - p p', right-hand side y (chosen - p), where p is pi_e on
// the actions that the behaviour policy can take.
struct Form {
  std::vector<double> p, square;  // pi_e, pi_e^2 / pi_b
  double chosen = 0.0;            // pi_e / pi_b of the logged action

  void set(const QLogs& logs, const LoggedStep& step) {
    const auto target = logs.target(step.row), behavior = logs.behavior(step.row);
    p.assign(target.begin(), target.end());
    square.resize(p.size());
    for (std::size_t a = 0; a < p.size(); ++a) {
      if (behavior[a] <= 0.0) p[a] = 0.0;
      square[a] = p[a] == 0.0 ? 0.0 : p[a] * p[a] / behavior[a];
    }
    const auto a = static_cast<std::size_t>(step.action);
    chosen = p[a] == 0.0 ? 0.0 : p[a] / behavior[a];
  }
  // u' (D Omega 1_a) and u' (D Omega D) v
  double right(std::span<const double> u, std::int32_t action) const {
    return chosen * u[static_cast<std::size_t>(action)] - mean_over_actions(p, u);
  }
  double quadratic(std::span<const double> u, std::span<const double> v) const {
    double sum = -mean_over_actions(p, u) * mean_over_actions(p, v);
    for (std::size_t a = 0; a < p.size(); ++a) sum += square[a] * u[a] * v[a];
    return sum;
  }
};

// The weight of plain regression in every step: so that its part of the trace is `share` of the variance's.
double anchor_weight(const QLogs& logs, std::span<const LoggedStep> steps, std::span<const double> weights,
                     double share) {
  double trace = 0.0;
  Form form;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (weights[i] == 0.0) continue;
    form.set(logs, steps[i]);
    for (const double square : form.square) trace += weights[i] * square;
  }
  // Without any weight there is no variance to speak of: plain regression.
  return trace > 0.0 ? share * trace / static_cast<double>(steps.size()) : 1.0;
}

// The normal equations of MRDR, factorised: one block per cell, or one for all features.
class MrdrEquations {
 public:
  MrdrEquations(const QLogs& logs, const StateFeatures& features, std::span<const LoggedStep> steps,
                std::span<const double> weights, std::span<const double> returns, double anchor, double ridge)
      : features_(features),
        anchor_(anchor),
        actions_(static_cast<std::size_t>(logs.actions())),
        width_(static_cast<std::size_t>(features.width)) {
    const std::size_t blocks = features.indicator() ? width_ : 1;
    const auto size = static_cast<Eigen::Index>(features.indicator() ? actions_ : actions_ * width_);
    std::vector<Eigen::MatrixXd> matrix(blocks);
    right_.assign(blocks, Eigen::VectorXd());
    for (std::size_t b = 0; b < blocks; ++b) {
      matrix[b] = Eigen::MatrixXd::Zero(size, size);
      right_[b] = Eigen::VectorXd::Zero(size);
    }
    if (features.indicator()) {
      add_cells(logs, steps, weights, returns, matrix);
    } else {
      add_numbers(logs, steps, weights, returns, matrix[0]);
    }
    for (Eigen::MatrixXd& m : matrix) {
      // The null direction of every block needs some ridge, whatever was asked for.
      const double mean = m.diagonal().mean();
      m.diagonal().array() += mean > 0.0 ? std::max(ridge, 1e-8) * mean : 1.0;
      factor_.emplace_back(m);
      m.resize(0, 0);
    }
  }

  Coefficients fit() const {
    Coefficients result(actions_ * width_, 0.0);
    for (std::size_t b = 0; b < factor_.size(); ++b) scatter(factor_[b].solve(right_[b]), b, result);
    return result;
  }

  Coefficients solve(const Coefficients& right) const {
    Coefficients result(actions_ * width_, 0.0);
    for (std::size_t b = 0; b < factor_.size(); ++b) {
      Eigen::VectorXd x(right_[b].size());
      for (Eigen::Index k = 0; k < x.size(); ++k) x[k] = right[place(b, static_cast<std::size_t>(k))];
      scatter(factor_[b].solve(x), b, result);
    }
    return result;
  }

 private:
  // Where unknown k of block b stands among the coefficients.
  std::size_t place(std::size_t b, std::size_t k) const { return features_.indicator() ? k * width_ + b : k; }
  void scatter(const Eigen::VectorXd& x, std::size_t b, Coefficients& result) const {
    for (Eigen::Index k = 0; k < x.size(); ++k) result[place(b, static_cast<std::size_t>(k))] = x[k];
  }

  void add_cells(const QLogs& logs, std::span<const LoggedStep> steps, std::span<const double> weights,
                 std::span<const double> returns, std::vector<Eigen::MatrixXd>& matrix) {
    Form form;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      form.set(logs, steps[i]);
      const std::size_t z = features_.cell[static_cast<std::size_t>(steps[i].row)];
      const Eigen::Map<const Eigen::VectorXd> p(form.p.data(), static_cast<Eigen::Index>(actions_));
      const Eigen::Map<const Eigen::VectorXd> square(form.square.data(), p.size());
      matrix[z].diagonal() += weights[i] * square;
      matrix[z].noalias() -= weights[i] * p * p.transpose();
      right_[z] -= weights[i] * returns[i] * p;
      right_[z][steps[i].action] += (weights[i] * form.chosen + anchor_) * returns[i];
      matrix[z](steps[i].action, steps[i].action) += anchor_;
    }
  }

  void add_numbers(const QLogs& logs, std::span<const LoggedStep> steps, std::span<const double> weights,
                   std::span<const double> returns, Eigen::MatrixXd& matrix) {
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const auto width = static_cast<Eigen::Index>(width_);
    const auto actions = static_cast<Eigen::Index>(actions_);
    Form form;
    constexpr std::size_t block = 512;
    for (std::size_t first = 0; first < steps.size(); first += block) {
      const auto count = static_cast<Eigen::Index>(std::min(block, steps.size() - first));
      Rows x(count, width), p(count, actions), square(count, actions), y(count, actions);
      for (Eigen::Index r = 0; r < count; ++r) {
        const std::size_t i = first + static_cast<std::size_t>(r);
        form.set(logs, steps[i]);
        const auto phi = features_.row(steps[i].row);
        for (Eigen::Index k = 0; k < width; ++k) x(r, k) = static_cast<double>(phi[static_cast<std::size_t>(k)]);
        for (Eigen::Index a = 0; a < actions; ++a) {
          const auto b = static_cast<std::size_t>(a);
          p(r, a) = std::sqrt(weights[i]) * form.p[b];
          const bool taken = a == steps[i].action;
          square(r, a) = weights[i] * form.square[b] + (taken ? anchor_ : 0.0);
          y(r, a) = returns[i] * (weights[i] * ((taken ? form.chosen : 0.0) - form.p[b]) + (taken ? anchor_ : 0.0));
        }
      }
      for (Eigen::Index a = 0; a < actions; ++a) {
        right_[0].segment(a * width, width).noalias() += x.transpose() * y.col(a);
        for (Eigen::Index b = 0; b <= a; ++b) {
          Eigen::VectorXd c = -p.col(a).cwiseProduct(p.col(b));
          if (a == b) c += square.col(a);
          matrix.block(a * width, b * width, width, width).noalias() += x.transpose() * (c.asDiagonal() * x);
        }
      }
    }
    matrix = matrix.selfadjointView<Eigen::Lower>();
  }

  const StateFeatures& features_;
  double anchor_;
  std::size_t actions_, width_;
  std::vector<Eigen::VectorXd> right_;
  std::vector<Eigen::LDLT<Eigen::MatrixXd>> factor_;
};

}  // namespace

Coefficients direction_of(const QLogs& logs, const StateFeatures& features, std::span<const double> slope,
                          std::span<const std::int64_t> episodes) {
  const auto actions = static_cast<std::size_t>(logs.actions());
  const std::vector<std::int64_t> rows = rows_of(logs.steps(episodes));
  std::vector<double> weights;
  weights.reserve(rows.size() * actions);
  for (const std::int64_t row : rows) {
    const auto part = slope.subspan(static_cast<std::size_t>(row) * actions, actions);
    weights.insert(weights.end(), part.begin(), part.end());
  }
  Coefficients direction(actions * static_cast<std::size_t>(features.width), 0.0);
  add_features(features, rows, weights, logs.actions(), direction);
  return direction;
}

QRegressionFit fit_q_regression(const QLogs& logs, const StateFeatures& features,
                                std::span<const std::int64_t> episodes, double ridge) {
  std::vector<LoggedStep> steps = logs.steps(episodes);
  std::vector<double> returns = weighted_returns(logs, steps);
  std::vector<double> weights;
  weights.reserve(steps.size());
  for (const LoggedStep& step : steps) weights.push_back(step.t == 0 ? 1.0 : weights.back() * logs.gamma());
  const auto regression = std::make_shared<const ActionRegression>(features, steps, weights, logs.actions(), ridge);
  QRegressionFit fit{.coefficients = regression->fit(returns)};
  fit.influence = [&logs, &features, b = fit.coefficients, steps = std::move(steps), returns = std::move(returns),
                   regression](const Coefficients& direction) {
    const auto actions = static_cast<std::size_t>(logs.actions());
    const std::vector<double> leverage = regression->leverage(direction);
    const std::vector<double> q = linear_values(features, b, logs.actions(), rows_of(steps));
    std::vector<double> influence(static_cast<std::size_t>(logs.problem().episodes()), 0.0);
    for (std::size_t i = 0; i < steps.size(); ++i)
      influence[static_cast<std::size_t>(steps[i].episode)] +=
          leverage[i] * (returns[i] - q[i * actions + static_cast<std::size_t>(steps[i].action)]);
    return influence;
  };
  return fit;
}

QRegressionFit fit_mrdr(const QLogs& logs, const StateFeatures& features, std::span<const std::int64_t> episodes,
                        double ridge, bool around_regression) {
  std::vector<LoggedStep> steps = logs.steps(episodes);
  std::vector<double> returns = weighted_returns(logs, steps);
  const std::vector<std::int64_t> rows = rows_of(steps);
  const auto actions = static_cast<std::size_t>(logs.actions());
  // Around the plain regression: see the header.
  QRegressionFit plain{.coefficients = Coefficients(actions * static_cast<std::size_t>(features.width), 0.0)};
  if (around_regression) {
    plain = fit_q_regression(logs, features, episodes, ridge);
    const std::vector<double> q = linear_values(features, plain.coefficients, logs.actions(), rows);
    for (std::size_t i = 0; i < steps.size(); ++i)
      returns[i] -= q[i * actions + static_cast<std::size_t>(steps[i].action)];
  }
  std::vector<double> weights = variance_weights(logs, steps);
  const double anchor = around_regression ? anchor_weight(logs, steps, weights, mrdr_regression_share) : 0.0;
  const auto equations = std::make_shared<const MrdrEquations>(logs, features, steps, weights, returns, anchor, ridge);
  const Coefficients change = equations->fit();
  QRegressionFit fit{.coefficients = plain.coefficients};
  for (std::size_t k = 0; k < change.size(); ++k) fit.coefficients[k] += change[k];
  // Normal equations sum_i (h_i - H_i b) = 0: db = H^-1 (h_i - H_i b) for one more episode i. The right-hand sides also
  // move with the plain regression, whose own influence carries that.
  fit.influence = [&logs, &features, change, steps = std::move(steps), rows, returns = std::move(returns),
                   weights = std::move(weights), anchor, equations, actions,
                   plain = std::move(plain.influence)](const Coefficients& direction) {
    const std::vector<double> u_at = linear_values(features, equations->solve(direction), logs.actions(), rows);
    const std::vector<double> q_at = linear_values(features, change, logs.actions(), rows);
    std::vector<double> influence(static_cast<std::size_t>(logs.problem().episodes()), 0.0);
    std::vector<double> through_plain(rows.size() * actions, 0.0);
    Form form;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      form.set(logs, steps[i]);
      const auto u_row = std::span(u_at).subspan(i * actions, actions);
      const auto q_row = std::span(q_at).subspan(i * actions, actions);
      const auto a = static_cast<std::size_t>(steps[i].action);
      const double of_return = weights[i] * form.right(u_row, steps[i].action) + anchor * u_row[a];
      influence[static_cast<std::size_t>(steps[i].episode)] +=
          of_return * returns[i] - weights[i] * form.quadratic(u_row, q_row) - anchor * u_row[a] * q_row[a];
      through_plain[i * actions + a] = -of_return;
    }
    if (!plain) return influence;
    Coefficients rest = direction;
    add_features(features, rows, through_plain, logs.actions(), rest);
    const std::vector<double> more = plain(rest);
    for (std::size_t i = 0; i < influence.size(); ++i) influence[i] += more[i];
    return influence;
  };
  return fit;
}

}  // namespace starope
