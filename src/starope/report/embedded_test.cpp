#include "starope/report/embedded.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/error.hpp"
#include "starope/report.hpp"

namespace starope {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(Embedded, FilesAreWhole) {
  EXPECT_THAT(page_style(), HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(page_style(), EndsWith("}\n"));
  EXPECT_THAT(page_script(), EndsWith("})();\n"));
}

TEST(Embedded, ChartRuntime) {
  if (!has_chart_runtime()) {
    EXPECT_THROW(chart_runtime(), FileError);
    FAIL() << "built without Vega: tools/install_dependencies.sh web, and configure again";
  }
  const ChartRuntime runtime = chart_runtime();
  EXPECT_THAT(runtime.license, HasSubstr("Redistribution"));
  EXPECT_GT(runtime.vega.size(), 200'000U);
  EXPECT_GT(runtime.vega_lite.size(), 100'000U);
  EXPECT_THAT(runtime.vega_embed, HasSubstr("vegaEmbed"));
  // Inside <script> nothing may look like its end.
  for (const std::string_view part : {runtime.vega, runtime.vega_lite, runtime.vega_embed}) {
    EXPECT_EQ(part.find("</script"), std::string_view::npos);
  }
}

}  // namespace
}  // namespace starope
