#pragma once

#include <string>

#include "starope/evaluate/evaluation.hpp"
#include "terminal.hpp"

namespace starope::cli {

// The answer for people: what was read, one row per estimator, what there is to know about them, how to read it.
std::string evaluation_text(const Evaluation& evaluation, const Terminal& terminal);

}  // namespace starope::cli
