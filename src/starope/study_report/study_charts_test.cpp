#include "starope/study_report/study_charts.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "starope/study.hpp"

namespace starope {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;

EstimatorSummary with_error(const std::string& name, double bias, double variance) {
  EstimatorSummary s{.estimator = name, .trials = 10, .variance = variance};
  s.bias = bias;
  s.mse = bias * bias + variance;
  s.mse_std_error = 0.1 * *s.mse;
  return s;
}

StudySummary example() {
  CaseSummary of{.domain = "d", .size = 50};
  of.truth = StudyTruth{.domain = "d", .value = 1.0};
  of.estimators = {with_error("naive", 3.0, 1.0), with_error("auto", 0.0, 0.5)};
  for (const int clusters : {2, 4}) {
    for (const int clip : {1, 2}) {
      of.estimators.push_back(
          with_error("star(clusters=" + std::to_string(clusters) + ",clip=" + std::to_string(clip) + ")", 1.0 * clip,
                     1.0 * clusters));
    }
  }
  of.families = {{.family = "star", .members = {2, 4, 3, 5}, .best = 2, .median = 4}};
  of.winner = 1;
  return {.study = "s", .cases = {of}, .results = 60, .failures = 0};
}

TEST(StudyCharts, ComparesBestMedianAutoAndTheRest) {
  const StudySummary summary = example();
  std::vector<std::string> labels;
  for (const ComparedEstimator& each : compared_estimators(summary.cases[0])) labels.push_back(each.label);
  EXPECT_THAT(labels, ElementsAre("STAR best", "STAR median", "auto", "naive"));
}

TEST(StudyCharts, FamilyLabels) {
  EXPECT_EQ(family_label("star"), "STAR");
  EXPECT_EQ(family_label("star(horizon=none)"), "STAR");
  EXPECT_EQ(family_label("star(phi=random,horizon=none)"), "STAR random");
}

TEST(StudyCharts, BarsEndAtBiasAndAtTheSum) {
  const StudySummary summary = example();
  const auto range = error_range(summary, "d");
  EXPECT_EQ(range.first, 0.1);  // the smallest error is 0.5, half a power of ten of room below
  EXPECT_EQ(range.second, 100.0);
  const Chart chart = *error_chart(summary.cases[0], range);
  const json spec = json::parse(chart.spec);
  EXPECT_EQ(spec.at("layer").size(), 4U);
  for (const json& each : spec.at("data").at("values")) {
    EXPECT_NEAR(each.at("mse").get<double>(), each.at("bias_squared").get<double>() + each.at("variance").get<double>(),
                1e-12);
    EXPECT_GE(each.at("bias_end").get<double>(), range.first);  // a logarithmic axis has no zero
    EXPECT_GE(each.at("low").get<double>(), range.first);
  }
  EXPECT_EQ(spec.at("data").at("values").at(0).at("bias_end"), 1.0);
  EXPECT_NE(chart.description.find("The smallest is auto."), std::string::npos);
}

TEST(StudyCharts, AnErrorThatExplodesIsCutAndMarked) {
  StudySummary summary = example();
  summary.cases[0].estimators[0].mse = 1e30;  // naive
  const auto range = error_range(summary, "d");
  EXPECT_LE(range.second, 1e5);
  const json spec = json::parse(error_chart(summary.cases[0], range)->spec);
  EXPECT_EQ(spec.at("layer").at(3).at("mark").at("shape"), "triangle-right");
  EXPECT_EQ(spec.at("layer").at(3).at("transform").at(0).at("filter"), fmt::format("datum.mse > {}", range.second));
}

TEST(StudyCharts, EveryConfigurationIsAPoint) {
  const json spec = json::parse(configurations_chart(example(), "d")->spec);
  std::map<std::string, int> kinds;
  for (const json& each : spec.at("data").at("values")) ++kinds[each.at("kind")];
  EXPECT_EQ(kinds["best"], 1);
  EXPECT_EQ(kinds["median"], 1);
  EXPECT_EQ(kinds["configuration"], 2);
  EXPECT_EQ(kinds["endpoint"], 1);  // auto; there is no wpdis here
  EXPECT_FALSE(configurations_chart(example(), "other"));
}

TEST(StudyCharts, HeatmapHasACellPerMember) {
  const StudySummary summary = example();
  const json spec = json::parse(heatmap_chart(summary.cases[0], summary.cases[0].families[0], {0.0, 1.0})->spec);
  ASSERT_EQ(spec.at("data").at("values").size(), 4U);
  const json& first = spec.at("data").at("values").at(0);
  EXPECT_EQ(first.at("clusters"), 2);
  EXPECT_EQ(first.at("clip"), "1");
  EXPECT_NEAR(first.at("log_mse").get<double>(), std::log10(3.0), 1e-12);
}

}  // namespace
}  // namespace starope
