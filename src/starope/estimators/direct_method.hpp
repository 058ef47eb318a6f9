#pragma once

#include "starope/data/problem.hpp"
#include "starope/estimators/estimate.hpp"
#include "starope/qfunction/fit_q.hpp"
#include "starope/qfunction/learned_model.hpp"

namespace starope {

// mb, fqe, qreg and mrdr: the mean over episodes of V(s_0) = sum_a pi_e(a|s_0) Q(s_0, a).
struct DirectMethod {
  QSource q{};
};

// mb(model=mlp): rollouts of a process that networks have learned, for real-valued states.
struct LearnedModel {
  LearnedModelOptions options{};
};

Estimate estimate(const DirectMethod& estimator, const Problem& problem, const EstimateOptions& options = {});
Estimate estimate(const LearnedModel& estimator, const Problem& problem, const EstimateOptions& options = {});

// What the fit of a Q-function has to say, added to an estimate.
void add_fit(QFit& fit, const QLogs& logs, Estimate& estimate);

}  // namespace starope
