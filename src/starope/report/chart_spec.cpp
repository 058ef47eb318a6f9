#include "starope/report/chart_spec.hpp"

namespace starope {

Json base_spec(const std::string& description) {
  return {{"$schema", "https://vega.github.io/schema/vega-lite/v6.json"},
          {"description", description},
          {"width", "container"},
          {"autosize", {{"type", "fit-x"}, {"contains", "padding"}}}};
}

Json tooltip(std::initializer_list<std::pair<const char*, const char*>> fields) {
  Json list = Json::array();
  for (const auto& [field, title] : fields) list.push_back({{"field", field}, {"title", title}});
  return list;
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace starope
