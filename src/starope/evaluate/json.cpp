#include "starope/evaluate/json.hpp"

#include <cmath>

namespace starope {

Json json_number(double x) {
  return std::isfinite(x) ? Json(x) : Json(nullptr);
}

Json json_number(const std::optional<double>& x) {
  return x ? json_number(*x) : Json(nullptr);
}

Json json_findings(const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"severity", name(finding.severity)}, {"code", finding.code}, {"message", finding.message}});
  }
  return list;
}

std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace starope
