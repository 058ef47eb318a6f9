#pragma once

#include <string>

#include "evaluation.hpp"

namespace starope::cli {

// One JSON object, schema "starope.evaluate/1": numbers in full precision, never NaN or infinity.
std::string evaluation_json(const Evaluation& evaluation);

}  // namespace starope::cli
