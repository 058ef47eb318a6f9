#pragma once

#include <optional>
#include <string>
#include <vector>

#include "starope/compare.hpp"

namespace starope {

// What people ask first: which policy is best, which are not told apart, and what speaks against an answer. Before all
// that, which answers are none.
std::vector<std::string> comparison_sentences(const Comparison& comparison);

// How the behavior policy was estimated, which is the same for all policies; none: it was logged.
std::optional<std::string> behavior_note(const Comparison& comparison);

}  // namespace starope
