#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "starope/base/finding.hpp"

namespace starope {

using Json = nlohmann::ordered_json;  // keys in the order in which they are explained

// JSON has no infinity and no NaN.
Json json_number(double x);
Json json_number(const std::optional<double>& x);

Json json_findings(const std::vector<Finding>& findings);

// File names need not be UTF-8; JSON must be.
std::string json_text(const Json& json);

}  // namespace starope
