#include "starope/evaluate/json.hpp"

#include <cmath>
#include <utility>
#include <variant>

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
    Json parameters = Json::object();
    for (const FindingParameter& parameter : finding.parameters) {
      if (const auto* number = std::get_if<double>(&parameter.value)) {
        parameters[parameter.name] = json_number(*number);
      } else if (const auto* whole = std::get_if<std::int64_t>(&parameter.value)) {
        parameters[parameter.name] = *whole;
      } else {
        parameters[parameter.name] = std::get<std::string>(parameter.value);
      }
    }
    list.push_back({{"severity", name(finding.severity)},
                    {"code", finding.code},
                    {"parameters", std::move(parameters)},
                    {"message", text(finding)}});
  }
  return list;
}

std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace starope
