#include "starope/study_report/study_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/report.hpp"
#include "starope/report/embedded.hpp"
#include "starope/study.hpp"

namespace starope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

StudyResults example(const std::string& domain) {
  StudyResults all;
  all.header = {.study = "s", .domains = {domain}, .checksum = ""};
  all.truths[domain] = {.domain = domain, .value = 10.0};
  double error = 1.0;
  for (const char* name : {"naive", "star(clusters=2,clip=1)", "star(clusters=2,clip=2)", "star(clusters=4,clip=1)",
                           "star(clusters=4,clip=2)"}) {
    for (std::int64_t trial = 0; trial < 2; ++trial) {
      StudyResult result{.domain = domain, .size = 50, .trial = trial, .estimator = name};
      result.answer = StudyAnswer{.value = 10.0 + error};
      all.results.push_back(result);
      error += 0.5;
    }
  }
  return all;
}

TEST(StudyReport, HasTheFiguresOfThePaper) {
  const Page page = study_page(summarize(example("cartpole")));
  ASSERT_EQ(page.figures.size(), 3U);
  EXPECT_EQ(page.figures[0].charts.size(), 1U);
  EXPECT_EQ(page.figures[1].charts.size(), 1U);
  EXPECT_EQ(page.figures[2].charts.size(), 1U);
  EXPECT_EQ(page.figures[1].table.rows.size(), 4U);
  ASSERT_EQ(page.tables.size(), 2U);  // CartPole with 50 episodes is a case of the paper
  EXPECT_EQ(page.tables[0].rows[0][3], "naive");
  EXPECT_TRUE(page.notes.empty());
  EXPECT_EQ(study_page(summarize(example("own"))).tables.size(), 1U);
}

TEST(StudyReport, FailuresAreSaid) {
  StudyResults all = example("d");
  all.results[0].answer = Failure{.code = "c", .message = "m"};
  const Page page = study_page(summarize(all));
  ASSERT_EQ(page.notes.size(), 1U);
  EXPECT_THAT(page.notes[0].text, HasSubstr("1 result"));
}

TEST(StudyReport, NamesAreOnlyText) {
  ASSERT_TRUE(has_chart_runtime()) << "built without Vega: tools/install_dependencies.sh web, and configure again";
  const std::string html = study_report(summarize(example("<script>alert(1)</script>")));
  const std::string body = html.substr(html.find("<main>"), html.find("</main>") - html.find("<main>"));
  EXPECT_THAT(body, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(body, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
}

}  // namespace
}  // namespace starope
