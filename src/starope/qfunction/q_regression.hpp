#pragma once

#include <span>
#include <vector>

#include "starope/qfunction/action_regression.hpp"
#include "starope/qfunction/q_logs.hpp"
#include "starope/qfunction/state_features.hpp"

namespace starope {

// A Q-function fitted by one least-squares problem, the same at all times.
struct QRegressionFit {
  Coefficients coefficients{};
  // One per episode of the problem: its influence on the mean of V(s_0) through the coefficients; V(s_0) - J itself is
  // not in it.
  std::vector<double> influence{};
};

// Q-Reg (Voloshin, Le, Jiang & Yue 2019): importance-weighted returns-to-go, regressed with weights g^t.
QRegressionFit fit_q_regression(const QLogs& logs, const StateFeatures& features,
                                std::span<const std::int64_t> episodes, double ridge);

// More robust doubly robust (Farajtabar, Chow & Ghavamzadeh 2018): the Q that minimises the variance of the doubly
// robust estimator. Given the past, step t adds to that variance
//   g^2t rho_{0:t-1}^2 (D d)' Omega (D d),  d = Q - Q_pi,  D = diag(pi_e),  Omega = diag(1/pi_b) - 1 1'
// and with R the weighted return-to-go, E[rho_t (D Q - 1_a R)' Omega (D Q - 1_a R)] differs from it by a constant.
// The least-squares problem couples the actions of a state and nothing else: with indicator features one block of
// actions x actions per cell. Omega has a null direction, D Q along pi_b, in which Q does not matter to the variance;
// the ridge chooses there.
QRegressionFit fit_mrdr(const QLogs& logs, const StateFeatures& features, std::span<const std::int64_t> episodes,
                        double ridge);

}  // namespace starope
