#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "starope/data/problem.hpp"
#include "starope/estimators/estimate.hpp"
#include "starope/estimators/step_terms.hpp"
#include "starope/q/fit_q.hpp"

namespace starope {

// MAGIC (Thomas & Brunskill 2016): a blend of returns g_j that follow the weighted doubly robust sum up to step j and
// take the Q-function's word for what comes after. j = -1 is the Q-function alone, the last one is wdr. The weights
// minimise x' (Omega + b b') x on the simplex: Omega the covariance of the returns, b how far each lies outside a
// bootstrap interval of wdr.
struct Magic {
  QSource q{};
  std::int64_t folds = 1;
  std::int64_t returns = 25;      // how many returns are blended, evenly spaced over the horizon; at least 2
  std::int64_t replicates = 200;  // of the bootstrap
  Seed seed{};
  friend bool operator==(const Magic&, const Magic&) = default;
};

Estimate estimate(const Magic& estimator, const Problem& problem, const EstimateOptions& options = {});

// The steps j of `returns` returns over `horizon` steps: -1, then multiples of horizon / returns, and horizon - 1 for
// wdr itself. With enough returns, all of -1 .. horizon - 1.
std::vector<std::int64_t> return_steps(std::int64_t returns, std::int64_t horizon);

// Omega = n / (n - 1) sum_i (c_i - mean c)(c_i - mean c)': c_i what episode i adds to every return (they are sums over
// episodes). returns x returns.
std::vector<double> return_covariance(const Problem& problem, const StepTerms& terms, const WeightedTerms& sums,
                                      std::span<const std::int64_t> steps);

// The returns themselves.
std::vector<double> step_returns(const Problem& problem, const WeightedTerms& sums,
                                 std::span<const std::int64_t> steps);

// The weights of the returns: x' (covariance + bias bias') x at its least.
std::vector<double> magic_weights(std::span<const double> covariance, std::span<const double> bias);

}  // namespace starope
