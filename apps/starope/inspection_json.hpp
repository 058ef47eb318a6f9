#pragma once

#include <string>

#include "inspection.hpp"

namespace starope::cli {

// One JSON object, schema "starope.inspect/1"; what the data do not have is null.
std::string inspection_json(const Inspection& inspection);

}  // namespace starope::cli
