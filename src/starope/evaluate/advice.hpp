#pragma once

#include <vector>

#include "starope/inspect.hpp"

namespace starope {

// What the numbers of an inspection mean for an evaluation, in plain words, the most important first.
std::vector<Finding> advice(const Inspection& inspection);

}  // namespace starope
