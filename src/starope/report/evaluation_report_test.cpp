#include "starope/report/evaluation_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "starope/evaluate.hpp"
#include "starope/report.hpp"
#include "starope/report/embedded.hpp"

namespace starope {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

json example(const std::string& feature = "x") {
  return {{"schema", "starope.evaluate/1"},
          {"data",
           {{"file", "logs.csv"},
            {"episodes", 10},
            {"steps", 20},
            {"truncated", 3},
            {"gamma", 1.0},
            {"horizon", nullptr},
            {"ess", 4.5},
            {"findings", json::array()}}},
          {"estimates",
           {{{"estimator", "naive"},
             {"value", 2.0},
             {"std_error", 0.5},
             {"interval", {{"lower", 1.0}, {"upper", 3.0}, {"level", 0.95}, {"method", "influence"}}},
             {"ess", 10.0},
             {"findings", json::array()}},
            {{"estimator", "star(phi=one)"},
             {"value", 2.5},
             {"std_error", nullptr},
             {"interval", nullptr},
             {"ess", nullptr},
             {"findings", {{{"severity", "warning"}, {"code", "low_ess"}, {"message", "few <episodes>"}}}}},
            {{"estimator", "is"}, {"error", {{"code", "c"}, {"message", "no weights"}}}, {"findings", json::array()}}}},
          {"ess_by_step", {{{"t", 1}, {"ess", 9.0}}, {{"t", 2}, {"ess", 4.5}}}},
          {"processes",
           {{{"estimator", "star(phi=one)"},
             {"cells", 1},
             {"shown",
              {{{"cell", 0},
                {"share", 1.0},
                {"visits", 2.0},
                {"value", 2.5},
                {"reward", 1.25},
                {"exit", 0.5},
                {"start", 1.0},
                {"features", {{{"name", feature}, {"value", 0.5}}}},
                {"ids", json::array()}}}},
             {"moves", {{0, 0, 0.5}}}}}}};
}

Evaluation from(const json& text) {
  return evaluation_from_json(text.dump());
}

TEST(EvaluationReport, HasEveryPart) {
  const Page page = evaluation_page(from(example()));
  ASSERT_EQ(page.figures.size(), 4U);
  EXPECT_EQ(page.figures[0].table.rows.size(), 3U);
  EXPECT_THAT(page.figures[0].caption, HasSubstr("naive is what the logged policy earned"));
  EXPECT_EQ(page.figures[0].table.rows[2].back(), "no weights");
  const json estimates = json::parse(page.figures[0].charts[0].spec);
  EXPECT_EQ(estimates.at("data").at("values").size(), 2U);  // the failed one is in the table only
  EXPECT_EQ(estimates.at("data").at("values").at(1).at("lower"), 2.5);
  ASSERT_EQ(page.figures[3].charts.size(), 2U);
  const json matrix = json::parse(page.figures[3].charts[1].spec);
  ASSERT_EQ(matrix.at("data").at("values").size(), 2U);  // the end, and the move to itself
  EXPECT_EQ(matrix.at("data").at("values").at(0).at("to"), "end");
  EXPECT_EQ(page.figures[3].table.rows[0].back(), "x = 0.5");
  EXPECT_EQ(page.figures[1].id, "findings");
  EXPECT_EQ(page.figures[1].table.rows[0][2], "few <episodes>");
  EXPECT_THAT(page.lead[1], HasSubstr("3 of them cut off"));
}

TEST(EvaluationReport, WhatIsWrongWithTheLogsStandsAboveTheAnswers) {
  json wrong = example();
  wrong["data"]["findings"] = {{{"severity", "critical"}, {"code", "c"}, {"message", "copied <episodes>"}},
                               {{"severity", "info"}, {"code", "i"}, {"message", "by the way"}}};
  const Page page = evaluation_page(from(wrong));
  ASSERT_EQ(page.notes.size(), 1U);
  EXPECT_EQ(page.notes[0].severity, "critical");
  EXPECT_EQ(page.notes[0].text, "copied <episodes>");
  EXPECT_TRUE(evaluation_page(from(example())).notes.empty());
}

TEST(EvaluationReport, ShowsHowAnEstimatorChose) {
  json chosen = example();
  chosen["estimates"][0]["details"] = {{"model_family", "pooled"}, {"drift", {1.5, 2.0}}, {"clipped", true}};
  const Page page = evaluation_page(from(chosen));
  ASSERT_EQ(page.figures.size(), 5U);
  EXPECT_EQ(page.figures[3].title, "How naive came to its answer");  // details come last
  EXPECT_THAT(page.figures[3].table.rows,
              ::testing::UnorderedElementsAre(::testing::ElementsAre("model family", "pooled"),
                                              ::testing::ElementsAre("drift", "1.5, 2"),
                                              ::testing::ElementsAre("clipped", "yes")));
}

TEST(EvaluationReport, PicturesTheFamiliesOfAnAnswer) {
  json weighed = example();
  weighed["estimates"][0]["families"] =
      json::array({{{"family", "waves"}, {"value", 2.0}, {"error", 0.5}, {"weight", 0.75}, {"reason", "its spread"}},
                   {{"family", "cells"}, {"value", 3.0}, {"error", 1.0}, {"weight", 0.25}, {"reason", "finer cells"}}});
  const Page page = evaluation_page(from(weighed));
  ASSERT_EQ(page.figures.size(), 5U);
  const Figure& figure = page.figures[1];
  EXPECT_EQ(figure.title, "The families behind naive");
  EXPECT_THAT(figure.table.rows[1], ::testing::ElementsAre("cells", "3", "1", "0.25", "finer cells"));
  const json chart = json::parse(figure.charts.at(0).spec);
  ASSERT_EQ(chart.at("data").at("values").size(), 2U);
  EXPECT_EQ(chart.at("data").at("values").at(1).at("lower"), 2.0);
  EXPECT_EQ(chart.at("data").at("values").at(1).at("upper"), 4.0);
  EXPECT_EQ(chart.at("data").at("values").at(0).at("weight"), 0.75);
}

TEST(EvaluationReport, BeginsWithTheAnswerAndItsVerdict) {
  Evaluation evaluation = from(example());
  EXPECT_TRUE(evaluation_page(evaluation).answer.empty());
  evaluation.answer = 1;
  evaluation.difference = Difference{.value = 0.5, .logged = 2.0};
  evaluation.verdict =
      Verdict{.grade = Grade::doubtful, .reasons = {{.code = "low_ess", .reason = "few", .advice = "Log more."}}};
  const Page page = evaluation_page(evaluation);
  ASSERT_EQ(page.answer.size(), 2U);
  EXPECT_EQ(page.answer[0], "The target policy earns 2.5 per episode, says star(phi=one).");
  EXPECT_EQ(page.answer[1], "That is 0.5 more than the 2 of the logged policy.");
  ASSERT_EQ(page.notes.size(), 1U);
  EXPECT_EQ(page.notes[0].severity, "warning");
  EXPECT_EQ(page.notes[0].label, "Doubtful");
  EXPECT_EQ(page.notes[0].text, "few. Log more.");
  EXPECT_FALSE(page.notes_first);
  evaluation.verdict->grade = Grade::not_answerable;
  EXPECT_TRUE(evaluation_page(evaluation).notes_first);
}

TEST(EvaluationReport, PlainJsonIsEnough) {
  json plain = example();
  plain.erase("ess_by_step");
  plain.erase("processes");
  EXPECT_EQ(evaluation_page(from(plain)).figures.size(), 2U);
}

TEST(EvaluationReport, AColumnNamedScriptShowsItsName) {
  ASSERT_TRUE(has_chart_runtime()) << "built without Vega: tools/install_dependencies.sh web, and configure again";
  const std::string html = evaluation_report(from(example("<script>alert(1)</script>")));
  const std::string body = html.substr(html.find("<main>"), html.find("</main>") - html.find("<main>"));
  EXPECT_THAT(body, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(body, HasSubstr("<td>&lt;script&gt;alert(1)&lt;/script&gt; = 0.5</td>"));
  EXPECT_THAT(body, HasSubstr("few &lt;episodes&gt;"));
}

}  // namespace
}  // namespace starope
