#include "starope/report/chart_spec.hpp"

#include <gtest/gtest.h>

namespace starope {
namespace {

TEST(BaseSpec, IsAsWideAsThePageAndDescribed) {
  const Json spec = base_spec("two bars");
  EXPECT_EQ(spec.at("description"), "two bars");
  EXPECT_EQ(spec.at("width"), "container");
  EXPECT_EQ(spec.at("$schema").get<std::string>().rfind("https://vega.github.io/schema/vega-lite/", 0), 0U);
}

TEST(Tooltip, ListsFieldsWithTitlesInOrder) {
  EXPECT_EQ(dump(tooltip({{"t", "steps"}, {"ess", "episodes"}})),
            R"([{"field":"t","title":"steps"},{"field":"ess","title":"episodes"}])");
}

TEST(Dump, ReplacesBytesThatAreNoText) {
  EXPECT_EQ(dump(Json{{"name", "a\xff"}}), "{\"name\":\"a\xef\xbf\xbd\"}");
}

}  // namespace
}  // namespace starope
