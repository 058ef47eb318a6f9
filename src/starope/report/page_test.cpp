#include "starope/report/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "starope/report.hpp"
#include "starope/report/embedded.hpp"

namespace starope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Everything of a page but the runtime.
std::string front(const Page& page) {
  const std::string html = page_html(page);
  return html.substr(html.find("<main>"), html.find("</main>") - html.find("<main>"));
}

Page hostile() {
  const std::string evil = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(1)>";
  Figure figure{.id = "f", .title = evil, .caption = evil};
  figure.charts.push_back({.title = evil,
                           .description = evil,
                           .spec = "{\"a\":\""
                                   "</script><script>alert(1)"
                                   "\"}"});
  figure.table = {.caption = evil, .columns = {{evil}}, .rows = {{evil}}};
  return {.title = evil, .lead = {evil}, .notes = {{evil, evil}}, .tables = {figure.table}, .figures = {figure}};
}

TEST(Page, NothingFromOutsideBecomesMarkup) {
  ASSERT_TRUE(has_chart_runtime()) << "built without Vega: tools/install_dependencies.sh web, and configure again";
  const std::string html = front(hostile());
  EXPECT_THAT(html, Not(HasSubstr("<script>")));
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_THAT(html, Not(HasSubstr("\"'>")));
  EXPECT_THAT(page_html(hostile()).substr(0, 3000), Not(HasSubstr("<title></script>")));
}

TEST(Page, NotesComeBeforeAnAnswerThatIsNone) {
  Page page{.title = "T", .answer = {"the number"}, .notes = {{.severity = "critical", .text = "the reason"}}};
  const auto reason_is_first = [](const Page& shown) {
    const std::string html = page_html(shown);
    return html.find("the reason") < html.find("the number");
  };
  EXPECT_FALSE(reason_is_first(page));
  page.notes_first = true;
  EXPECT_TRUE(reason_is_first(page));
}

TEST(Page, IsSelfContainedAndAccessible) {
  ASSERT_TRUE(has_chart_runtime()) << "built without Vega: tools/install_dependencies.sh web, and configure again";
  Page page{.title = "T"};
  Figure figure{.id = "errors", .title = "Errors", .caption = "c"};
  figure.charts.push_back({.title = "a", .description = "shows a", .spec = "{}"});
  figure.table = {.columns = {{"x"}}, .rows = {{"1"}}};
  page.figures = {figure};
  const std::string html = page_html(page);
  const std::string head = html.substr(0, html.find("<style>"));
  EXPECT_THAT(html, HasSubstr("<html lang=\"en\">"));
  EXPECT_THAT(head, HasSubstr("width=device-width"));
  EXPECT_THAT(head, HasSubstr("default-src 'none'"));
  EXPECT_THAT(head, HasSubstr("base-uri 'none'; form-action 'none'"));
  EXPECT_TRUE(std::regex_search(head, std::regex("script-src( 'sha256-[A-Za-z0-9+/]{43}='){4};")));
  EXPECT_THAT(head, Not(HasSubstr("unsafe-eval")));
  const std::string body = front(page);
  EXPECT_THAT(body, HasSubstr("role=\"img\" aria-label=\"shows a\""));
  EXPECT_THAT(body, HasSubstr("<details><summary>Table: Errors</summary>"));
  // No element of ours asks for another file.
  EXPECT_FALSE(std::regex_search(head + body, std::regex("<(link|img|iframe|script[^>]*src)")));
}

}  // namespace
}  // namespace starope
