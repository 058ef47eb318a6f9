#pragma once

#include <cstdint>
#include <span>

#include "starope/q/linear_fqe.hpp"
#include "starope/q/q_logs.hpp"
#include "starope/q/state_features.hpp"

namespace starope {

// The maximum-likelihood Markov decision process over the cells of indicator features, solved for pi_e: without horizon
// by elimination, with one by exactly so many steps. No rollouts. Ends are mass that leaves, pairs (cell, action) that
// the logs never show earn nothing. What is found in the next cell is weighted with pi_e of the state that was logged
// there, so cells may hold states in which pi_e differs.
//
// It is the fixed point of fitted Q evaluation with the same features. DegenerateModel where that does not exist.
QLayers solve_tabular_model(const QLogs& logs, const StateFeatures& features, std::span<const std::int64_t> episodes);

}  // namespace starope
