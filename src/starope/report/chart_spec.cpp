#include "starope/report/chart_spec.hpp"

#include <utility>

#include "starope/report/embedded.hpp"

namespace starope {

Json chart_spec(const std::string& name, const std::string& description, Json values) {
  const Json files = Json::parse(chart_files());
  Json spec = files.at(name);
  spec["description"] = description;
  spec.update(files.at("base"));
  spec.at("data").at("values") = std::move(values);
  return spec;
}

void set_rows(Json& spec, std::size_t rows) {
  spec.at("height") = spec.at("height").at("step").get<std::size_t>() * rows;
}

Json chart_colors() {
  return Json::parse(chart_files()).at("base").at("config").at("range").at("category");
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace starope
