#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "starope/base/types.hpp"
#include "starope/data/dataset.hpp"
#include "starope/domains/policy_table.hpp"
#include "starope/domains/rollout.hpp"
#include "starope/domains/tabular_mdp.hpp"
#include "starope/domains/tabular_policy.hpp"

// Worlds and policies by name, for the command line and for studies. A NamedDomain is a plain value: a list of domains
// is a vector, and an own domain is one more element of it.
namespace starope::envs {

// The number in parentheses of a policy such as "greedy(0.1)".
struct PolicyParameter {
  std::string name{};
  double value = 0.0;  // without parentheses
  double low = 0.0, high = 1.0;
};

struct NamedPolicy {
  std::string name{};
  std::string meaning{};
  std::optional<PolicyParameter> parameter{};
};

// A policy as it was asked for; the parameter is the given or the default one, 0 if the policy has none.
struct PolicyChoice {
  std::string name{};
  double parameter = 0.0;
  std::optional<PolicyTable> table{};  // probabilities; then the name is that of the file
  friend bool operator==(const PolicyChoice&, const PolicyChoice&) = default;
};

// Reads a file of numbers, a column per action.
using ReadPolicyTable = std::function<PolicyTable(const std::string& path)>;

// "greedy(0.1)" or "greedy(eps=0.1)" or "greedy". InvalidArgument says what is known, and what was probably meant.
// With a reader of tables also "FILE.csv" (probabilities), "greedy(FILE.csv,eps)" and "softmax(FILE.csv,tau)".
PolicyChoice parse_policy(std::string_view text, std::span<const NamedPolicy> known, const ReadPolicyTable& read = {});

struct TrueValue {
  double value = 0.0;
  double standard_error = 0.0;  // 0: exact
  std::int64_t episodes = 0;    // simulated for it; 0: exact
};

struct KnownValue {  // for the domain's own horizon and discount
  std::string policy{};
  double value = 0.0;
  double standard_error = 0.0;  // 0: exact
  std::int64_t episodes = 0;    // simulated for it, with `seed`; 0: exact
  Seed seed{};
};

struct ValueOptions {
  std::optional<Horizon> horizon{};    // none: the domain's
  std::optional<Discount> discount{};  // none: the domain's
  std::int64_t episodes = 100'000;     // where the value must be simulated
  Seed seed{};
  Threads threads = Threads::all();
};

struct NamedDomain {
  std::string name{};
  std::string summary{};
  std::string observation{};  // what is seen of a state, in words
  bool bits = false;          // what is seen are features that are all 0 or 1: logs can hold them as bits
  std::vector<std::string> actions{};
  Horizon horizon{1};
  Discount discount{1.0};
  std::vector<NamedPolicy> policies{};
  std::string behavior{};  // the policies and options of the literature are the defaults
  std::string target{};
  std::vector<KnownValue> known_values{};
  ReadPolicyTable read_table{};  // set before simulate and value; none: policies cannot be read from files

  // Policies are given as texts that parse_policy understands; without horizon the domain's is used.
  std::function<Dataset(const std::string& behavior, const std::string& target, const SimulateOptions& options)>
      simulate{};
  std::function<TrueValue(const std::string& policy, const ValueOptions& options)> value{};
};

// Upper and lower case, "-" and "_" make no difference. InvalidArgument names the nearest name where there is none.
const NamedDomain& find_domain(std::span<const NamedDomain> domains, std::string_view name);

// What is known beforehand of the value of a policy, asked for like this: none, or one of domain.known_values.
std::optional<KnownValue> find_known_value(const NamedDomain& domain, const std::string& policy);

// Fills in simulate and value of a domain whose other fields are set. `policy` makes the policy of a choice.
template <Domain D, class MakePolicy>
void add_simulation(NamedDomain& domain, D world, MakePolicy policy) {
  const auto make = [policies = domain.policies, read = domain.read_table, policy = std::move(policy)](
                        const std::string& text) { return policy(parse_policy(text, policies, read)); };
  domain.simulate = [world, make, horizon = domain.horizon](const std::string& behavior, const std::string& target,
                                                            SimulateOptions options) {
    if (!options.horizon) options.horizon = horizon;
    return simulate_episodes(world, make(behavior), make(target), options);
  };
  domain.value = [world, make, horizon = domain.horizon, discount = domain.discount](const std::string& text,
                                                                                     const ValueOptions& options) {
    const MonteCarloValue found = monte_carlo_value(world, make(text),
                                                    {.episodes = options.episodes,
                                                     .horizon = options.horizon.value_or(horizon),
                                                     .discount = options.discount.value_or(discount),
                                                     .seed = options.seed,
                                                     .threads = options.threads});
    return TrueValue{.value = found.value, .standard_error = found.standard_error, .episodes = found.episodes};
  };
}

// The same for an MDP, whose values are exact. Tables from files are taken care of.
void add_exact_simulation(NamedDomain& domain, const TabularMdp& mdp,
                          std::function<TabularPolicy(const PolicyChoice&)> policy);

}  // namespace starope::envs
