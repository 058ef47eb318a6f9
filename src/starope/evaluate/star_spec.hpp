#pragma once

#include "starope/evaluate/spec.hpp"

namespace starope {

// star(...), with all its abstractions.
EstimatorSpec star_spec();

}  // namespace starope
