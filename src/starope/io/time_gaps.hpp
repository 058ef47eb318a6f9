#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "starope/finding.hpp"

namespace starope::io {

// Steps that are missing where t counts them: integers, most of which follow each other at the same, smallest distance.
// Times of a clock do not, and their gaps say nothing. An episode may also begin late, where most begin with the same
// t. Rows offsets[i] .. offsets[i+1] are an episode, in order; the last may have no time (NaN).
std::optional<Finding> gaps_in_t(std::span<const double> t, const std::vector<std::int64_t>& offsets);

}  // namespace starope::io
