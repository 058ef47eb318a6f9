#pragma once

#include <vector>

#include "starope/evaluate/spec.hpp"

namespace starope {

// mis and dice: the estimators that weigh by occupancy.
std::vector<EstimatorSpec> flow_specs();

}  // namespace starope
