#include "starope/inspect.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

using nlohmann::json;

TEST(InspectionJson, CarriesEverythingThatWasFound) {
  Inspection inspection = inspect(testing::random_logs({.episodes = 30, .shortest = 12, .longest = 12}, Seed{5}),
                                  {.discount = Discount{0.9}});
  inspection.file = "logs.csv";
  inspection.recognized = {{.name = "stay", .role = "episode"}};
  inspection.ignored = {"comment"};
  inspection.findings = {{Severity::info, "natural_horizon", {{"steps", 7}}}};
  const json answer = json::parse(to_json(inspection));
  EXPECT_EQ(answer["schema"], "starope.inspect/1");
  EXPECT_EQ(answer["columns"]["recognized"][0], (json{{"name", "stay"}, {"role", "episode"}}));
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

TEST(InspectionJson, ComesBackAsItWent) {
  for (const std::int64_t ids : {0, 4}) {
    Inspection inspection = inspect(testing::random_logs({.episodes = 40,
                                                          .longest = 30,
                                                          .discrete_states = ids,
                                                          .zero_target = 0.05,
                                                          .truncated = 0.5,
                                                          .final_states = 0.5},
                                                         Seed{6}),
                                    {.discount = Discount{0.9}, .ends_logged = ids == 0});
    inspection.file = "logs.csv";
    inspection.recognized = {{.name = "stay", .role = "episode"}};
    inspection.ignored = {"comment", "place"};
    inspection.actions[1].behavior = 0.1;
    inspection.actions[1].target = 1.0 / 3.0;
    inspection.unsupported_target = 0.25;
    ASSERT_TRUE(inspection.truncated_lengths && inspection.ratios && !inspection.findings.empty());
    const std::string text = to_json(inspection);
    EXPECT_EQ(inspection_from_json(text), inspection);
    EXPECT_EQ(to_json(inspection_from_json(text)), text);
  }
  Inspection little;
  little.episodes = little.steps = 1;
  little.action_dimension = 3;
  little.weights_fail_at = 7;
  EXPECT_EQ(inspection_from_json(to_json(little)), little);
}

TEST(InspectionJson, RefusesWhatIsNoInspection) {
  Inspection little;
  little.episodes = little.steps = 1;
  json other = json::parse(to_json(little));
  other.erase("ends");
  for (const std::string& text :
       {std::string("{"), std::string("[]"), std::string(R"({"schema": "starope.evaluate/1"})"), other.dump()}) {
    try {
      inspection_from_json(text, "seen.json");
      FAIL() << text;
    } catch (const DataError& error) {
      EXPECT_EQ(error.code(), "bad_inspection");
      EXPECT_NE(std::string(error.what()).find("seen.json"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace starope
