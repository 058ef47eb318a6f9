#include "starope/domains/builtin_domains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "starope/domains/asterix.hpp"
#include "starope/domains/cartpole.hpp"
#include "starope/domains/maintenance.hpp"
#include "starope/domains/random_mdp_domain.hpp"
#include "starope/domains/testbed_domains.hpp"
#include "starope/domains/toys.hpp"

namespace starope::envs {
namespace {

NamedPolicy uniform_policy() {
  return {"uniform", "takes all actions with the same probability"};
}

PolicyParameter probability(double value) {
  return {.name = "p", .value = value, .low = 0.0, .high = 1.0};
}

// ---- CartPole and Asterix ------------------------------------------------------------------------------------------

NamedDomain cartpole(const ReadPolicyTable& read) {
  NamedDomain d;
  d.read_table = read;
  d.name = "cartpole";
  d.summary = "a pole balanced on a cart; reward 1 per step until it falls";
  d.observation = "4 numbers: x, x_dot, theta, theta_dot";
  d.actions = {"left", "right"};
  d.horizon = Horizon{CartPole::default_horizon};
  d.policies = {uniform_policy(),
                {"follow", "pushes to the side to which the pole leans, with probability 0.9 (the paper's target)"},
                {"oppose", "pushes to the other side, with probability 0.9 (as the paper's text words its target)"}};
  d.behavior = "uniform";
  d.target = "follow";
  d.known_values = {{"uniform", 21.837098, 0.005180, 4'000'000, Seed{2024}},
                    {"follow", 39.296653, 0.005233, 4'000'000, Seed{2024}},
                    {"oppose", 9.804019, 0.000766, 4'000'000, Seed{2024}}};
  add_simulation(d, CartPole{}, [](const PolicyChoice& choice) {
    if (choice.table) {
      const std::vector<double> row = only_row(*choice.table, 2);
      return CartPolePolicy{{row[0], row[1]}, {row[0], row[1]}};
    }
    if (choice.name == "follow") return CartPolePolicy::follow();
    return choice.name == "oppose" ? CartPolePolicy::oppose() : CartPolePolicy::uniform();
  });
  return d;
}

NamedDomain asterix(const ReadPolicyTable& read) {
  NamedDomain d;
  d.read_table = read;
  d.name = "asterix";
  d.summary = "a small arcade game; 10 for gold, 0.1 per step until an enemy is met";
  d.observation = "400 zeros and ones: player, enemies, trails and gold on a board of 10 x 10 cells; timers are hidden";
  d.actions = {"none", "left", "up", "right", "down", "fire"};
  d.horizon = Horizon{Asterix::default_horizon};
  d.policies = {uniform_policy(), {"sideways", "moves mostly left and right (the paper's target)"}};
  d.behavior = "uniform";
  d.target = "sideways";
  d.bits = true;
  d.known_values = {{"uniform", 8.794182, 0.004824, 2'000'000, Seed{2024}},
                    {"sideways", 8.631809, 0.004437, 2'000'000, Seed{2024}}};
  add_simulation(d, Asterix{}, [](const PolicyChoice& choice) {
    if (choice.table) {
      AsterixPolicy policy;
      const std::vector<double> row = only_row(*choice.table, 6);
      std::copy(row.begin(), row.end(), policy.probabilities.begin());
      return policy;
    }
    return choice.name == "sideways" ? AsterixPolicy::sideways() : AsterixPolicy::uniform();
  });
  return d;
}

// ---- ICU-Sepsis ----------------------------------------------------------------------------------------------------

void add_icu_sepsis(std::vector<NamedDomain>& domains, const DomainTables& tables) {
  const auto add = [&](const ReadIcuSepsis& read, IcuSepsisVersion version, const IcuSepsisOptions& variant) {
    domains.push_back(icu_sepsis_domain(read, version, variant, tables.policy_table));
  };
  add(tables.icu_sepsis_v0, IcuSepsisVersion::v0, {});
  add(tables.icu_sepsis_v0, IcuSepsisVersion::v0, {.features = true});
  add(tables.icu_sepsis_v0, IcuSepsisVersion::v0, {.frozen_row = true});
  add(tables.icu_sepsis_v2, IcuSepsisVersion::v2, {});
}

// ---- Small worlds --------------------------------------------------------------------------------------------------

NamedDomain model_win_domain(const ReadPolicyTable& read) {
  NamedDomain d;
  d.read_table = read;
  d.name = "model-win";
  d.summary = "three states seen as they are, where learned models do well (Thomas & Brunskill 2016)";
  d.observation = "the number of the state";
  d.actions = {"a1", "a2"};
  d.horizon = Horizon{20};
  d.policies = {{"first", "takes a1 with probability p in the first state, both alike elsewhere", probability(0.5)}};
  d.behavior = "first(0.73)";
  d.target = "first(0.27)";
  d.known_values = {{d.behavior, -0.92}, {d.target, 0.92}};
  add_exact_simulation(d, model_win(), [](const PolicyChoice& choice) { return model_win_policy(choice.parameter); });
  return d;
}

NamedDomain model_fail_domain(const ReadPolicyTable& read) {
  NamedDomain d;
  d.read_table = read;
  d.name = "model-fail";
  d.summary = "states that look alike, where learned models fail (Thomas & Brunskill 2016)";
  d.observation = "always the same symbol";
  d.actions = {"a1", "a2"};
  d.horizon = Horizon{2};
  d.policies = {{"first", "takes a1 with probability p", probability(0.5)}};
  d.behavior = "first(0.88)";
  d.target = "first(0.12)";
  d.known_values = {{d.behavior, 0.76}, {d.target, -0.76}};
  add_exact_simulation(d, model_fail(), [](const PolicyChoice& choice) { return model_fail_policy(choice.parameter); });
  return d;
}

NamedDomain small_grid_domain(const ReadPolicyTable& read, const std::string& name, double goal,
                              std::vector<KnownValue> values) {
  NamedDomain d;
  d.read_table = read;
  d.name = name;
  d.summary = fmt::format("4 x 4 cells with a costly one, a pleasant one and a goal worth {} (Thomas 2015)", goal);
  d.observation = "the number of the cell";
  d.actions = {"right", "left", "down", "up"};
  d.horizon = Horizon{100};
  d.policies = {{"sharp5", "down, then waits on the pleasant cell; sometimes leaves it"},
                {"sharp10", "the same, hardly ever leaving it"},
                uniform_policy()};
  d.behavior = "sharp5";
  d.target = "sharp10";
  d.known_values = std::move(values);
  add_exact_simulation(d, small_grid(goal), [](const PolicyChoice& choice) {
    if (choice.name == "uniform") return TabularPolicy::uniform(15, 4);
    return choice.name == "sharp5" ? small_grid_sharp5() : small_grid_sharp10();
  });
  return d;
}

NamedDomain graph_domain(const ReadPolicyTable& read, const std::string& name, const std::string& what,
                         const ToyGraphOptions& options, double value) {
  NamedDomain d;
  d.read_table = read;
  d.name = name;
  d.summary = fmt::format("{} layers of a good and a bad state; {} (Voloshin et al. 2019)", options.layers, what);
  d.observation = options.symbols ? "always the same symbol" : "the number of the state";
  d.actions = {"good", "bad"};
  d.horizon = Horizon{options.layers};
  d.discount = Discount{0.98};
  d.policies = {{"first", "aims at the good state with probability p", probability(0.5)}};
  d.behavior = "first(0.8)";
  d.target = "first(0.2)";
  d.known_values = {{d.behavior, -value}, {d.target, value}};
  const TabularMdp mdp = toy_graph(options);
  add_exact_simulation(d, mdp,
                       [mdp](const PolicyChoice& choice) { return first_action_policy(mdp, choice.parameter); });
  return d;
}

NamedDomain mountain_car_domain(const ReadPolicyTable& read) {
  NamedDomain d;
  d.read_table = read;
  d.name = "toy-mountain-car";
  d.summary = "21 positions on a line; -1 per step until the right end is passed (Voloshin et al. 2019)";
  d.observation = "the position, from 0";
  d.actions = {"left", "right"};
  d.horizon = Horizon{250};
  d.discount = Discount{0.99};
  d.policies = {{"right", "goes right with probability p", probability(0.5)}};
  d.behavior = "right(0.8)";
  d.target = "right(0.2)";
  d.known_values = {{"right(0.8)", -16.69398218}, {"right(0.6)", -39.2392988}, {"right(0.2)", -91.89413045}};
  const TabularMdp mdp = toy_mountain_car();
  add_exact_simulation(d, mdp, [mdp](const PolicyChoice& c) { return first_action_policy(mdp, 1.0 - c.parameter); });
  return d;
}

NamedDomain large_grid_domain(const ReadPolicyTable& read) {
  NamedDomain d;
  d.read_table = read;
  d.name = "gridworld-8x8";
  d.summary = "8 x 8 slippery cells with holes, from the first row or column to the corner (Voloshin et al. 2019)";
  d.observation = "the number of the cell";
  d.actions = {"left", "right", "up", "down"};
  d.horizon = Horizon{25};
  d.discount = Discount{0.98};
  d.policies = {{"greedy", "follows a plan, but takes a uniform action with probability eps",
                 PolicyParameter{.name = "eps", .value = 0.1, .low = 0.0, .high = 1.0}}};
  d.behavior = "greedy(0.6)";
  d.target = "greedy(0.1)";
  d.known_values = {{"greedy(0.1)", 0.31295846}, {"greedy(0.6)", -0.81252881}, {"greedy(0.8)", -1.13579152}};
  add_exact_simulation(d, large_grid(), [](const PolicyChoice& choice) { return large_grid_policy(choice.parameter); });
  return d;
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
  NamedDomain d;
  d.read_table = read;
  d.name = "single-path";
  d.summary = fmt::format("a chain of {} states; a1 earns 1 (Hanna, Niekum & Stone 2019)", length);
  d.observation = "the number of the state";
  d.actions = {"a1", "a2"};
  d.horizon = Horizon{length};
  d.policies = {{"first", "takes a1 with probability p", probability(0.5)}};
  d.behavior = "first(0.4)";
  d.target = "first(0.6)";
  d.known_values = {{d.behavior, 8.0}, {d.target, 12.0}};
  const TabularMdp mdp = single_path(length);
  add_exact_simulation(d, mdp,
                       [mdp](const PolicyChoice& choice) { return first_action_policy(mdp, choice.parameter); });
  return d;
}

NamedDomain maintenance_domain(const ReadPolicyTable& read) {
  NamedDomain d;
  d.read_table = read;
  d.name = "maintenance";
  d.summary = "four machines wear out at their own pace; pays for their output, costs for repairs";
  d.observation = "the number of the state: 256 ways to be worn";
  d.actions = {"none", "worst", "all"};
  d.horizon = Horizon{30};
  d.policies = {{"care", "repairs with probability p when a machine is badly worn, else with 0.1", probability(0.6)}};
  d.behavior = "care(0.6)";
  d.target = "care(0.3)";
  d.known_values = {{d.behavior, 102.38563126}, {d.target, 93.54558421}};
  add_exact_simulation(d, maintenance(),
                       [](const PolicyChoice& choice) { return maintenance_policy(choice.parameter); });
  return d;
}

}  // namespace

std::vector<NamedDomain> builtin_domains(const DomainTables& tables) {
  const ReadPolicyTable& read = tables.policy_table;
  std::vector<NamedDomain> domains{cartpole(read), asterix(read)};
  add_icu_sepsis(domains, tables);
  domains.push_back(model_win_domain(read));
  domains.push_back(model_fail_domain(read));
  domains.push_back(small_grid_domain(read, "gridworld-4x4", 10.0,
                                      {{"sharp5", 73.727454}, {"sharp10", 85.907654}, {"uniform", -72.412723}}));
  domains.push_back(small_grid_domain(read, "gridworld-4x4-goal100", 100.0,
                                      {{"sharp5", 96.881459}, {"sharp10", 86.0903}, {"uniform", 2.974285}}));
  domains.push_back(graph_domain(read, "graph", "rewards on the way", {.layers = 16}, -4.14303419));
  domains.push_back(graph_domain(read, "graph-short", "rewards on the way", {.layers = 4}, -1.1644776));
  domains.push_back(
      graph_domain(read, "graph-sparse", "reward at the end only", {.layers = 16, .sparse = true}, -0.22157073));
  domains.push_back(graph_domain(read, "graph-noise", "noisy rewards", {.layers = 16, .noise = true}, -4.14303419));
  domains.push_back(
      graph_domain(read, "graph-aliased", "states that all look alike", {.layers = 16, .symbols = 2}, -4.14303419));
  domains.push_back(mountain_car_domain(read));
  domains.push_back(large_grid_domain(read));
  domains.push_back(pixel_grid_domain(read));
  domains.push_back(single_path_domain(read));
  domains.push_back(random_mdp_domain({}, read));
  for (NamedDomain& domain : testbed_domains()) domains.push_back(std::move(domain));
  domains.push_back(maintenance_domain(read));
  return domains;
}

}  // namespace starope::envs
