#include "starope/domains/exact_domains.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "starope/domains/maintenance.hpp"
#include "starope/domains/policy_table.hpp"
#include "starope/domains/random_mdp_domain.hpp"
#include "starope/domains/seen_by_features.hpp"
#include "starope/domains/toys.hpp"

namespace starope::domains {
namespace {

// A description and what it describes.
template <class MakePolicy>
NamedDomain exact(NamedDomain described, const TabularMdp& mdp, MakePolicy policy) {
  add_exact_simulation(described, mdp, policy);
  return described;
}

PolicyParameter probability(double value) {
  return {.name = "p", .value = value, .low = 0.0, .high = 1.0};
}

NamedDomain model_win_domain(const ReadPolicyTable& read) {
  return exact({.name = "model-win",
                .summary = "three states seen as they are, where learned models do well (Thomas & Brunskill 2016)",
                .observation = "the number of the state",
                .actions = {"a1", "a2"},
                .horizon = Horizon{20},
                .policies = {{"first", "takes a1 with probability p in the first state, both alike elsewhere",
                              probability(0.5)}},
                .behavior = "first(0.73)",
                .target = "first(0.27)",
                .known_values = {{"first(0.73)", -0.92}, {"first(0.27)", 0.92}},
                .read_table = read},
               model_win(), [](const PolicyChoice& choice) { return model_win_policy(choice.parameter); });
}

NamedDomain model_fail_domain(const ReadPolicyTable& read) {
  return exact({.name = "model-fail",
                .summary = "states that look alike, where learned models fail (Thomas & Brunskill 2016)",
                .observation = "always the same symbol",
                .actions = {"a1", "a2"},
                .horizon = Horizon{2},
                .policies = {{"first", "takes a1 with probability p", probability(0.5)}},
                .behavior = "first(0.88)",
                .target = "first(0.12)",
                .known_values = {{"first(0.88)", 0.76}, {"first(0.12)", -0.76}},
                .read_table = read},
               model_fail(), [](const PolicyChoice& choice) { return model_fail_policy(choice.parameter); });
}

NamedDomain small_grid_domain(const ReadPolicyTable& read, const std::string& name, double goal,
                              std::vector<KnownValue> values) {
  return exact(
      {.name = name,
       .summary = fmt::format("4 x 4 cells with a costly one, a pleasant one and a goal worth {} (Thomas 2015)", goal),
       .observation = "the number of the cell",
       .actions = {"right", "left", "down", "up"},
       .horizon = Horizon{100},
       .policies = {{"sharp5", "down, then waits on the pleasant cell; sometimes leaves it"},
                    {"sharp10", "the same, hardly ever leaving it"},
                    {"uniform", "takes all actions with the same probability"}},
       .behavior = "sharp5",
       .target = "sharp10",
       .known_values = std::move(values),
       .read_table = read},
      small_grid(goal), [](const PolicyChoice& choice) {
        if (choice.name == "uniform") return TabularPolicy::uniform(15, 4);
        return choice.name == "sharp5" ? small_grid_sharp5() : small_grid_sharp10();
      });
}

NamedDomain graph_domain(const ReadPolicyTable& read, const std::string& name, const std::string& what,
                         const ToyGraphOptions& options, double value) {
  const TabularMdp mdp = toy_graph(options);
  return exact(
      {.name = name,
       .summary = fmt::format("{} layers of a good and a bad state; {} (Voloshin et al. 2019)", options.layers, what),
       .observation = options.symbols ? "always the same symbol" : "the number of the state",
       .actions = {"good", "bad"},
       .horizon = Horizon{options.layers},
       .discount = Discount{0.98},
       .policies = {{"first", "aims at the good state with probability p", probability(0.5)}},
       .behavior = "first(0.8)",
       .target = "first(0.2)",
       .known_values = {{"first(0.8)", -value}, {"first(0.2)", value}},
       .read_table = read},
      mdp, [mdp](const PolicyChoice& choice) { return first_action_policy(mdp, choice.parameter); });
}

NamedDomain mountain_car_domain(const ReadPolicyTable& read) {
  const TabularMdp mdp = toy_mountain_car();
  return exact(
      {.name = "toy-mountain-car",
       .summary = "21 positions on a line; -1 per step until the right end is passed (Voloshin et al. 2019)",
       .observation = "the position, from 0",
       .actions = {"left", "right"},
       .horizon = Horizon{250},
       .discount = Discount{0.99},
       .policies = {{"right", "goes right with probability p", probability(0.5)}},
       .behavior = "right(0.8)",
       .target = "right(0.2)",
       .known_values = {{"right(0.8)", -16.69398218}, {"right(0.6)", -39.2392988}, {"right(0.2)", -91.89413045}},
       .read_table = read},
      mdp, [mdp](const PolicyChoice& c) { return first_action_policy(mdp, 1.0 - c.parameter); });
}

NamedDomain large_grid_domain(const ReadPolicyTable& read) {
  return exact(
      {.name = "gridworld-8x8",
       .summary = "8 x 8 slippery cells with holes, from the first row or column to the corner (Voloshin et al. 2019)",
       .observation = "the number of the cell",
       .actions = {"left", "right", "up", "down"},
       .horizon = Horizon{25},
       .discount = Discount{0.98},
       .policies = {{"greedy", "follows a plan, but takes a uniform action with probability eps",
                     PolicyParameter{.name = "eps", .value = 0.1, .low = 0.0, .high = 1.0}}},
       .behavior = "greedy(0.6)",
       .target = "greedy(0.1)",
       .known_values = {{"greedy(0.1)", 0.31295846}, {"greedy(0.6)", -0.81252881}, {"greedy(0.8)", -1.13579152}},
       .read_table = read},
      large_grid(), [](const PolicyChoice& choice) { return large_grid_policy(choice.parameter); });
}

// The same process, logged as images.
NamedDomain pixel_grid_domain(const ReadPolicyTable& read) {
  NamedDomain d = large_grid_domain(read);
  d.name = "gridworld-8x8-pixels";
  d.observation = "an image of 8 x 8 pixels, one of them 1";
  d.bits = true;
  d.behavior = "greedy(0.8)";
  d.simulate = [mdp = large_grid(), pixels = large_grid_pixels(), policies = d.policies, horizon = d.horizon, read](
                   const std::string& behavior, const std::string& target, SimulateOptions options) {
    if (!options.horizon) options.horizon = horizon;
    const auto make = [&](const std::string& text) {
      const PolicyChoice choice = parse_policy(text, policies, read);
      if (!choice.table) return large_grid_policy(choice.parameter);
      return table_policy(*choice.table, mdp.symbols(), mdp.actions(), mdp.states() - mdp.symbols());
    };
    const TabularPolicy acts = make(behavior), asked = make(target);
    return simulate_episodes(SeenByFeatures(mdp, pixels), ReadsTable(mdp, acts), ReadsTable(mdp, asked), options);
  };
  return d;
}

NamedDomain single_path_domain(const ReadPolicyTable& read) {
  constexpr std::int32_t length = 20;
  const TabularMdp mdp = single_path(length);
  return exact({.name = "single-path",
                .summary = fmt::format("a chain of {} states; a1 earns 1 (Hanna, Niekum & Stone 2019)", length),
                .observation = "the number of the state",
                .actions = {"a1", "a2"},
                .horizon = Horizon{length},
                .policies = {{"first", "takes a1 with probability p", probability(0.5)}},
                .behavior = "first(0.4)",
                .target = "first(0.6)",
                .known_values = {{"first(0.4)", 8.0}, {"first(0.6)", 12.0}},
                .read_table = read},
               mdp, [mdp](const PolicyChoice& choice) { return first_action_policy(mdp, choice.parameter); });
}

NamedDomain maintenance_domain(const ReadPolicyTable& read) {
  return exact({.name = "maintenance",
                .summary = "four machines wear out at their own pace; pays for their output, costs for repairs",
                .observation = "the number of the state: 256 ways to be worn",
                .actions = {"none", "worst", "all"},
                .horizon = Horizon{30},
                .policies = {{"care", "repairs with probability p when a machine is badly worn, else with 0.1",
                              probability(0.6)}},
                .behavior = "care(0.6)",
                .target = "care(0.3)",
                .known_values = {{"care(0.6)", 102.38563126}, {"care(0.3)", 93.54558421}},
                .read_table = read},
               maintenance(), [](const PolicyChoice& choice) { return maintenance_policy(choice.parameter); });
}

}  // namespace

std::vector<NamedDomain> exact_domains(const ReadPolicyTable& read) {
  return {model_win_domain(read),
          model_fail_domain(read),
          small_grid_domain(read, "gridworld-4x4", 10.0,
                            {{"sharp5", 73.727454}, {"sharp10", 85.907654}, {"uniform", -72.412723}}),
          small_grid_domain(read, "gridworld-4x4-goal100", 100.0,
                            {{"sharp5", 96.881459}, {"sharp10", 86.0903}, {"uniform", 2.974285}}),
          graph_domain(read, "graph", "rewards on the way", {.layers = 16}, -4.14303419),
          graph_domain(read, "graph-short", "rewards on the way", {.layers = 4}, -1.1644776),
          graph_domain(read, "graph-sparse", "reward at the end only", {.layers = 16, .sparse = true}, -0.22157073),
          graph_domain(read, "graph-noise", "noisy rewards", {.layers = 16, .noise = true}, -4.14303419),
          graph_domain(read, "graph-aliased", "states that all look alike", {.layers = 16, .symbols = 2}, -4.14303419),
          mountain_car_domain(read),
          large_grid_domain(read),
          pixel_grid_domain(read),
          single_path_domain(read),
          random_mdp_domain({}, read),
          maintenance_domain(read)};
}

}  // namespace starope::domains
