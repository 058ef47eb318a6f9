#pragma once

#include <cstdint>
#include <span>

#include "starope/auto/coalitions.hpp"
#include "starope/auto/cross_scores.hpp"
#include "starope/auto/pooled_tables.hpp"

namespace starope {

// The double ARP of the time-pooled family (docs/auto-math.md 2.2). With bars for means over the members of a
// coalition, Omega(s) = n sum_k d_k(z) / N(z) and omega_k(s) = n d_k(z) / Np(z), an episode scores
//
//   Vbar_0(s_0) + sum over all t of w_t Omegabar(s_t) [r_t - rbar(s_t)]
//               + sum over t with a seen outcome of
//                   w_t sum_{k<H} omegabar_k(s_t) [g Vbar_{k+1}(s_{t+1}) - (Vbar_k(s_t) - rbar(s_t))]
//
// with Vbar = 0 after a termination. For one member the corrections add up to zero: the mean score is the plain value,
// and the scores minus their mean are its influence function.
//
// `tolerance`: of the basis of functions of the step (step_basis.hpp).
// The tables must come from these episodes (problem and bag as then). One score per given episode, in their order.
CoalitionScores pooled_scores(const Bag& bag, const PooledTables& tables, const Problem& problem,
                              std::span<const std::int64_t> episodes, Coalitions coalitions,
                              Threads threads = Threads::all(), double tolerance = fine_steps);

}  // namespace starope
