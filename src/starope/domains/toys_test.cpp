#include "starope/domains/toys.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "starope/data.hpp"
#include "starope/domains.hpp"
#include "starope/domains/csv_rows.hpp"
#include "starope/domains/exact_value.hpp"
#include "starope/error.hpp"
#include "support/test_data.hpp"

namespace starope::domains {
namespace {

using starope::testing::committed_file;

// The number behind the last "=" of a text such as "P(a1|s1)=1-sigmoid(1)=0.2689" or "eps=0.1".
double last_number(const std::string& text) {
  return std::stod(text.substr(text.rfind('=') + 1));
}

struct Case {
  TabularMdp mdp;
  std::function<TabularPolicy(const std::string&)> policy;
};

Case recorded_case(const std::string& domain) {
  const auto first = [](const TabularMdp& mdp, bool reversed = false) {
    return [mdp, reversed](const std::string& text) {
      const double p = last_number(text);
      return first_action_policy(mdp, reversed ? 1.0 - p : p);
    };
  };
  if (domain == "model_win")
    return {model_win(),
            [](const std::string& text) { return model_win_policy(std::stod(text.substr(text.rfind('=') + 1))); }};
  if (domain == "model_fail")
    return {model_fail(), [](const std::string& t) { return model_fail_policy(last_number(t)); }};
  if (domain.rfind("tb_gridworld_goal", 0) == 0) {
    return {small_grid(std::stod(domain.substr(17))), [](const std::string& text) {
              if (text == "uniform") return TabularPolicy::uniform(15, 4);
              return text == "sharp5_10" ? small_grid_sharp5() : small_grid_sharp10();
            }};
  }
  if (domain.rfind("cobs_graph_T", 0) == 0) {
    const TabularMdp mdp = toy_graph({.layers = std::stoi(domain.substr(12)),
                                      .slip = std::stod(domain.substr(domain.find("slip") + 4)),
                                      .sparse = domain.find("sparse") != std::string::npos});
    return {mdp, first(mdp)};
  }
  if (domain == "cobs_toymc") return {toy_mountain_car(), first(toy_mountain_car(), true)};  // P(right) is recorded
  if (domain.rfind("cobs_gridworld_slip", 0) == 0) {
    return {large_grid(std::stod(domain.substr(19))),
            [](const std::string& text) { return large_grid_policy(last_number(text)); }};
  }
  throw std::runtime_error("a domain this test does not know: " + domain);
}

TEST(Toys, ExactValuesAreTheRecordedOnes) {
  const auto rows = starope::testing::read_csv_rows(committed_file("toys/exact_values.csv"));
  ASSERT_EQ(rows.size(), 29u);
  for (const auto& row : rows) {
    const Case c = recorded_case(row.text("domain"));
    const std::string when = row.text("horizon_gamma");  // "H=20 gamma=1"
    const Horizon horizon{std::stoi(when.substr(2))};
    const Discount discount{last_number(when)};
    // "P(a1|s1)=0.27, uniform elsewhere": the number stands before the comma.
    const std::string policy = row.text("policy").substr(0, row.text("policy").find(','));
    EXPECT_NEAR(exact_value(c.mdp, c.policy(policy), discount, horizon), row.number("value"), 6e-7)
        << row.text("domain") << " " << policy;
  }
}

TEST(ModelWin, HasItsClosedForm) {
  for (const double q : {0.0, 0.27, 0.5, 1.0})
    EXPECT_NEAR(exact_value(model_win(), model_win_policy(q), Discount{1.0}, Horizon{20}), 2 * (1 - 2 * q), 1e-12);
}

TEST(ModelFail, HasItsClosedFormAndLooksTheSameEverywhere) {
  const TabularMdp mdp = model_fail();
  EXPECT_EQ(mdp.symbols(), 1);
  EXPECT_NEAR(exact_value(mdp, model_fail_policy(0.12)), 2 * 0.12 - 1, 1e-15);
  const Dataset logs = simulate(mdp, model_fail_policy(0.88), model_fail_policy(0.12), {.episodes = 50});
  EXPECT_EQ(logs.longest(), 2);
  EXPECT_EQ(std::get<DiscreteStates>(logs.states()).ids, (std::vector<std::int64_t>{0}));
}

TEST(SmallGrid, PoliciesAreTheRecordedOnes) {
  for (const auto& [file, policy] :
       {std::pair{"sharp5_10", small_grid_sharp5()}, {"sharp10_20", small_grid_sharp10()}}) {
    const std::string path = committed_file(std::string("toys/tb_gridworld_policy_") + file + ".csv");
    const auto rows = starope::testing::read_csv_rows(path);
    ASSERT_EQ(rows.size(), 15u);
    for (const auto& row : rows) {
      const std::int32_t s = row.integer("state");
      EXPECT_NEAR(policy.probability(s, 0), row.number("right"), 1e-15);
      EXPECT_NEAR(policy.probability(s, 1), row.number("left"), 1e-15);
      EXPECT_NEAR(policy.probability(s, 2), row.number("down"), 1e-15);
      EXPECT_NEAR(policy.probability(s, 3), row.number("up"), 1e-15);
    }
  }
}

TEST(SmallGrid, WallsStopAndCellsPay) {
  const TabularMdp mdp = small_grid(100.0);
  EXPECT_EQ(mdp.row(0, 1).next[0], 0);  // left of the first column
  EXPECT_EQ(mdp.row(4, 0).next[0], 5);
  EXPECT_EQ(mdp.row(4, 0).reward[0], -10.0);
  EXPECT_EQ(mdp.row(12, 0).next[0], 13);
  EXPECT_EQ(mdp.row(12, 0).reward[0], 1.0);
  EXPECT_EQ(mdp.row(14, 0).reward[0], 100.0);
  EXPECT_TRUE(mdp.is_terminal(15));
}

TEST(ToyGraph, HasItsClosedForms) {
  const double p = 0.2, slip = 0.25, gamma = 0.98;
  const double m = 2 * ((1 - slip) * p + slip * (1 - p)) - 1;
  for (const std::int32_t layers : {2, 5, 16}) {
    const TabularMdp dense = toy_graph({.layers = layers, .slip = slip});
    const auto policy = first_action_policy(dense, p);
    EXPECT_NEAR(exact_value(dense, policy, Discount{gamma}), m * (1 - std::pow(gamma, layers)) / (1 - gamma), 1e-12);
    const TabularMdp sparse = toy_graph({.layers = layers, .slip = slip, .sparse = true});
    EXPECT_NEAR(exact_value(sparse, policy, Discount{gamma}), std::pow(gamma, layers - 1) * m, 1e-12);
    const auto visits = exact_visits(dense, policy);
    EXPECT_NEAR(std::accumulate(visits.begin(), visits.end(), 0.0), layers, 1e-12);  // exactly so many steps
  }
  EXPECT_EQ(toy_graph({.noise = true}).reward_noise(), 1.0);
  EXPECT_THROW(toy_graph({.layers = 1}), InvalidArgument);
  EXPECT_THROW(toy_graph({.slip = 1.5}), InvalidArgument);
}

TEST(ToyGraph, AliasesNeighbors) {
  // 6 inner states in 4 groups: 2, 2, 1, 1; the start looks like the first group.
  const TabularMdp mdp = toy_graph({.layers = 4, .symbols = 5});
  EXPECT_EQ(mdp.symbols(), 4);
  const std::vector<std::int32_t> expected{0, 0, 0, 1, 1, 2, 3};
  for (std::int32_t s = 0; s < 7; ++s) EXPECT_EQ(mdp.symbol(s), expected[s]);
  EXPECT_THROW(toy_graph({.layers = 4, .symbols = 1}), InvalidArgument);
  EXPECT_THROW(toy_graph({.layers = 4, .symbols = 8}), InvalidArgument);
}

TEST(ToyMountainCar, StartsAnywhereOnRequest) {
  const TabularMdp mdp = toy_mountain_car(true);
  // Always right: from position k it takes 21 - k steps, on average 11.
  EXPECT_NEAR(exact_value(mdp, first_action_policy(mdp, 0.0)), -11.0, 1e-12);
  EXPECT_EQ(mdp.row(0, 0).next[0], 0);
}

TEST(LargeGrid, CellsAndPlanAreTheRecordedOnes) {
  const TabularMdp mdp = large_grid(0.0);
  // Every cell but the corner of the start can be entered from the left or from above.
  for (const auto& row : starope::testing::read_csv_rows(committed_file("toys/cobs_gridworld_rewards.csv"))) {
    const std::int32_t r = row.integer("row"), c = row.integer("col");
    if (r == 0 && c == 0) continue;
    const std::int32_t from = c > 0 ? 8 * r + c - 1 : 8 * (r - 1);
    const auto entered = mdp.row(from, c > 0 ? 1 : 3);
    ASSERT_EQ(entered.next[0], 8 * r + c);
    EXPECT_EQ(entered.reward[0], row.number("reward")) << r << " " << c;
  }
  const TabularPolicy greedy = large_grid_policy(0.0);
  for (const auto& row : starope::testing::read_csv_rows(committed_file("toys/cobs_gridworld_greedy.csv"))) {
    if (row.integer("state") == 63) continue;  // the goal
    EXPECT_EQ(greedy.probability(row.integer("state"), row.integer("action")), 1.0);
  }
}

TEST(LargeGrid, PixelsShowWhereItIs) {
  const TabularMdp mdp = large_grid();
  const SymbolFeatures pixels = large_grid_pixels();
  const SeenByFeatures seen(mdp, pixels);
  std::vector<double> image(64);
  seen.observe(10, image);
  EXPECT_EQ(image[10], 1.0);
  EXPECT_EQ(std::accumulate(image.begin(), image.end(), 0.0), 1.0);
  EXPECT_EQ(pixels.names[10], "pixel_1_2");
}

TEST(SinglePath, HasItsClosedForm) {
  const TabularMdp mdp = single_path(12);
  for (const double p : {0.4, 0.6})
    EXPECT_NEAR(exact_value(mdp, first_action_policy(mdp, p), Discount{1.0}, Horizon{12}), 12 * p, 1e-12);
  EXPECT_THROW(single_path(0), InvalidArgument);
}

}  // namespace
}  // namespace starope::domains
