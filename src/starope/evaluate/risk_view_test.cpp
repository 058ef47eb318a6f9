#include "starope/evaluate/risk_view.hpp"

#include <gtest/gtest.h>

namespace starope {
namespace {

std::vector<ReturnDistribution> two() {
  ReturnDistribution wis{.method = "wis", .points = {1.0, 2.0}, .cdf = {0.25, 1.0}, .mean = 1.75};
  wis.quantiles = {{.at = 0.5, .value = 2.0, .interval = Interval{1.0, 2.0, 0.9, "bootstrap-percentile"}}};
  wis.cvar = {{.at = 0.1, .value = 1.0, .interval = {}}};
  wis.below = {{.at = 1.5, .value = 0.25, .interval = {}}};
  ReturnDistribution arp = wis;
  arp.method = "arp";
  return {wis, arp};
}

TEST(RiskView, ComesBackFromJson) {
  const Json json = distributions_json(two());
  EXPECT_EQ(distributions_json(distributions_from(json)), json);
  EXPECT_EQ(json.at(0).at("quantiles").at(0).at("interval").at("upper"), 2.0);
}

TEST(RiskView, ShowsEveryNumberByEveryMethod) {
  const std::string text = distributions_text(two(), {});
  EXPECT_NE(text.find("quantile 0.5\n  wis     2 (1 to 2)\n  arp     2 (1 to 2)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("mean of the worst 0.1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("probability below 1.5\n  wis     0.25\n"), std::string::npos) << text;
  EXPECT_EQ(distributions_text({}, {}), "");
}

}  // namespace
}  // namespace starope
