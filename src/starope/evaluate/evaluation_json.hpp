#pragma once

#include <string>

#include "starope/evaluate/evaluation.hpp"

namespace starope {

// One JSON object, schema "starope.evaluate/1": numbers in full precision, never NaN or infinity.
std::string to_json(const Evaluation& evaluation);

}  // namespace starope
