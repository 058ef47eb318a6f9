#pragma once

#include <vector>

#include "starope/evaluate/spec.hpp"

namespace starope {

// mb, fqe, qreg, mrdr, dr, wdr and magic. The Q-function of the last three is q=fqe|qreg|mrdr|mb|FILE.csv; its options
// stand beside it or in parentheses behind it: dr(q=fqe,features=rbf) and dr(q=fqe(features=rbf)) mean the same.
std::vector<EstimatorSpec> q_specs();

}  // namespace starope
