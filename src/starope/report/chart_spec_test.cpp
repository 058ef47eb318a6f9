#include "starope/report/chart_spec.hpp"

#include <gtest/gtest.h>

#include <set>

#include "starope/report/embedded.hpp"

namespace starope {
namespace {

TEST(ChartSpec, IsAsWideAsThePageAndDescribed) {
  const Json spec = chart_spec("estimates", "two bars", Json::array({{{"value", 1.5}}}));
  EXPECT_EQ(spec.at("description"), "two bars");
  EXPECT_EQ(spec.at("width"), "container");
  EXPECT_EQ(spec.at("$schema").get<std::string>().rfind("https://vega.github.io/schema/vega-lite/", 0), 0U);
  EXPECT_EQ(spec.at("data").at("values").at(0).at("value"), 1.5);
}

// All values of "field" and of "color" or "fill" anywhere inside.
void collect(const Json& json, std::set<std::string>& fields, std::set<std::string>& colors) {
  if (!json.is_structured()) return;
  for (const auto& [key, value] : json.items()) {
    if (key == "field") fields.insert(value.get<std::string>());
    if ((key == "color" || key == "fill" || key == "stroke") && value.is_string()) colors.insert(value);
    collect(value, fields, colors);
  }
}

TEST(ChartSpec, EveryFileHasAPlaceForDataAndTakesColorsFromTheBase) {
  const Json files = Json::parse(chart_files());
  EXPECT_EQ(files.size(), 13u);
  for (const auto& [name, file] : files.items()) {
    if (name == "base") continue;
    EXPECT_EQ(file.at("data").dump(), R"({"values":[]})") << name;
    std::set<std::string> fields, colors;
    collect(file, fields, colors);
    EXPECT_FALSE(fields.empty()) << name;
    EXPECT_TRUE(colors.empty()) << name;
  }
}

TEST(ChartSpec, AChartOfRowsIsAsHighAsItsRows) {
  Json spec = chart_spec("heatmap", "three rows", Json::array());
  const auto step = spec.at("height").at("step").get<int>();
  set_rows(spec, 3);
  EXPECT_EQ(spec.at("height"), 3 * step);
}

TEST(ChartSpec, ColorsOfSeriesDiffer) {
  const std::vector<std::string> colors = chart_colors();
  EXPECT_EQ(std::set<std::string>(colors.begin(), colors.end()).size(), colors.size());
}

TEST(Dump, ReplacesBytesThatAreNoText) {
  EXPECT_EQ(dump(Json{{"name", "a\xff"}}), "{\"name\":\"a\xef\xbf\xbd\"}");
}

}  // namespace
}  // namespace starope
