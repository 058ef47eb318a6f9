#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "starope/problem.hpp"
#include "starope/q/q_logs.hpp"
#include "starope/q/q_values.hpp"
#include "starope/stats/scaled.hpp"
#include "starope/types.hpp"

namespace starope {

// What a Q-function contributes to the doubly robust sum, one per step: r - Q(s, a), and V(s). Behind the end of an
// episode both are zero, and its running product of ratios stays at its last value.
struct StepTerms {
  std::vector<double> residual{};
  std::vector<double> value{};
};
StepTerms step_terms(const QValues& q, const QLogs& logs);

// The self-normalized sums of the weighted doubly robust estimator, by time: with W_t = rho_{0:t}, W_{-1} = 1,
//   weight_t = sum_i W_t,  residual_t = sum_i W_t (r - Q) / weight_t,  value_t = sum_i W_{t-1} V / weight_{t-1}.
// Where no episode has weight the means are 0.
struct WeightedTerms {
  std::vector<ScaledSum> weight{};
  std::vector<double> residual{}, value{};
};
WeightedTerms weighted_terms(const Problem& problem, const StepTerms& terms, Threads threads);

// The first step from which no episode has weight, or longest.
std::size_t supported_steps(const WeightedTerms& sums);

// A blend of returns that leave the weighted sum for the model after j steps has multipliers by time:
//   value = sum_t g^t ( x_t residual_t + y_t value_t ),  x_t, y_t: the total weight of the returns that contain the
// term. All 1: the weighted doubly robust estimator.
struct Blend {
  std::vector<double> residual{}, value{};
};
Blend whole_sum(const WeightedTerms& sums);
double blended_value(const Problem& problem, const WeightedTerms& sums, const Blend& blend);

// One value per episode, the multipliers held fixed:
//   n sum_t g^t ( x_t W_t (r - Q - residual_t) / weight_t + y_t W_{t-1} (V - value_t) / weight_{t-1} ).
std::vector<double> blended_influence(const Problem& problem, const StepTerms& terms, const WeightedTerms& sums,
                                      const Blend& blend, Threads threads);

// The derivative of the blend in Q(row, a), steps x actions: g^t ( y_t W_{t-1} pi_e(a|s) / weight_{t-1} - x_t W_t 1{a
// was taken} / weight_t ). Unweighted: the weights are replaced by the number of episodes.
std::vector<double> blended_slope(const QLogs& logs, const WeightedTerms& sums, const Blend& blend);
std::vector<double> unweighted_slope(const QLogs& logs);

// The value of the weighted doubly robust estimator in bootstrap replicates: every episode counts Poisson(1) times, a
// function of (seed, episode, replicate). A replicate without any episode counts 0.
std::vector<double> bootstrap_weighted(const Problem& problem, const StepTerms& terms, std::int64_t replicates,
                                       Seed seed, Threads threads);

}  // namespace starope
