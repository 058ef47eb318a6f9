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

// The sentence of a finding, also of one that was read from a file of another version.
std::string sentence(const Finding& finding);

Json json_findings(const std::vector<Finding>& findings);

// The way back. Null is NaN, or no number where there may be none; Json::exception where the tree is another one.
double number_from(const Json& json);
std::optional<double> optional_number_from(const Json& json);
std::vector<Finding> findings_from(const Json& json);

// A member that older files lack, or null.
const Json& member_or_null(const Json& json, const char* name);

// File names need not be UTF-8; JSON must be.
std::string json_text(const Json& json);

}  // namespace starope
