#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "starope/estimators/estimate.hpp"
#include "starope/estimators/step_terms.hpp"
#include "starope/problem.hpp"
#include "starope/q/fit_q.hpp"

namespace starope {

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
