#include "starope/q/q_regression.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "starope/clustering/distinct_rows.hpp"
#include "starope/q/weighted_returns.hpp"
#include "starope/stats/matrix_product.hpp"

namespace starope {
namespace {

std::vector<std::int64_t> rows_of(std::span<const LoggedStep> steps) {
  std::vector<std::int64_t> rows;
  rows.reserve(steps.size());
  for (const LoggedStep& step : steps) rows.push_back(step.row);
  return rows;
}

// One step of the quadratic form: D Omega D = diag(square) - p p', right-hand side y (chosen - p), where p is pi_e on
// the actions that the behavior policy can take.
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
    const auto a = step.action;
    chosen = p[a] == 0.0 ? 0.0 : p[a] / behavior[a];
  }
  double entry(std::size_t a, std::size_t b) const { return (a == b ? square[a] : 0.0) - p[a] * p[b]; }
  Eigen::MatrixXd matrix() const {
    const auto size = static_cast<Eigen::Index>(p.size());
    return Eigen::MatrixXd::NullaryExpr(size, size, [&](Eigen::Index a, Eigen::Index b) {
      return entry(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
    });
  }
  // u' (D Omega 1_a) and u' (D Omega D) v
  double right(std::span<const double> u, std::int32_t action) const {
    return chosen * u[action] - mean_over_actions(p, u);
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

// Factorized, with the ridge that the null direction of Omega needs, whatever was asked for.
Eigen::LDLT<Eigen::MatrixXd> factorized(Eigen::MatrixXd matrix, double ridge) {
  const double mean = matrix.diagonal().mean();
  matrix.diagonal().array() += mean > 0.0 ? std::max(ridge, 1e-8) * mean : 1.0;
  return Eigen::LDLT<Eigen::MatrixXd>(matrix);
}

// The normal equations of MRDR: for every step w D Omega D + anchor 1_a 1_a' times phi phi'. With indicator features
// one block of actions x actions per cell.
class CellEquations {
 public:
  CellEquations(const QLogs& logs, const StateFeatures& features, std::span<const LoggedStep> steps,
                std::span<const double> weights, double anchor, double ridge)
      : width_(static_cast<std::size_t>(features.width)) {
    const auto actions = static_cast<Eigen::Index>(logs.actions());
    std::vector<Eigen::MatrixXd> block(width_, Eigen::MatrixXd::Zero(actions, actions));
    Form form;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      form.set(logs, steps[i]);
      Eigen::MatrixXd& m = block[features.cell[steps[i].row]];
      m += weights[i] * form.matrix();
      m(steps[i].action, steps[i].action) += anchor;
    }
    for (Eigen::MatrixXd& m : block) factor_.push_back(factorized(std::move(m), ridge));
  }

  Coefficients solve(const Coefficients& right) const {
    Coefficients result(right.size());
    for (std::size_t z = 0; z < width_; ++z) {
      const auto size = static_cast<Eigen::Index>(right.size() / width_);
      const Eigen::InnerStride<> stride(static_cast<Eigen::Index>(width_));
      using Strided = Eigen::InnerStride<>;
      Eigen::Map<Eigen::VectorXd, 0, Strided>(result.data() + z, size, stride) =
          factor_[z].solve(Eigen::Map<const Eigen::VectorXd, 0, Strided>(right.data() + z, size, stride));
    }
    return result;
  }

 private:
  std::size_t width_;
  std::vector<Eigen::LDLT<Eigen::MatrixXd>> factor_;
};

// Sum of c phi phi' over some rows.
Eigen::MatrixXd weighted_products(const StateFeatures& features, std::span<const std::int64_t> rows,
                                  std::span<const double> c) {
  constexpr std::size_t block = 256;
  const auto width = static_cast<Eigen::Index>(features.width);
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  RowMajor sum = RowMajor::Zero(width, width);
  for (std::size_t first = 0; first < rows.size(); first += block) {
    const auto part = rows.subspan(first, std::min(block, rows.size() - first));
    const auto count = static_cast<Eigen::Index>(part.size());
    RowMajor x(count, width);
    copy_rows(features, part, x.data());
    const Eigen::Map<const Eigen::VectorXd> weight(c.data() + first, count);
    const RowMajor weighted = weight.asDiagonal() * x;
    add_symmetric_product(x.data(), weighted.data(), part.size(), static_cast<std::size_t>(width), sum.data());
  }
  return sum.selfadjointView<Eigen::Lower>();
}

// The same for features that are numbers: one matrix, of blocks width x width for pairs of actions. Where the policies
// take few different pairs of distributions, D Omega D is one of few matrices: phi phi' is summed for each of them,
// once per step. Otherwise for each pair of actions.
class NumberEquations {
 public:
  NumberEquations(const QLogs& logs, const StateFeatures& features, std::span<const LoggedStep> steps,
                  std::span<const double> weights, double anchor, double ridge)
      : width_(static_cast<Eigen::Index>(features.width)) {
    const auto actions = static_cast<std::size_t>(logs.actions());
    const auto size = static_cast<Eigen::Index>(actions) * width_;
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(size, size);
    if (const auto groups = by_policies(logs, steps, weights, actions * actions)) {
      for (const Group& group : *groups) {
        const Eigen::MatrixXd sum = weighted_products(features, group.rows, group.weights);
        for (Eigen::Index a = 0; a < group.form.rows(); ++a) {
          for (Eigen::Index b = 0; b <= a; ++b) block(matrix, a, b) += group.form(a, b) * sum;
        }
      }
    } else {
      add_by_actions(logs, features, steps, weights, matrix);
    }
    std::vector<std::vector<std::int64_t>> rows_of(actions);
    for (const LoggedStep& step : steps) rows_of[step.action].push_back(step.row);
    for (std::size_t a = 0; a < actions; ++a) {
      if (anchor == 0.0) break;
      const auto place = static_cast<Eigen::Index>(a);
      block(matrix, place, place) +=
          weighted_products(features, rows_of[a], std::vector<double>(rows_of[a].size(), anchor));
    }
    factor_ = factorized(matrix.selfadjointView<Eigen::Lower>(), ridge);
  }

  Coefficients solve(const Coefficients& right) const {
    const auto size = static_cast<Eigen::Index>(right.size());
    Coefficients result(right.size());
    Eigen::Map<Eigen::VectorXd>(result.data(), size) =
        factor_.solve(Eigen::Map<const Eigen::VectorXd>(right.data(), size));
    return result;
  }

 private:
  // The steps with one pair of distributions, and D Omega D there.
  struct Group {
    Eigen::MatrixXd form{};
    std::vector<std::int64_t> rows{};
    std::vector<double> weights{};
  };
  static std::optional<std::vector<Group>> by_policies(const QLogs& logs, std::span<const LoggedStep> steps,
                                                       std::span<const double> weights, std::size_t most) {
    std::vector<Group> groups;
    DistinctRows policies(std::int64_t{2} * logs.actions());
    Form form;
    std::vector<double> both;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (weights[i] == 0.0) continue;
      const auto target = logs.target(steps[i].row), behavior = logs.behavior(steps[i].row);
      both.assign(target.begin(), target.end());
      both.insert(both.end(), behavior.begin(), behavior.end());
      const auto id = static_cast<std::size_t>(policies.add(both).number);
      if (id >= most) return std::nullopt;
      if (id == groups.size()) {
        form.set(logs, steps[i]);
        groups.push_back({.form = form.matrix()});
      }
      groups[id].rows.push_back(steps[i].row);
      groups[id].weights.push_back(weights[i]);
    }
    return groups;
  }

  Eigen::Block<Eigen::MatrixXd> block(Eigen::MatrixXd& matrix, Eigen::Index a, Eigen::Index b) const {
    return matrix.block(a * width_, b * width_, width_, width_);
  }

  void add_by_actions(const QLogs& logs, const StateFeatures& features, std::span<const LoggedStep> steps,
                      std::span<const double> weights, Eigen::MatrixXd& matrix) const {
    const std::vector<std::int64_t> rows = rows_of(steps);
    std::vector<double> c(steps.size());
    Form form;
    for (Eigen::Index a = 0; a < logs.actions(); ++a) {
      for (Eigen::Index b = 0; b <= a; ++b) {
        for (std::size_t i = 0; i < steps.size(); ++i) {
          form.set(logs, steps[i]);
          c[i] = weights[i] * form.entry(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
        }
        block(matrix, a, b) += weighted_products(features, rows, c);
      }
    }
  }

  Eigen::Index width_;
  Eigen::LDLT<Eigen::MatrixXd> factor_;
};

class MrdrEquations {
 public:
  MrdrEquations(const QLogs& logs, const StateFeatures& features, std::span<const LoggedStep> steps,
                std::span<const double> weights, double anchor, double ridge)
      : equations_(make(logs, features, steps, weights, anchor, ridge)) {}

  Coefficients solve(const Coefficients& right) const {
    return std::visit([&](const auto& equations) { return equations.solve(right); }, equations_);
  }

 private:
  using Either = std::variant<CellEquations, NumberEquations>;
  static Either make(const QLogs& logs, const StateFeatures& features, std::span<const LoggedStep> steps,
                     std::span<const double> weights, double anchor, double ridge) {
    if (features.indicator()) return CellEquations(logs, features, steps, weights, anchor, ridge);
    return NumberEquations(logs, features, steps, weights, anchor, ridge);
  }

  Either equations_;
};

// The right-hand side: y (w D Omega 1_a + anchor 1_a) phi of all steps.
Coefficients mrdr_right(const QLogs& logs, const StateFeatures& features, std::span<const LoggedStep> steps,
                        std::span<const double> weights, std::span<const double> y, double anchor) {
  const auto actions = static_cast<std::size_t>(logs.actions());
  std::vector<double> of_action(steps.size() * actions);
  Form form;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    form.set(logs, steps[i]);
    double* out = of_action.data() + i * actions;
    for (std::size_t a = 0; a < actions; ++a) out[a] = -weights[i] * y[i] * form.p[a];
    out[steps[i].action] += (weights[i] * form.chosen + anchor) * y[i];
  }
  Coefficients right(actions * static_cast<std::size_t>(features.width), 0.0);
  add_features(features, rows_of(steps), of_action, logs.actions(), right);
  return right;
}

}  // namespace

