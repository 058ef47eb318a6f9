#pragma once

#include <cstdint>

#include "starope/data/problem.hpp"
#include "starope/estimators/estimate.hpp"
#include "starope/q/fit_q.hpp"

namespace starope {

// dr (Jiang & Li 2016): the mean over episodes of
//   sum_t g^t ( rho_{0:t} (r_t - Q(s_t, a_t)) + rho_{0:t-1} V(s_t) )
// and wdr (Thomas & Brunskill 2016), where the weights of each time sum to one. A cut counts as an end, as for pdis and
// wpdis, which these are with Q = 0. The standard error contains the fit of Q, except
// for networks, which it takes as they are.
struct DoublyRobust {
  QSource q{};
  bool weighted = false;
  std::int64_t folds = 1;  // above 1: Q of an episode comes from a fit to the episodes of other folds
  friend bool operator==(const DoublyRobust&, const DoublyRobust&) = default;
};

Estimate estimate(const DoublyRobust& estimator, const Problem& problem, const EstimateOptions& options = {});

}  // namespace starope
