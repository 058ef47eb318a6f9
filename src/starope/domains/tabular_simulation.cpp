#include "starope/domains.hpp"

#include "starope/domains/exact_value.hpp"
#include "starope/domains/tabular_mdp.hpp"
#include "starope/domains/tabular_policy.hpp"
#include "starope/error.hpp"

namespace starope::domains {
namespace {

void check_ends(const TabularMdp& mdp, const TabularPolicy& policy, const std::optional<Horizon>& horizon) {
  if (horizon || always_terminates(mdp, policy)) return;
  throw InvalidArgument("under this policy an episode of the MDP may never terminate. Give a horizon");
}

}  // namespace

Dataset simulate(const TabularMdp& mdp, const TabularPolicy& behavior, const TabularPolicy& target,
                 const SimulateOptions& options) {
  check_policy_fits(mdp, behavior);
  check_policy_fits(mdp, target);
  check_ends(mdp, behavior, options.horizon);
  return simulate_episodes(mdp, ReadsTable(mdp, behavior), ReadsTable(mdp, target), options);
}

MonteCarloValue monte_carlo_value(const TabularMdp& mdp, const TabularPolicy& policy,
                                  const MonteCarloOptions& options) {
  check_policy_fits(mdp, policy);
  check_ends(mdp, policy, options.horizon);
  return monte_carlo_value(mdp, ReadsTable(mdp, policy), options);
}

}  // namespace starope::domains
