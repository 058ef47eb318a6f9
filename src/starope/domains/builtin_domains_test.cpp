#include "starope/domains/builtin_domains.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "starope/domains/made_up_sepsis.hpp"
#include "starope/error.hpp"
#include "starope/io/npz.hpp"
#include "starope/problem.hpp"
#include "starope/stats/moments.hpp"
#include "support/test_data.hpp"

namespace starope::domains {
namespace {

using starope::testing::MadeUpSepsis;
using starope::testing::shared_file;

// With the published tables of ICU-Sepsis where they are at hand, else with made-up ones of their size.
std::function<IcuSepsisTables()> sepsis_reader(const std::string& name, std::int32_t states) {
  return [file = shared_file(name), states] {
    return file ? read_icu_sepsis(io::NpzReader(*file)) : MadeUpSepsis{.states = states}.tables();
  };
}
std::vector<NamedDomain> all_domains() {
  return builtin_domains({
      .icu_sepsis_v0 = sepsis_reader("data/icu_sepsis/v0/sepsis_dynamics.npz", 747),
      .icu_sepsis_v2 = sepsis_reader("data/icu_sepsis/v2/dynamics.npz", 716),
  });
}

TEST(BuiltinDomains, AreCompleteDescriptions) {
  std::set<std::string> names;
  for (const NamedDomain& d : builtin_domains()) {
    EXPECT_TRUE(names.insert(d.name).second) << d.name;
    EXPECT_FALSE(d.summary.empty() || d.observation.empty() || d.actions.empty()) << d.name;
    EXPECT_NO_THROW(parse_policy(d.behavior, d.policies)) << d.name;
    EXPECT_NO_THROW(parse_policy(d.target, d.policies)) << d.name;
    EXPECT_NE(d.behavior, d.target);
    EXPECT_TRUE(find_known_value(d, d.behavior) && find_known_value(d, d.target)) << d.name;
    for (const KnownValue& known : d.known_values) EXPECT_NO_THROW(parse_policy(known.policy, d.policies)) << d.name;
  }
  for (const char* expected :
       {"cartpole", "asterix", "icu-sepsis", "model-fail", "graph", "gridworld-8x8", "random-mdp"})
    EXPECT_TRUE(names.count(expected) == 1) << expected;
}

TEST(BuiltinDomains, KnownValuesAreWhatTheyCompute) {
  for (const NamedDomain& d : all_domains()) {
    if (d.name.rfind("icu-", 0) == 0 && !shared_file("data/icu_sepsis")) continue;  // those of the published tables
    for (const KnownValue& known : d.known_values) {
      const TrueValue value = d.value(known.policy, {.episodes = 20'000, .seed = Seed{1}});
      EXPECT_EQ(value.standard_error == 0.0, known.standard_error == 0.0) << d.name;
      EXPECT_NEAR(value.value, known.value, 4 * std::hypot(value.standard_error, known.standard_error) + 6e-7)
          << d.name << " " << known.policy;
    }
  }
}

TEST(BuiltinDomains, LogsFitTheirDescriptions) {
  for (const NamedDomain& d : all_domains()) {
    const Dataset logs = d.simulate(d.behavior, d.target, {.episodes = 40, .seed = Seed{2}});
    EXPECT_EQ(logs.episodes(), 40);
    EXPECT_LE(logs.longest(), d.horizon.steps()) << d.name;
    EXPECT_EQ(std::get<DiscreteActions>(logs.actions()).count, static_cast<std::int32_t>(d.actions.size())) << d.name;
    EXPECT_TRUE(logs.behavior() && logs.target() && logs.behavior_distribution() && logs.target_distribution());
    for (std::int64_t i = 0; i < 40; ++i) {
      const bool cut = logs.end(i) == EpisodeEnd::truncated;
      EXPECT_TRUE(!cut || logs.length(i) == d.horizon.steps()) << d.name;
    }
    EXPECT_NO_THROW(make_problem(logs)) << d.name;
  }
}

// The naive mean of the behavior's logs must be near the behavior's value: policies and values belong together.
TEST(BuiltinDomains, MeanReturnsAreNearTheBehaviorsValue) {
  for (const NamedDomain& d : all_domains()) {
    const Dataset logs =
        d.simulate(d.behavior, d.target, {.episodes = 3000, .seed = Seed{3}, .features_as_bits = d.bits});
    Moments returns;
    for (std::int64_t i = 0; i < logs.episodes(); ++i) {
      double sum = 0.0;
      for (std::int64_t t = 0; t < logs.length(i); ++t)
        sum += std::pow(d.discount.gamma(), t) * logs.rewards()[logs.first_step(i) + t];
      returns.add(sum);
    }
    const TrueValue value = d.value(d.behavior, {.episodes = 20'000, .seed = Seed{4}});
    EXPECT_NEAR(returns.mean(), value.value, 4 * std::hypot(returns.standard_error(), value.standard_error) + 1e-9)
        << d.name;
  }
}

// What makes the problems kept aside fit for judging an estimator: single steps overlap well, and yet the value of the
// target is far from what a hundred logged episodes earn on average.
TEST(BuiltinDomains, ProblemsKeptAsideOverlapAndDiffer) {
  const std::vector<NamedDomain> domains = builtin_domains();
  for (const char* name : {"reservoir", "glucose", "two-wells", "maintenance"}) {
    const NamedDomain& d = find_domain(domains, name);
    const Dataset logs = d.simulate(d.behavior, d.target, {.episodes = 2000, .seed = Seed{6}});
    for (std::size_t row = 0; row < logs.rewards().size(); ++row) {
      const double ratio = logs.target()->values[row] / logs.behavior()->values[row];
      ASSERT_GT(ratio, 0.1) << name;
      ASSERT_LT(ratio, 5.0) << name;
    }
    Moments returns;
    for (std::int64_t i = 0; i < logs.episodes(); ++i) {
      const auto rewards = logs.rewards().subspan(logs.first_step(i), static_cast<std::size_t>(logs.length(i)));
      returns.add(std::accumulate(rewards.begin(), rewards.end(), 0.0));
    }
    const double error_of_100 = returns.standard_error() * std::sqrt(2000.0 / 100.0);
    const double gap = find_known_value(d, d.target)->value - find_known_value(d, d.behavior)->value;
    EXPECT_GT(std::abs(gap), 5.0 * error_of_100) << name;
  }
}

// A table of the world's own policy must give the very same logs, whatever the world.
TEST(BuiltinDomains, TakePoliciesFromTables) {
  const auto uniform_row = [](std::int32_t actions) {
    return PolicyTable{.actions = actions, .values = std::vector<double>(actions, 1.0 / actions)};
  };
  for (const std::string name : {"cartpole", "asterix", "gridworld-4x4"}) {
    const std::int32_t actions = name == "cartpole" ? 2 : (name == "asterix" ? 6 : 4);
    const auto domains = builtin_domains({.policy_table = [&](const std::string&) { return uniform_row(actions); }});
    const NamedDomain& d = find_domain(domains, name);
    const SimulateOptions options{.episodes = 5, .horizon = Horizon{20}};
    const Dataset named = d.simulate("uniform", d.target, options), table = d.simulate("own.csv", d.target, options);
    EXPECT_EQ(std::get<DiscreteActions>(named.actions()).id, std::get<DiscreteActions>(table.actions()).id) << name;
    EXPECT_EQ(named.behavior()->values, table.behavior()->values) << name;
    EXPECT_FALSE(find_known_value(d, "own.csv")) << name;
  }
  EXPECT_THROW(find_domain(builtin_domains(), "cartpole").simulate("own.csv", "follow", {}), InvalidArgument);
}

}  // namespace
}  // namespace starope::domains
