#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "starope/estimators/estimate.hpp"
#include "starope/types.hpp"

namespace starope {

// For whom: the value and the difference of every group of episodes, from one estimate of all of them.
//
// value + influence of an episode is its share of the estimate (a doubly robust score, for `auto`), so the mean over a
// group that is known before the first action estimates what the policy earns there, and the groups add up to the
// whole. Intervals hold for all groups at once: groups share no episodes, so their errors are independent but for those
// of the models, and each has the level whose power is the level that is asked for.
//
// `group_of` has a group for every episode. Groups of fewer than 20 episodes, or whose standard error rests on fewer
// than 10 of them, are too few: they have no interval. Empty where the estimate has no influence values.
std::vector<GroupAnswer> group_answers(const Estimate& target, const Estimate& logged,
                                       std::span<const std::int32_t> group_of, std::span<const std::string> names,
                                       std::optional<Level> level);

}  // namespace starope
