#pragma once

#include <optional>
#include <string>

#include "starope/checks/probability_checks.hpp"

namespace starope {

// A usual mistake that would explain why probabilities do not fit the logged actions: undone, they do. "swapped",
// "base10" (both columns), "behavior_base10", "target_base10", "behavior_factor" (all of them have a common factor),
// "target_sum" (those of the behavior policy fit, so the others are wrong), or else "unknown".
std::string likely_mistake(const Dataset& sample);

// Actions that were read as numbers and look like ids: few whole numbers that come again and again, as tables write
// them that know no integers with gaps. Probabilities then pass for densities, and most checks are left out.
std::optional<Finding> ids_as_numbers(const Dataset& sample);

}  // namespace starope