Coefficients direction_of(const QLogs& logs, const StateFeatures& features, std::span<const double> slope,
                          std::span<const std::int64_t> episodes) {
  const auto actions = static_cast<std::size_t>(logs.actions());
  std::vector<std::int64_t> rows;
  for (const std::int64_t i : episodes) {
    const LoggedEpisode episode = logs.problem().episode(i);
    for (std::int64_t t = 0; t < episode.length(); ++t) rows.push_back(episode.first_row + t);
  }
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
  const std::vector<double> returns = weighted_returns(logs, steps);
  std::vector<double> weights;
  weights.reserve(steps.size());
  for (const LoggedStep& step : steps) weights.push_back(step.t == 0 ? 1.0 : weights.back() * logs.gamma());
  const auto regression = std::make_shared<const ActionRegression>(features, steps, weights, logs.actions(), ridge);
  QRegressionFit fit{.coefficients = regression->fit(returns)};
  std::vector<double> residuals = taken_values(features, fit.coefficients, TakenRows(steps));
  for (std::size_t i = 0; i < steps.size(); ++i) residuals[i] = returns[i] - residuals[i];
  fit.influence = [&logs, steps = std::move(steps), residuals = std::move(residuals),
                   regression](const Coefficients& direction) {
    const std::vector<double> leverage = regression->leverage(direction);
    std::vector<double> influence(logs.problem().episodes(), 0.0);
    for (std::size_t i = 0; i < steps.size(); ++i) influence[steps[i].episode] += leverage[i] * residuals[i];
    return influence;
  };
  return fit;
}

