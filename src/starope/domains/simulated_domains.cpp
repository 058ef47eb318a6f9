#include "starope/domains/simulated_domains.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "starope/domains/aside_problems.hpp"
#include "starope/domains/asterix.hpp"
#include "starope/domains/cartpole.hpp"
#include "starope/domains/control_problems.hpp"
#include "starope/domains/hidden_problems.hpp"
#include "starope/domains/policy_table.hpp"

namespace starope::domains {
namespace {

// A description and what it describes.
template <class World, class MakePolicy>
NamedDomain simulated(NamedDomain described, World world, MakePolicy policy) {
  described.horizon = Horizon{World::default_horizon};
  add_simulation(described, world, policy);
  return described;
}

constexpr Seed found_with{2024};  // known values are means over many episodes

PolicyParameter gain(double value) {
  return {.name = "gain", .value = value, .low = 0.0, .high = 50.0};
}

PolicyParameter share(double value) {
  return {.name = "p", .value = value, .low = 0.0, .high = 1.0};
}

const std::vector<std::string> three_pushes{"left", "none", "right"};
const std::vector<std::string> four_ways{"right", "left", "up", "down"};

std::vector<NamedDomain> control() {
  return {
      simulated({.name = "linear-quadratic",
                 .summary = "a drifting point under noise, pushed towards zero; quadratic cost",
                 .observation = "2 numbers: x, v",
                 .actions = three_pushes,
                 .policies = {{"feedback", "pushes against x + v; gain 0 is uniform", gain(1.0)}},
                 .behavior = "feedback(0.2)",
                 .target = "feedback(1)",
                 .known_values = {{"feedback(0.2)", -50.85034, 0.03891, 2'000'000, found_with},
                                  {"feedback(1)", -18.61669, 0.01328, 2'000'000, found_with}}},
                LinearQuadratic{}, [](const PolicyChoice& choice) { return LinearFeedback{.gain = choice.parameter}; }),
      simulated({.name = "pendulum",
                 .summary = "swings a pendulum up in small time steps; cost of not being upright",
                 .observation = "3 numbers: cosine and sine of the angle, speed",
                 .actions = three_pushes,
                 .policies = {{"swing", "pushes the way it swings with probability p; 1/3 is uniform", share(0.6)}},
                 .behavior = "swing(0.3333333333333333)",
                 .target = "swing(0.6)",
                 .known_values = {{"swing(0.3333333333333333)", -97.17907, 0.00154, 2'000'000, found_with},
                                  {"swing(0.6)", -75.50735, 0.00588, 2'000'000, found_with}}},
                Pendulum{}, [](const PolicyChoice& choice) { return SwingPolicy{.p = choice.parameter}; }),
      simulated({.name = "mountain-car",
                 .summary = "a car in a valley must swing to get out; -1 per step until it does",
                 .observation = "2 numbers: position, speed",
                 .actions = three_pushes,
                 .policies = {{"rock", "pushes the way it moves with probability p; 1/3 is uniform", share(0.8)}},
                 .behavior = "rock(0.65)",
                 .target = "rock(0.8)",
                 .known_values = {{"rock(0.65)", -193.59067, 0.00834, 2'000'000, found_with},
                                  {"rock(0.8)", -166.44643, 0.01843, 2'000'000, found_with}}},
                MountainCar{}, [](const PolicyChoice& choice) { return RockPolicy{.p = choice.parameter}; }),
      simulated({.name = "navigation",
                 .summary = "through a gap in a wall to a goal; costs per step and for hitting the wall",
                 .observation = "2 numbers: x, y",
                 .actions = four_ways,
                 .policies = {{"gap", "heads for the gap, then for the goal; gain 0 is uniform", gain(2.0)}},
                 .behavior = "gap(0.7)",
                 .target = "gap(2)",
                 .known_values = {{"gap(0.7)", -19.90180, 0.00487, 2'000'000, found_with},
                                  {"gap(2)", -2.37377, 0.00204, 2'000'000, found_with}}},
                Navigation{}, [](const PolicyChoice& choice) { return GapPolicy{.sharpness = choice.parameter}; }),
      simulated({.name = "rare-reward",
                 .summary = "a walk in the plane that earns only in a small, far disc",
                 .observation = "2 numbers: x, y",
                 .actions = four_ways,
                 .policies = {{"disc", "walks towards the disc; gain 0 is uniform", gain(1.0)}},
                 .behavior = "disc(0.2)",
                 .target = "disc(1)",
                 .known_values = {{"disc(0.2)", 0.30149, 0.00093, 2'000'000, found_with},
                                  {"disc(1)", 7.29100, 0.00369, 2'000'000, found_with}}},
                RareReward{}, [](const PolicyChoice& choice) { return DiscPolicy{.sharpness = choice.parameter}; })};
}

// Part of the state is not seen.
std::vector<NamedDomain> hidden() {
  return {
      simulated({.name = "hidden-mode",
                 .summary = "a hidden mode decides which action pays; a noisy hint is seen",
                 .observation = "1 number: the hint",
                 .actions = {"low", "high"},
                 .policies = {{"believe", "believes the hint; gain 0 is uniform", gain(1.0)}},
                 .behavior = "believe(0)",
                 .target = "believe(1)",
                 .known_values = {{"believe(0)", -0.00217, 0.00316, 2'000'000, found_with},
                                  {"believe(1)", 7.86910, 0.00291, 2'000'000, found_with}}},
                HiddenMode{}, [](const PolicyChoice& choice) { return HintPolicy{.sharpness = choice.parameter}; }),
      simulated({.name = "noisy-repair",
                 .summary = "a machine wears out unseen; a noisy sensor tells when to repair it",
                 .observation = "1 number: the sensor",
                 .actions = {"run", "repair"},
                 .policies = {{"threshold", "repairs above a limit, mixed with a coin toss of share p", share(0.2)}},
                 .behavior = "threshold(0.8)",
                 .target = "threshold(0.2)",
                 .known_values = {{"threshold(0.8)", 3.75810, 0.00334, 2'000'000, found_with},
                                  {"threshold(0.2)", 13.97179, 0.00223, 2'000'000, found_with}}},
                NoisyRepair{}, [](const PolicyChoice& choice) { return RepairPolicy{.noise = choice.parameter}; }),
      simulated({.name = "inventory",
                 .summary = "orders for a stock whose demand has a heavy tail",
                 .observation = "1 number: the stock",
                 .actions = {"0", "5", "10", "20"},
                 .policies = {{"order-up", "orders up to 20, but anything with probability p", share(0.2)}},
                 .behavior = "order-up(0.8)",
                 .target = "order-up(0.2)",
                 .known_values = {{"order-up(0.8)", 81.53566, 0.03059, 2'000'000, found_with},
                                  {"order-up(0.2)", 140.07201, 0.01932, 2'000'000, found_with}}},
                Inventory{}, [](const PolicyChoice& choice) { return OrderPolicy{.noise = choice.parameter}; }),
      simulated(
          {.name = "queue",
           .summary = "a slow and a fast server; arrivals come in bursts that are not shown",
           .observation = "the number of waiting customers",
           .actions = {"slow", "fast"},
           .policies = {{"busy-fast", "fast with probability p from five waiting on, else with 1 - p", share(0.9)}},
           .behavior = "busy-fast(0.5)",
           .target = "busy-fast(0.9)",
           .known_values = {{"busy-fast(0.5)", -44.74828, 0.01021, 2'000'000, found_with},
                            {"busy-fast(0.9)", -42.59447, 0.01113, 2'000'000, found_with}}},
          Queue{}, [](const PolicyChoice& choice) {
            return ServerPolicy{.low = 1.0 - choice.parameter, .high = choice.parameter};
          })};
}

// Looked at only when an estimator was finished.
std::vector<NamedDomain> aside() {
  return {
      simulated({.name = "reservoir",
                 .summary = "a dam with seasonal inflow: pays for water delivered, costs for floods and emptiness",
                 .observation = "3 numbers: level, cosine and sine of the season",
                 .actions = {"none", "some", "much"},
                 .policies = {{"release", "releases the more, the higher the level; gain 0 is uniform", gain(1.2)}},
                 .behavior = "release(0.4)",
                 .target = "release(1.2)",
                 .known_values = {{"release(0.4)", 72.36861, 0.02014, 2'000'000, found_with},
                                  {"release(1.2)", 98.00221, 0.01413, 2'000'000, found_with}}},
                Reservoir{}, [](const PolicyChoice& choice) { return ReleasePolicy{.sharpness = choice.parameter}; }),
      simulated(
          {.name = "glucose",
           .summary = "doses of a drug that acts late; pays for glucose in range, of which a noisy reading is seen",
           .observation = "2 numbers: reading, drug on board",
           .actions = {"0", "1", "2"},
           .policies = {{"dose", "doses by the reading and the board; gain 0 is uniform", gain(1.0)}},
           .behavior = "dose(0.2)",
           .target = "dose(1)",
           .known_values = {{"dose(0.2)", 23.55948, 0.00498, 2'000'000, found_with},
                            {"dose(1)", 30.59722, 0.00446, 2'000'000, found_with}}},
          Glucose{}, [](const PolicyChoice& choice) { return DosePolicy{.sharpness = choice.parameter}; }),
      simulated({.name = "two-wells",
                 .summary = "a particle diffuses in two wells; pays in the right one, which is rarely reached",
                 .observation = "2 numbers: position, speed",
                 .actions = three_pushes,
                 .policies = {{"well", "pushes towards the right well; gain 0 is uniform", gain(0.6)}},
                 .behavior = "well(0.1)",
                 .target = "well(0.6)",
                 .known_values = {{"well(0.1)", 3.14259, 0.00653, 2'000'000, found_with},
                                  {"well(0.6)", 11.27140, 0.01128, 2'000'000, found_with}}},
                TwoWells{}, [](const PolicyChoice& choice) { return WellPolicy{.sharpness = choice.parameter}; })};
}

}  // namespace

NamedDomain cartpole_domain(const ReadPolicyTable& read) {
  return simulated(
      {.name = "cartpole",
       .summary = "a pole balanced on a cart; reward 1 per step until it falls",
       .observation = "4 numbers: x, x_dot, theta, theta_dot",
       .actions = {"left", "right"},
       .policies = {{"uniform", "takes all actions with the same probability"},
                    {"follow", "pushes to the side to which the pole leans, with probability 0.9 (the paper's target)"},
                    {"oppose",
                     "pushes to the other side, with probability 0.9 (as the paper's text words its target)"}},
       .behavior = "uniform",
       .target = "follow",
       .known_values = {{"uniform", 21.837098, 0.005180, 4'000'000, found_with},
                        {"follow", 39.296653, 0.005233, 4'000'000, found_with},
                        {"oppose", 9.804019, 0.000766, 4'000'000, found_with}},
       .read_table = read},
      CartPole{}, [](const PolicyChoice& choice) {
        if (choice.table) {
          const std::vector<double> row = only_row(*choice.table, 2);
          return CartPolePolicy{{row[0], row[1]}, {row[0], row[1]}};
        }
        if (choice.name == "follow") return CartPolePolicy::follow();
        return choice.name == "oppose" ? CartPolePolicy::oppose() : CartPolePolicy::uniform();
      });
}

NamedDomain asterix_domain(const ReadPolicyTable& read) {
  return simulated(
      {.name = "asterix",
       .summary = "a small arcade game; 10 for gold, 0.1 per step until an enemy is met",
       .observation =
           "400 zeros and ones: player, enemies, trails and gold on a board of 10 x 10 cells; timers are hidden",
       .bits = true,
       .actions = {"none", "left", "up", "right", "down", "fire"},
       .policies = {{"uniform", "takes all actions with the same probability"},
                    {"sideways", "moves mostly left and right (the paper's target)"}},
       .behavior = "uniform",
       .target = "sideways",
       .known_values = {{"uniform", 8.794182, 0.004824, 2'000'000, found_with},
                        {"sideways", 8.631809, 0.004437, 2'000'000, found_with}},
       .read_table = read},
      Asterix{}, [](const PolicyChoice& choice) {
        if (choice.table) {
          AsterixPolicy policy;
          const std::vector<double> row = only_row(*choice.table, 6);
          std::copy(row.begin(), row.end(), policy.probabilities.begin());
          return policy;
        }
        return choice.name == "sideways" ? AsterixPolicy::sideways() : AsterixPolicy::uniform();
      });
}

std::vector<NamedDomain> problem_domains() {
  std::vector<NamedDomain> domains;
  for (const auto& problems : {control(), hidden(), aside()})
    domains.insert(domains.end(), problems.begin(), problems.end());
  return domains;
}

}  // namespace starope::domains
