#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "starope/estimators/estimate.hpp"
#include "starope/problem.hpp"
#include "starope/q/fit_q.hpp"
#include "starope/q/learned_model.hpp"

namespace starope {

Estimate estimate(const DirectMethod& estimator, const Problem& problem, const EstimateOptions& options = {});
Estimate estimate(const LearnedModel& estimator, const Problem& problem, const EstimateOptions& options = {});

// Adds to an estimate's influence values what episodes move through the fit, for a derivative of the estimate in Q.
QInfluence add_fit_influence(const QFit& fit, std::span<const double> slope, Estimate& result);

// Pairs of cell and action that the target policy reaches and the logs do not show: how probably it gets there.
void add_unseen(double unseen, std::int64_t pairs, const std::string& cell_name, Estimate& result);

// Influence values sum to zero; a ridge leaves the fit's part a little off.
void center_influence(Estimate& result);

// Of a network, where it matters.
Finding fit_not_in_error();

// What the fit of a Q-function has to say, added to an estimate.
void add_fit(QFit& fit, const QLogs& logs, Estimate& estimate);

}  // namespace starope
