#pragma once

#include <vector>

#include "starope/evaluate.hpp"
#include "starope/report/page.hpp"

namespace starope {

// The estimated behavior policy: what was tried and how far the answer moves with it, and whether what it expects of
// episodes that it did not see happens there. Empty where the probabilities were logged.
std::vector<Figure> behavior_figures(const Evaluation& evaluation);

}  // namespace starope
