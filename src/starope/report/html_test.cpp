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
  EXPECT_THAT(html, HasSubstr("<th scope=\"row\">&lt;td&gt;</th><td class=\"number\">1</td>"));
  EXPECT_THAT(html, HasSubstr("role=\"region\" aria-label=\"a&lt;b\""));
  EXPECT_THAT(html, Not(HasSubstr("<td>")));  // neither of a cell nor of a text
  // Rows that begin with a number have no name, and a table without a caption is named by its columns.
  const std::string numbers = table_html({.columns = {{"n", true}, {"what"}}, .rows = {{"1", "x"}}});
  EXPECT_THAT(numbers, HasSubstr("<td class=\"number\">1</td><td>x</td>"));
  EXPECT_THAT(numbers, HasSubstr("aria-label=\"Table: n what\""));
  EXPECT_THAT(numbers, HasSubstr("<table aria-label=\"Table: n what\">"));  // also for who goes from table to table
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
