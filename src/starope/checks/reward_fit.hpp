#pragma once

#include <optional>

#include "starope/data.hpp"
#include "starope/finding.hpp"

namespace starope {

// Do the rewards stand in the rows of the steps that earned them? A regression on the state (its squares and products,
// where there are few features) and the action must not explain them far better from the row before, nor may the action
// of the next row explain what both states and the own action do not. For logs of real-valued states and discrete
// actions.
std::optional<Finding> misplaced_rewards(const Dataset& sample);

}  // namespace starope
