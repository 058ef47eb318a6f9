#pragma once

#include <string>
#include <string_view>

#include "starope/evaluate/evaluation.hpp"

namespace starope {

// One JSON object, schema "starope.evaluate/1": numbers in full precision, never NaN or infinity.
std::string to_json(const Evaluation& evaluation);

// The way back: what to_json wrote gives the same JSON again. (What JSON does not have is empty: influence values, the
// meanings of details.) `source` is where the text comes from, for the DataError where it is no such JSON.
Evaluation evaluation_from_json(std::string_view text, const std::string& source = {});

}  // namespace starope
