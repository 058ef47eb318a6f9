#pragma once

#include "starope/data/problem.hpp"
#include "starope/estimators/estimate.hpp"
#include "starope/qfunction/fit_q.hpp"

namespace starope {

// mb, fqe, qreg and mrdr: the mean over episodes of V(s_0) = sum_a pi_e(a|s_0) Q(s_0, a).
struct DirectMethod {
  QSource q{};
};

Estimate estimate(const DirectMethod& estimator, const Problem& problem, const EstimateOptions& options = {});

// What the fit of a Q-function has to say, added to an estimate.
void add_fit(QFit& fit, const QLogs& logs, Estimate& estimate);

}  // namespace starope
