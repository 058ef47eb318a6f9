#pragma once

#include <optional>
#include <string>
#include <vector>

#include "starope/base/types.hpp"
#include "starope/evaluate/estimator.hpp"
#include "starope/evaluate/estimator_call.hpp"
#include "starope/evaluate/estimator_text.hpp"

namespace starope {

// The names of the estimators with a Q-function: mb, fqe, qreg, mrdr, dr, wdr, magic.
const std::vector<std::string>& q_estimator_names();

// The estimator that the call describes, or nothing if its name is not among them. The Q-function of dr, wdr and magic
// is q=fqe|qreg|mrdr|mb|FILE.csv; its options stand beside it or in parentheses behind it: dr(q=fqe,features=rbf) and
// dr(q=fqe(features=rbf)) mean the same.
std::optional<Estimator> parse_q_estimator(const EstimatorCall& call, const EstimatorFiles& files, Seed seed);

}  // namespace starope