QRegressionFit fit_mrdr(const QLogs& logs, const StateFeatures& features, std::span<const std::int64_t> episodes,
                        double ridge, double anchor_share) {
  std::vector<LoggedStep> steps = logs.steps(episodes);
  std::vector<double> returns = weighted_returns(logs, steps);
  const std::vector<std::int64_t> rows = rows_of(steps);
  const auto actions = static_cast<std::size_t>(logs.actions());
  // Around the plain regression: see the header.
  QRegressionFit plain{.coefficients = Coefficients(actions * static_cast<std::size_t>(features.width), 0.0)};
  if (anchor_share > 0.0) {
    plain = fit_q_regression(logs, features, episodes, ridge);
    const std::vector<double> q = taken_values(features, plain.coefficients, TakenRows(steps));
    for (std::size_t i = 0; i < steps.size(); ++i) returns[i] -= q[i];
  }
  std::vector<double> weights = variance_weights(logs, steps);
  const double anchor = anchor_share > 0.0 ? anchor_weight(logs, steps, weights, anchor_share) : 0.0;
  const auto equations = std::make_shared<const MrdrEquations>(logs, features, steps, weights, anchor, ridge);
  const Coefficients change = equations->solve(mrdr_right(logs, features, steps, weights, returns, anchor));
  QRegressionFit fit{.coefficients = plain.coefficients};
  for (std::size_t k = 0; k < change.size(); ++k) fit.coefficients[k] += change[k];
  // Normal equations sum_i (h_i - H_i b) = 0: db = H^-1 (h_i - H_i b) for one more episode i. The right-hand sides also
  // move with the plain regression, whose own influence carries that.
  fit.influence = [&logs, &features, change, steps = std::move(steps), rows, returns = std::move(returns),
                   weights = std::move(weights), anchor, equations, actions,
                   plain = std::move(plain.influence)](const Coefficients& direction) {
    // H^-1 direction and the change, side by side for one pass.
    Coefficients both = equations->solve(direction);
    both.insert(both.end(), change.begin(), change.end());
    const std::vector<double> at = linear_values(features, both, 2 * logs.actions(), rows);
    std::vector<double> influence(logs.problem().episodes(), 0.0);
    std::vector<double> through_plain(rows.size());
    Form form;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      form.set(logs, steps[i]);
      const auto u_row = std::span(at).subspan(2 * i * actions, actions);
      const auto q_row = std::span(at).subspan((2 * i + 1) * actions, actions);
      const auto a = steps[i].action;
      const double of_return = weights[i] * form.right(u_row, steps[i].action) + anchor * u_row[a];
      influence[steps[i].episode] +=
          of_return * returns[i] - weights[i] * form.quadratic(u_row, q_row) - anchor * u_row[a] * q_row[a];
      through_plain[i] = -of_return;
    }
    if (!plain) return influence;
    Coefficients rest = direction;
    add_taken_features(features, TakenRows(steps), through_plain, rest);
    const std::vector<double> more = plain(rest);
    for (std::size_t i = 0; i < influence.size(); ++i) influence[i] += more[i];
    return influence;
  };
  return fit;
}

}  // namespace starope
