#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "starope/q/q_logs.hpp"
#include "starope/q/state_features.hpp"

namespace starope {

// Coefficients of a Q-function that is linear in features: actions x width, row by row.
using Coefficients = std::vector<double>;

// q(row, a) = coefficients of a . features of the row, for every row of the list and every action.
std::vector<double> linear_values(const StateFeatures& features, const Coefficients& coefficients, std::int32_t actions,
                                  std::span<const std::int64_t> rows);

// Adds weight[i][a] times the features of rows[i] to the coefficients of action a: the transpose of linear_values. Rows
// whose weights are all zero cost nothing.
void add_features(const StateFeatures& features, std::span<const std::int64_t> rows, std::span<const double> weights,
                  std::int32_t actions, Coefficients& sum);

// The rows of some steps and the actions taken there.
struct TakenRows {
  std::vector<std::int64_t> row{};
  std::vector<std::int32_t> action{};

  TakenRows() = default;
  explicit TakenRows(std::span<const LoggedStep> steps);
  std::size_t size() const noexcept { return row.size(); }
};

// q(row, action taken there), for every step.
std::vector<double> taken_values(const StateFeatures& features, const Coefficients& coefficients,
                                 const TakenRows& steps);

// Adds y[i] times the features of step i to the coefficients of its action: the transpose of taken_values.
void add_taken_features(const StateFeatures& features, const TakenRows& steps, std::span<const double> y,
                        Coefficients& sum);

// Weighted ridge regression on the features of the state, separately for every action: minimizes
//   sum over steps of w (y - b_a . phi)^2 + ridge * (mean diagonal of the Gram matrix of a) * |b_a|^2.
// Indicator features make it a table of weighted means, in time linear in the steps; with ridge 0 exactly. What was
// never seen has coefficients zero.
class ActionRegression {
 public:
  // Without weights every step counts once.
  ActionRegression(const StateFeatures& features, std::span<const LoggedStep> steps, std::span<const double> weights,
                   std::int32_t actions, double ridge);
  ~ActionRegression();
  ActionRegression(ActionRegression&&) noexcept;
  ActionRegression& operator=(ActionRegression&&) noexcept;

  Coefficients fit(std::span<const double> y) const;  // one y per step

  // G^-1 right, action by action, G the Gram matrix with its ridge: a fit is the solution for right = sum of w y phi.
  Coefficients solve(const Coefficients& right) const;

  // d (direction . coefficients) / d y, for every step: w phi' G^-1 direction of the step's action. With ridge 0 and
  // residuals e, sum of leverage * e is zero: this is what influence functions are made of.
  std::vector<double> leverage(const Coefficients& direction) const;

  // For indicator features: the total weight of each (action, cell).
  const std::vector<double>& weight_of_cells() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace starope
