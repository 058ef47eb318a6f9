#include "domains.hpp"

#include <fmt/format.h>

#include <utility>

#include "failure.hpp"
#include "starope/base/assert.hpp"
#include "starope/base/text.hpp"
#include "starope/envs/asterix.hpp"
#include "starope/envs/cartpole.hpp"

namespace starope::cli {
namespace {

template <class Policy>
struct NamedPolicy {
  SimulatedPolicy named;
  Policy policy;
};

constexpr std::int64_t rollouts = 100'000;

// Fills in what can be computed for any world that offers simulate() and monte_carlo_value().
template <class World, class Policy>
void add_functions(SimulatedDomain& domain, const World& world, const std::vector<NamedPolicy<Policy>>& policies) {
  for (const auto& policy : policies) domain.policies.push_back(policy.named);
  const auto find = [policies](const std::string& name) {
    for (const auto& policy : policies) {
      if (policy.named.name == name) return policy.policy;
    }
    STAROPE_ASSERT(false);  // check_policy comes first
    return policies.front().policy;
  };
  domain.simulate = [world, find](const std::string& behavior, const std::string& target,
                                  const envs::SimulateOptions& options) {
    return envs::simulate(world, find(behavior), find(target), options);
  };
  // Always the same seed: what is true does not depend on the log.
  domain.value = [world, find](const std::string& policy, Horizon horizon, Threads threads) {
    const envs::MonteCarloValue found = envs::monte_carlo_value(
        world, find(policy), {.episodes = rollouts, .horizon = horizon, .seed = Seed{0}, .threads = threads});
    return TrueValue{.value = found.value, .std_error = found.standard_error, .episodes = found.episodes};
  };
}

SimulatedDomain cartpole() {
  SimulatedDomain domain{.name = "cartpole",
                         .summary = "a pole balanced on a cart; 4 real-valued features, 2 actions, reward 1 per step",
                         .horizon = envs::CartPole::default_horizon,
                         .behavior = "uniform",
                         .target = "follow"};
  using Policy = envs::CartPolePolicy;
  add_functions<envs::CartPole, Policy>(
      domain, {},
      {{{"uniform", "pushes left or right with probability 0.5"}, Policy::uniform()},
       {{"follow", "pushes to the side to which the pole leans, with probability 0.9"}, Policy::follow()},
       {{"oppose", "pushes to the other side, with probability 0.9"}, Policy::oppose()}});
  return domain;
}

SimulatedDomain asterix() {
  SimulatedDomain domain{.name = "asterix",
                         .summary = "a small arcade game; 400 binary features, 6 actions, reward for gold and survival",
                         .horizon = envs::Asterix::default_horizon,
                         .behavior = "uniform",
                         .target = "sideways"};
  using Policy = envs::AsterixPolicy;
  add_functions<envs::Asterix, Policy>(
      domain, envs::Asterix{},
      {{{"uniform", "takes all six actions with the same probability"}, Policy::uniform()},
       {{"sideways", "moves mostly left and right"}, Policy::sideways()}});
  return domain;
}

}  // namespace

std::vector<SimulatedDomain> simulated_domains() {
  return {cartpole(), asterix()};
}

const SimulatedDomain& find_domain(const std::vector<SimulatedDomain>& domains, const std::string& name) {
  std::vector<std::string> known;
  for (const SimulatedDomain& domain : domains) {
    if (domain.name == name) return domain;
    known.push_back(domain.name);
  }
  throw UsageError(unknown_name("domain", name, known), "starope simulate");
}

void check_policy(const SimulatedDomain& domain, const std::string& flag, const std::string& policy) {
  std::vector<std::string> known;
  for (const SimulatedPolicy& each : domain.policies) {
    if (each.name == policy) return;
    known.push_back(each.name);
  }
  throw UsageError(fmt::format("{}: {}", flag, unknown_name(fmt::format("policy of {}", domain.name), policy, known)),
                   "starope simulate");
}

}  // namespace starope::cli
