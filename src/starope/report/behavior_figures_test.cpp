#include "starope/report/behavior_figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace starope {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Evaluation estimated() {
  Evaluation evaluation;
  evaluation.behavior =
      BehaviorView{.method = "counts",
                   .setting = "pseudo-counts 2",
                   .methods = {{"counts", "pseudo-counts 2", std::log(0.5), 3.25}, {"global", "", std::log(0.25), {}}},
                   .estimator = "wis",
                   .calibration = {{0.4, 0.5, 0.5, 0.75, 100}, {0.9, 1.0, 0.95, 0.5, 3}}};
  return evaluation;
}

TEST(BehaviorFigures, SayHowFarTheAnswerMovesWithTheMethod) {
  EXPECT_TRUE(behavior_figures(Evaluation{}).empty());
  const Figure figure = behavior_figures(estimated()).at(0);
  EXPECT_THAT(figure.caption, HasSubstr("The behavior policy was estimated from the logged actions by counts"));
  EXPECT_THAT(figure.caption, HasSubstr("what wis answers with it"));
  ASSERT_EQ(figure.table.rows.size(), 2U);
  EXPECT_THAT(figure.table.rows[0], ElementsAre("counts", "pseudo-counts 2", "0.5", "3.25"));
  EXPECT_THAT(figure.table.rows[1], ElementsAre("global", "", "0.25", ""));
  const json data = json::parse(figure.charts.at(0).spec).at("data").at("values");
  ASSERT_EQ(data.size(), 1U);  // what has no answer is in the table only
  EXPECT_EQ(data.at(0).at("value"), 3.25);
}

TEST(BehaviorFigures, CalibrationHasWhatChanceAloneDoes) {
  const Figure figure = behavior_figures(estimated()).at(1);
  EXPECT_THAT(figure.table.rows.at(0), ElementsAre("0.4", "0.5", "0.5", "0.75", "0.05", "100"));
  const json data = json::parse(figure.charts.at(0).spec).at("data").at("values");
  EXPECT_EQ(data.at(0).at("lower"), 0.4);
  EXPECT_EQ(data.at(0).at("upper"), 0.6);
  EXPECT_EQ(data.at(1).at("upper"), 1.0);                                                 // no more than certain
  EXPECT_THAT(figure.charts.at(0).description, HasSubstr("largest difference is 0.25"));  // three pairs say nothing
}

}  // namespace
}  // namespace starope
