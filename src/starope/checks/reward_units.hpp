#pragma once

#include <optional>

#include "starope/data.hpp"
#include "starope/finding.hpp"

namespace starope {

// Rewards of few sizes that come in two units: every size of the smaller group appears 100, 1,000, ... times as large
// as well, and which of the two it is depends on nothing that is logged (size, action, region of the states, last row),
// or only on the episode. RewardSizes looks at rewards of many sizes.
std::optional<Finding> multiplied_rewards(const Dataset& sample);

}  // namespace starope
