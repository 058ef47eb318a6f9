#pragma once

// Helpers of the units that write JSON; includes the JSON library, so only sources include it.

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "starope/base/finding.hpp"

namespace starope::cli {

using Json = nlohmann::ordered_json;  // keys in the order in which they are explained

// JSON has no infinity and no NaN.
inline Json json_number(double x) {
  return std::isfinite(x) ? Json(x) : Json(nullptr);
}
inline Json json_number(const std::optional<double>& x) {
  return x ? json_number(*x) : Json(nullptr);
}

inline Json json_findings(const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"severity", name(finding.severity)}, {"code", finding.code}, {"message", finding.message}});
  }
  return list;
}

// File names need not be UTF-8; JSON must be.
inline std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace starope::cli
