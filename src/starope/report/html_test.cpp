#include "starope/report/html.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace starope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Html, EscapesWhatHasAMeaning) {
  EXPECT_EQ(escape_html("<script>alert('x') && \"y\"</script>"),
            "&lt;script&gt;alert(&#39;x&#39;) &amp;&amp; &quot;y&quot;&lt;/script&gt;");
  EXPECT_EQ(escape_html("naïve → star"), "naïve → star");
}

TEST(Html, JsonCannotEndItsElementAndStaysTheSame) {
  const nlohmann::json json{{"</script><script>", "<!-- & </SCRIPT"}, {"x", 1}};
  const std::string safe = escape_script_json(json.dump());
  EXPECT_EQ(safe.find('<'), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(safe), json);
}

TEST(Html, TablesEscapeEveryCell) {
  const std::string html =
      table_html({.caption = "a<b", .columns = {{"<c>"}, {"n", true}}, .rows = {{"<td>", "1"}, {"x", "2"}}});
  EXPECT_THAT(html, HasSubstr("<caption>a&lt;b</caption>"));
  EXPECT_THAT(html, HasSubstr("<th scope=\"col\">&lt;c&gt;</th>"));
  EXPECT_THAT(html, HasSubstr("<td>&lt;td&gt;</td><td class=\"number\">1</td>"));
  EXPECT_THAT(html, Not(HasSubstr("<td><td>")));
}

TEST(Html, Numbers) {
  EXPECT_EQ(short_number(0.0), "0");
  EXPECT_EQ(short_number(1234.56), "1235");
  EXPECT_EQ(short_number(0.000012345), "1.234e-05");
  EXPECT_EQ(short_number(1.0 / 0.0), "");
  EXPECT_EQ(short_number(std::optional<double>(2.5)), "2.5");
  EXPECT_EQ(short_number(std::optional<double>()), "");
}

}  // namespace
}  // namespace starope
