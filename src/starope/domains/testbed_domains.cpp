#include "starope/domains/testbed_domains.hpp"

#include <string>
#include <utility>

#include "starope/domains/aside_problems.hpp"
#include "starope/domains/control_problems.hpp"
#include "starope/domains/hidden_problems.hpp"

namespace starope::envs {
namespace {

struct Description {
  std::string name, summary, observation;
  std::vector<std::string> actions;
  NamedPolicy policy;  // its parameter makes the behaviour and the target policy
  std::string behavior, target;
  double behavior_value, behavior_error, target_value, target_error;  // mean and standard error of two million episodes
};

template <class World, class MakePolicy>
NamedDomain describe(Description text, World world, MakePolicy policy) {
  NamedDomain d;
  d.name = std::move(text.name);
  d.summary = std::move(text.summary);
  d.observation = std::move(text.observation);
  d.actions = std::move(text.actions);
  d.horizon = Horizon{World::default_horizon};
  d.policies = {std::move(text.policy)};
  d.behavior = std::move(text.behavior);
  d.target = std::move(text.target);
  d.known_values = {{d.behavior, text.behavior_value, text.behavior_error, 2'000'000, Seed{2024}},
                    {d.target, text.target_value, text.target_error, 2'000'000, Seed{2024}}};
  add_simulation(d, world, [policy](const PolicyChoice& choice) { return policy(choice.parameter); });
  return d;
}

NamedPolicy with_parameter(std::string name, std::string meaning, PolicyParameter parameter) {
  return {.name = std::move(name), .meaning = std::move(meaning), .parameter = std::move(parameter)};
}

PolicyParameter gain(double value) {
  return {.name = "gain", .value = value, .low = 0.0, .high = 50.0};
}

PolicyParameter share(double value) {
  return {.name = "p", .value = value, .low = 0.0, .high = 1.0};
}

const std::vector<std::string> three_pushes{"left", "none", "right"};
const std::vector<std::string> four_ways{"right", "left", "up", "down"};

std::vector<NamedDomain> problems_kept_aside() {
  std::vector<NamedDomain> domains;
  domains.push_back(
      describe({"reservoir",
                "a dam with seasonal inflow: pays for water delivered, costs for floods and emptiness",
                "3 numbers: level, cosine and sine of the season",
                {"none", "some", "much"},
                with_parameter("release", "releases the more, the higher the level; gain 0 is uniform", gain(1.2)),
                "release(0.4)",
                "release(1.2)",
                72.36861,
                0.02014,
                98.00221,
                0.01413},
               Reservoir{}, [](double x) { return ReleasePolicy{.sharpness = x}; }));
  domains.push_back(
      describe({"glucose",
                "doses of a drug that acts late; pays for glucose in range, of which a noisy reading is seen",
                "2 numbers: reading, drug on board",
                {"0", "1", "2"},
                with_parameter("dose", "doses by the reading and the board; gain 0 is uniform", gain(1.0)),
                "dose(0.2)",
                "dose(1)",
                23.55948,
                0.00498,
                30.59722,
                0.00446},
               Glucose{}, [](double x) { return DosePolicy{.sharpness = x}; }));
  domains.push_back(
      describe({"two-wells", "a particle diffuses in two wells; pays in the right one, which is rarely reached",
                "2 numbers: position, speed", three_pushes,
                with_parameter("well", "pushes towards the right well; gain 0 is uniform", gain(0.6)), "well(0.1)",
                "well(0.6)", 3.14259, 0.00653, 11.27140, 0.01128},
               TwoWells{}, [](double x) { return WellPolicy{.sharpness = x}; }));
  return domains;
}

}  // namespace

std::vector<NamedDomain> testbed_domains() {
  std::vector<NamedDomain> domains;
  domains.push_back(describe(
      {"linear-quadratic", "a drifting point under noise, pushed towards zero; quadratic cost", "2 numbers: x, v",
       three_pushes, with_parameter("feedback", "pushes against x + v; gain 0 is uniform", gain(1.0)), "feedback(0.2)",
       "feedback(1)", -50.85034, 0.03891, -18.61669, 0.01328},
      LinearQuadratic{}, [](double x) { return LinearFeedback{.gain = x}; }));
  domains.push_back(
      describe({"pendulum", "swings a pendulum up in small time steps; cost of not being upright",
                "3 numbers: cosine and sine of the angle, speed", three_pushes,
                with_parameter("swing", "pushes the way it swings with probability p; 1/3 is uniform", share(0.6)),
                "swing(0.3333333333333333)", "swing(0.6)", -97.17907, 0.00154, -75.50735, 0.00588},
               Pendulum{}, [](double x) { return SwingPolicy{.p = x}; }));
  domains.push_back(
      describe({"mountain-car", "a car in a valley must swing to get out; -1 per step until it does",
                "2 numbers: position, speed", three_pushes,
                with_parameter("rock", "pushes the way it moves with probability p; 1/3 is uniform", share(0.8)),
                "rock(0.65)", "rock(0.8)", -193.59067, 0.00834, -166.44643, 0.01843},
               MountainCar{}, [](double x) { return RockPolicy{.p = x}; }));
  domains.push_back(describe(
      {"navigation", "through a gap in a wall to a goal; costs per step and for hitting the wall", "2 numbers: x, y",
       four_ways, with_parameter("gap", "heads for the gap, then for the goal; gain 0 is uniform", gain(2.0)),
       "gap(0.7)", "gap(2)", -19.90180, 0.00487, -2.37377, 0.00204},
      Navigation{}, [](double x) { return GapPolicy{.sharpness = x}; }));
  domains.push_back(
      describe({"rare-reward", "a walk in the plane that earns only in a small, far disc", "2 numbers: x, y", four_ways,
                with_parameter("disc", "walks towards the disc; gain 0 is uniform", gain(1.0)), "disc(0.2)", "disc(1)",
                0.30149, 0.00093, 7.29100, 0.00369},
               RareReward{}, [](double x) { return DiscPolicy{.sharpness = x}; }));
  domains.push_back(describe({"hidden-mode",
                              "a hidden mode decides which action pays; a noisy hint is seen",
                              "1 number: the hint",
                              {"low", "high"},
                              with_parameter("believe", "believes the hint; gain 0 is uniform", gain(1.0)),
                              "believe(0)",
                              "believe(1)",
                              -0.00217,
                              0.00316,
                              7.86910,
                              0.00291},
                             HiddenMode{}, [](double x) { return HintPolicy{.sharpness = x}; }));
  domains.push_back(
      describe({"noisy-repair",
                "a machine wears out unseen; a noisy sensor tells when to repair it",
                "1 number: the sensor",
                {"run", "repair"},
                with_parameter("threshold", "repairs above a limit, mixed with a coin toss of share p", share(0.2)),
                "threshold(0.8)",
                "threshold(0.2)",
                3.75810,
                0.00334,
                13.97179,
                0.00223},
               NoisyRepair{}, [](double x) { return RepairPolicy{.noise = x}; }));
  domains.push_back(
      describe({"inventory",
                "orders for a stock whose demand has a heavy tail",
                "1 number: the stock",
                {"0", "5", "10", "20"},
                with_parameter("order-up", "orders up to 20, but anything with probability p", share(0.2)),
                "order-up(0.8)",
                "order-up(0.2)",
                81.53566,
                0.03059,
                140.07201,
                0.01932},
               Inventory{}, [](double x) { return OrderPolicy{.noise = x}; }));
  domains.push_back(describe(
      {"queue",
       "a slow and a fast server; arrivals come in spells that are not shown",
       "the number of waiting customers",
       {"slow", "fast"},
       with_parameter("busy-fast", "fast with probability p from five waiting on, else with 1 - p", share(0.9)),
       "busy-fast(0.5)",
       "busy-fast(0.9)",
       -44.74828,
       0.01021,
       -42.59447,
       0.01113},
      Queue{}, [](double x) { return ServerPolicy{.low = 1.0 - x, .high = x}; }));
  for (NamedDomain& domain : problems_kept_aside()) domains.push_back(std::move(domain));
  return domains;
}

}  // namespace starope::envs
