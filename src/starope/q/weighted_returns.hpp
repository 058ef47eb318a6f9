#pragma once

#include <span>
#include <vector>

#include "starope/q/q_logs.hpp"

namespace starope {

// For every step an unbiased estimate of Q(s_t, a_t) under the target policy from its own episode:
//   sum over u >= t of g^(u-t) (rho_{t+1} ... rho_u) r_u.
// A cut counts as an end. The steps must be whole episodes in order of time. DegenerateModel where the products leave
// the range of double.
std::vector<double> weighted_returns(const QLogs& logs, std::span<const LoggedStep> steps);

// g^(2t) rho_{0:t-1}^2 rho_t of every step, divided by their mean: how much the variance of the doubly robust estimator
// depends on Q there. All zero if the target policy never takes a logged action.
std::vector<double> variance_weights(const QLogs& logs, std::span<const LoggedStep> steps);

}  // namespace starope
