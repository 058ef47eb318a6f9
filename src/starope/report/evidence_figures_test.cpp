#include "starope/report/evidence_figures.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace starope {
namespace {

using nlohmann::json;

json data_of(const Figure& figure) {
  return json::parse(figure.charts.at(0).spec).at("data").at("values");
}

TEST(EvidenceFigures, GroupsAreAForestAndTooFewHasNoLine) {
  Evaluation evaluation;
  EXPECT_FALSE(groups_figure(evaluation));
  evaluation.by = "age";
  evaluation.difference = Difference{};
  evaluation.groups = {
      {.group = "age < 65",
       .episodes = 1200,
       .value = 7.0,
       .interval = Interval{6.0, 8.0},
       .difference = {.value = 2.0, .interval = Interval{1.0, 3.0}}},
      {.group = "age >= 65", .episodes = 7, .too_few = true, .value = 3.0, .difference = {.value = 1.0}},
      {.group = "age = none", .too_few = true}};
  const Figure figure = groups_figure(evaluation).value();
  EXPECT_EQ(figure.table.rows.size(), 3U);
  EXPECT_EQ(figure.table.rows[0][1], "1,200");
  EXPECT_EQ(figure.table.rows[1][6], "too few");
  EXPECT_EQ(figure.table.rows[1][2], "3");
  EXPECT_EQ(figure.table.rows[2][2], "");  // no episodes: no value, and none of the difference
  EXPECT_EQ(figure.table.rows[2][5], "");
  const json data = data_of(figure);
  ASSERT_EQ(data.size(), 2U);  // a group without episodes is in the table only
  EXPECT_EQ(data.at(0).at("lower"), 1.0);
  EXPECT_EQ(data.at(1).at("lower"), data.at(1).at("upper"));
  EXPECT_EQ(data.at(1).at("note"), "too few episodes");
  evaluation.difference.reset();  // the logged policy is not known: values alone
  const Figure values = groups_figure(evaluation).value();
  EXPECT_TRUE(values.charts.empty());
  for (const auto& row : values.table.rows) EXPECT_EQ(row.size(), values.table.columns.size());
  EXPECT_EQ(values.table.rows[0][4], "8");
  EXPECT_EQ(values.caption.find("logged"), std::string::npos);
}

Answer recorded() {
  return {.estimator = "auto",
          .result = Estimate{.value = 3.0,
                             .details = {{.name = "ladder", .value = std::vector<double>{16, 64}},
                                         {.name = "plain_of_level", .value = std::vector<double>{2.5, 2.75}},
                                         {.name = "markov_delta", .value = 0.5},
                                         {.name = "markov_delta_std_error", .value = 0.25},
                                         {.name = "half_data_cells", .value = -0.125}}}};
}

TEST(EvidenceFigures, TheLadderHasAPointForEachLevel) {
  const Figure figure = ladder_figure(recorded(), 2).value();
  EXPECT_EQ(figure.id, "ladder-2");
  const json data = data_of(figure);
  ASSERT_EQ(data.size(), 2U);
  EXPECT_EQ(data.at(1).at("cells"), 64.0);
  EXPECT_EQ(data.at(1).at("value"), 2.75);
  EXPECT_EQ(data.at(1).at("answer"), 3.0);
}

TEST(EvidenceFigures, DoubtsHaveTwoStandardErrorsWhereTheseAreKnown) {
  const json data = data_of(doubts_figure(recorded(), 2).value());
  ASSERT_EQ(data.size(), 2U);
  EXPECT_EQ(data.at(0).at("lower"), 0.0);
  EXPECT_EQ(data.at(0).at("upper"), 1.0);
  EXPECT_EQ(data.at(1).at("lower"), -0.125);
}

TEST(EvidenceFigures, NothingWithoutARecord) {
  const Answer plain{.estimator = "wis", .result = Estimate{.value = 1.0}};
  const Answer failed{.estimator = "auto", .result = Failure{}};
  for (const Answer& answer : {plain, failed}) {
    EXPECT_FALSE(ladder_figure(answer, 0));
    EXPECT_FALSE(doubts_figure(answer, 0));
  }
}

TEST(EvidenceFigures, DistributionsOfReturnsAreDrawn) {
  Evaluation evaluation;
  evaluation.distributions = {{.method = "logged", .points = {1.0}, .cdf = {1.0}, .below = {{.at = 2.0, .value = 1.0}}},
                              {.method = "dr",
                               .points = {1.0, 3.0},
                               .cdf = {0.25, 1.0},
                               .below = {{.at = 2.0, .value = 0.25}},
                               .believed = true}};
  const Figure figure = risk_figure(evaluation).value();
  const json data = data_of(figure);
  ASSERT_EQ(data.size(), 3U);
  EXPECT_EQ(data.at(1),
            (json{{"method", "dr"}, {"return", 1.0}, {"probability", 0.25}, {"place", 0}, {"believed", true}}));
  EXPECT_NE(figure.charts.at(0).description.find("the one to believe is dr"), std::string::npos);
}

TEST(EvidenceFigures, RisksAreATableThatSaysWhomToBelieve) {
  Evaluation evaluation;
  EXPECT_FALSE(risk_figure(evaluation));
  evaluation.distributions = {{.method = "logged", .quantiles = {{.at = 0.1, .value = 11.0}}},
                              {.method = "arp",
                               .quantiles = {{.at = 0.1, .value = 15.0, .interval = Interval{9.0, 22.0, 0.95, "x"}}},
                               .ess = 610.0,
                               .believed = true}};
  const Figure figure = risk_figure(evaluation).value();
  ASSERT_EQ(figure.table.rows.size(), 2U);
  EXPECT_EQ(figure.table.rows[1], (std::vector<std::string>{"quantile 0.1", "arp", "15", "9", "22", "610", "yes"}));
  EXPECT_NE(figure.caption.find("Believe arp"), std::string::npos);
}

}  // namespace
}  // namespace starope
