#pragma once

#include <string>

#include "starope/evaluate/inspection.hpp"

namespace starope {

// One JSON object, schema "starope.inspect/1"; what the data do not have is null.
std::string to_json(const Inspection& inspection);

}  // namespace starope
