#pragma once

#include <functional>
#include <span>
#include <vector>

#include "starope/estimators.hpp"
#include "starope/q/action_regression.hpp"
#include "starope/q/q_logs.hpp"
#include "starope/q/state_features.hpp"

namespace starope {

// A Q-function fitted by one least-squares problem, the same at all times.
struct QRegressionFit {
  Coefficients coefficients{};
  // For a J with this derivative in the coefficients: its derivative in how often each episode of the problem counts.
  // Refers to the logs and features of the fit.
  std::function<std::vector<double>(const Coefficients& direction)> influence{};
};

// The derivative in the coefficients of a J with derivative slope (steps x actions) in Q on the rows of these episodes.
Coefficients direction_of(const QLogs& logs, const StateFeatures& features, std::span<const double> slope,
                          std::span<const std::int64_t> episodes);

// Q-Reg (Voloshin, Le, Jiang & Yue 2019): importance-weighted returns-to-go, regressed with weights g^t.
QRegressionFit fit_q_regression(const QLogs& logs, const StateFeatures& features,
                                std::span<const std::int64_t> episodes, double ridge);

// More robust doubly robust (Farajtabar, Chow & Ghavamzadeh 2018): the Q that minimizes the variance of the doubly
// robust estimator. Given the past, step t adds to that variance
//   g^2t rho_{0:t-1}^2 (D d)' Omega (D d),  d = Q - Q_pi,  D = diag(pi_e),  Omega = diag(1/pi_b) - 1 1'
// and with R the weighted return-to-go, E[rho_t (D Q - 1_a R)' Omega (D Q - 1_a R)] differs from it by a constant.
// The least-squares problem couples the actions of a state and nothing else: with indicator features one block of
// actions x actions per cell.
//
// Two things that the published program leaves open. Omega has a null direction, D Q along pi_b: there Q does not
// matter to the variance, but V(s) moves. And 1_a R is a noisy stand-in for the vector D Q_pi: a state that was seen
// once would get Q(a) = R / pi_e(a). For any fixed Q_0 the program in Q - Q_0 with R - Q_0(s, a) has the same
// expectation, so it is solved around the plain regression of the same returns, with the share `anchor` (of the trace)
// of that regression in it, which decides where the variance is indifferent. With anchor = 0 the program is the
// published one, and a ridge of 1e-8 picks one of its solutions.
QRegressionFit fit_mrdr(const QLogs& logs, const StateFeatures& features, std::span<const std::int64_t> episodes,
                        double ridge, double anchor = default_mrdr_anchor);

}  // namespace starope
