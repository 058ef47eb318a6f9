#pragma once

#include <string>
#include <vector>

#include "starope/compare.hpp"

namespace starope {

// What people ask first: which policy is best, which are not told apart, and what speaks against an answer. Before all
// that, which answers are none.
std::vector<std::string> comparison_sentences(const Comparison& comparison);

}  // namespace starope
