#include "starope/evaluate/inspection_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

using nlohmann::json;

TEST(InspectionJson, CarriesEverythingThatWasFound) {
  Inspection inspection = inspect(testing::random_logs({.episodes = 30, .shortest = 12, .longest = 12}, Seed{5}),
                                  {.discount = Discount{0.9}});
  inspection.file = "logs.csv";
  inspection.recognised = {{.name = "stay", .role = "episode"}};
  inspection.ignored = {"comment"};
  inspection.findings = {{Severity::info, "natural_horizon", {{"steps", 7}}}};
  const json answer = json::parse(to_json(inspection));
  EXPECT_EQ(answer["schema"], "starope.inspect/1");
  EXPECT_EQ(answer["columns"]["recognised"][0], (json{{"name", "stay"}, {"role", "episode"}}));
  EXPECT_EQ(answer["columns"]["ignored"], (json{"comment"}));
  EXPECT_EQ(answer["episodes"], 30);
  EXPECT_EQ(answer["steps"], 360);
  EXPECT_EQ(answer["length"], (json{{"min", 12}, {"median", 12.0}, {"mean", 12.0}, {"max", 12}}));
  EXPECT_EQ(answer["ends"]["terminated"].get<int>() + answer["ends"]["truncated"].get<int>(), 30);
  EXPECT_EQ(answer["state"]["kind"], "continuous");
  EXPECT_EQ(answer["state"]["dimension"], 2);
  EXPECT_EQ(answer["state"]["features"][1]["max"].get<double>(), inspection.features[1].range.max);
  EXPECT_EQ(answer["action"]["count"], 3);
  EXPECT_TRUE(answer["action"]["actions"][0]["target_mean_prob"].is_null());  // no full distributions
  EXPECT_EQ(answer["return"]["gamma"], 0.9);
  EXPECT_EQ(answer["ratio"]["max"].get<double>(), inspection.ratios->range.max);
  ASSERT_EQ(answer["weights"].size(), 5U);  // 1, 2, 5, 10, 12
  EXPECT_EQ(answer["weights"][4]["t"], 12);
  EXPECT_EQ(answer["weights"][4]["ess"].get<double>(), inspection.weights[4].ess);
  EXPECT_EQ(answer["findings"][0]["code"], "natural_horizon");
}

TEST(InspectionJson, WhatIsNotThereIsNull) {
  Inspection inspection;
  inspection.episodes = inspection.steps = 1;
  const json answer = json::parse(to_json(inspection));
  for (const char* key : {"state", "action", "ratio", "behavior_prob", "target_prob", "unsupported_target"}) {
    EXPECT_TRUE(answer[key].is_null()) << key;
  }
  EXPECT_TRUE(answer["weights"].empty());
}

TEST(InspectionJson, DiscreteStates) {
  const Inspection inspection =
      inspect(testing::random_logs({.episodes = 30, .discrete_states = 4}, Seed{5}), {.discount = Discount{1.0}});
  const json answer = json::parse(to_json(inspection));
  EXPECT_EQ(answer["state"]["kind"], "discrete");
  EXPECT_EQ(answer["state"]["distinct"], 4);
}

}  // namespace
}  // namespace starope
