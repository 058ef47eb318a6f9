#include "starope/envs/testbed_domains.hpp"

#include <string>
#include <utility>

#include "starope/envs/control_problems.hpp"
#include "starope/envs/hidden_problems.hpp"

namespace starope::envs {
namespace {

struct Description {
  std::string name, summary, observation;
  std::vector<std::string> actions;
  NamedPolicy policy;  // its parameter makes the behaviour and the target policy
  std::string behavior, target;
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

}  // namespace

std::vector<NamedDomain> testbed_domains() {
  std::vector<NamedDomain> domains;
  domains.push_back(describe(
      {"linear-quadratic", "a drifting point under noise, pushed towards zero; quadratic cost", "2 numbers: x, v",
       three_pushes, with_parameter("feedback", "pushes against x + v; gain 0 is uniform", gain(1.0)), "feedback(0.2)",
       "feedback(1)"},
      LinearQuadratic{}, [](double x) { return LinearFeedback{.gain = x}; }));
  domains.push_back(
      describe({"pendulum", "swings a pendulum up in small time steps; cost of not being upright",
                "3 numbers: cosine and sine of the angle, speed", three_pushes,
                with_parameter("swing", "pushes the way it swings with probability p; 1/3 is uniform", share(0.6)),
                "swing(0.3333333333333333)", "swing(0.6)"},
               Pendulum{}, [](double x) { return SwingPolicy{.p = x}; }));
  domains.push_back(
      describe({"mountain-car", "a car in a valley must swing to get out; -1 per step until it does",
                "2 numbers: position, speed", three_pushes,
                with_parameter("rock", "pushes the way it moves with probability p; 1/3 is uniform", share(0.8)),
                "rock(0.5)", "rock(0.8)"},
               MountainCar{}, [](double x) { return RockPolicy{.p = x}; }));
  domains.push_back(describe(
      {"navigation", "through a gap in a wall to a goal; costs per step and for hitting the wall", "2 numbers: x, y",
       four_ways, with_parameter("gap", "heads for the gap, then for the goal; gain 0 is uniform", gain(2.0)),
       "gap(0.7)", "gap(2)"},
      Navigation{}, [](double x) { return GapPolicy{.sharpness = x}; }));
  domains.push_back(
      describe({"rare-reward", "a walk in the plane that earns only in a small, far disc", "2 numbers: x, y", four_ways,
                with_parameter("disc", "walks towards the disc; gain 0 is uniform", gain(1.0)), "disc(0.2)", "disc(1)"},
               RareReward{}, [](double x) { return DiscPolicy{.sharpness = x}; }));
  domains.push_back(describe({"hidden-mode",
                              "a hidden mode decides which action pays; a noisy hint is seen",
                              "1 number: the hint",
                              {"low", "high"},
                              with_parameter("believe", "believes the hint; gain 0 is uniform", gain(1.0)),
                              "believe(0)",
                              "believe(1)"},
                             HiddenMode{}, [](double x) { return HintPolicy{.sharpness = x}; }));
  domains.push_back(
      describe({"noisy-repair",
                "a machine wears out unseen; a noisy sensor tells when to repair it",
                "1 number: the sensor",
                {"run", "repair"},
                with_parameter("threshold", "repairs above a limit, mixed with a coin toss of share p", share(0.2)),
                "threshold(0.8)",
                "threshold(0.2)"},
               NoisyRepair{}, [](double x) { return RepairPolicy{.noise = x}; }));
  domains.push_back(
      describe({"inventory",
                "orders for a stock whose demand has a heavy tail",
                "1 number: the stock",
                {"0", "5", "10", "20"},
                with_parameter("order-up", "orders up to 20, but anything with probability p", share(0.2)),
                "order-up(0.8)",
                "order-up(0.2)"},
               Inventory{}, [](double x) { return OrderPolicy{.noise = x}; }));
  domains.push_back(describe(
      {"queue",
       "a slow and a fast server; arrivals come in spells that are not shown",
       "the number of waiting customers",
       {"slow", "fast"},
       with_parameter("busy-fast", "fast with probability p from five waiting on, else with 1 - p", share(0.9)),
       "busy-fast(0.5)",
       "busy-fast(0.9)"},
      Queue{}, [](double x) { return ServerPolicy{.low = 1.0 - x, .high = x}; }));
  return domains;
}

}  // namespace starope::envs
