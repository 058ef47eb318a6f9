#include "starope/evaluate/behavior_view.hpp"

#include <gtest/gtest.h>

namespace starope {
namespace {

BehaviorView view() {
  return {.method = "counts",
          .setting = "pseudo-counts 2",
          .methods = {{"counts", "pseudo-counts 2", -0.5, 3.25}, {"global", "", -0.75, std::nullopt}},
          .estimator = "wis",
          .calibration = {{0.1, 0.2, 0.15, 0.18, 600}, {0.9, 1.0, 0.95, 0.5, 3}}};
}

TEST(BehaviorView, ComesBackFromJson) {
  const Json json = behavior_json(view());
  EXPECT_EQ(behavior_json(behavior_from(json)), json);
  EXPECT_EQ(json.at("methods").at(0).at("value"), 3.25);
  EXPECT_TRUE(json.at("methods").at(1).at("value").is_null());
}

TEST(BehaviorView, SaysHowMuchChanceAloneDoes) {
  EXPECT_DOUBLE_EQ(calibration_error({0.4, 0.6, 0.5, 0.55, 100}), 0.05);
  EXPECT_EQ(calibration_error({0.9, 1.0, 1.0, 1.0, 100}), 0.0);
}

TEST(BehaviorView, SaysHowTheAnswerMovesWithTheMethod) {
  const std::string text = behavior_text(view(), {.width = 200});
  EXPECT_NE(text.find("by counts (pseudo-counts 2)"), std::string::npos);
  EXPECT_NE(text.find("counts     0.607   3.25"), std::string::npos) << text;
  // Three pairs say nothing; 2 sqrt(0.15 * 0.85 / 600) = 0.029.
  EXPECT_NE(text.find("by 0.03 at most (where 0.15 is expected, 0.18 is found; by chance alone they differ by up to "
                      "0.029)"),
            std::string::npos)
      << text;
  BehaviorView many = view();  // 200 actions of 0.005: their frequencies sum to one, whatever they are
  many.calibration = {{0.0, 0.1, 0.005, 0.005 + 1e-17, 120'000}};
  EXPECT_EQ(behavior_text(many, {.width = 200}).find("Calibration"), std::string::npos);
}

}  // namespace
}  // namespace starope
