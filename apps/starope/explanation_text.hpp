#pragma once

#include <string>

#include "starope/evaluate/evaluation.hpp"
#include "terminal.hpp"

namespace starope::cli {

// How every estimator that keeps a record came to its answer: name, number and meaning of each detail. Empty if none
// does.
std::string explanation_text(const Evaluation& evaluation, const Terminal& terminal);

}  // namespace starope::cli
