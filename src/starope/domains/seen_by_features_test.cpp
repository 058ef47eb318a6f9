#include "starope/domains/seen_by_features.hpp"

#include <gtest/gtest.h>

#include "starope/data.hpp"
#include "starope/domains.hpp"
#include "starope/domains/random_mdp.hpp"
#include "starope/domains/tabular_policy.hpp"

namespace starope::domains {
namespace {

static_assert(FeatureDomain<SeenByFeatures<TabularMdp>> && !SymbolDomain<SeenByFeatures<TabularMdp>>);

TEST(SeenByFeatures, OnlyTheStatesOfTheLogsChange) {
  const TabularMdp mdp = random_mdp({.states = 5});
  const auto policy = random_policy(5, 3, {});
  const SymbolFeatures features{.names = {"a", "b"}, .values = {0, 10, 1, 11, 2, 12, 3, 13, 4, 14}};
  const SimulateOptions options{.episodes = 50, .horizon = Horizon{6}, .seed = Seed{3}};
  const Dataset symbols = simulate(mdp, policy, policy, options);
  const Dataset numbers =
      simulate_episodes(SeenByFeatures(mdp, features), ReadsTable(mdp, policy), ReadsTable(mdp, policy), options);
  ASSERT_EQ(numbers.state_rows(), symbols.state_rows());
  EXPECT_EQ(std::vector<double>(numbers.rewards().begin(), numbers.rewards().end()),
            std::vector<double>(symbols.rewards().begin(), symbols.rewards().end()));
  const auto& dense = std::get<DenseStates>(numbers.states());
  const auto& discrete = std::get<DiscreteStates>(symbols.states());
  EXPECT_EQ(dense.names, features.names);
  for (std::size_t i = 0; i < std::span(discrete.code).size(); ++i) {
    const auto id = static_cast<double>(discrete.ids[discrete.code[i]]);
    ASSERT_EQ(dense.values[2 * i], id);
    ASSERT_EQ(dense.values[2 * i + 1], 10 + id);
  }
}

TEST(SeenByFeatures, RefusesFeaturesOfAnotherWorld) {
  const TabularMdp mdp = random_mdp({.states = 5});
  const SymbolFeatures features{.names = {"a"}, .values = {1, 2, 3}};
  EXPECT_THROW(SeenByFeatures(mdp, features), InvalidArgument);
}

}  // namespace
}  // namespace starope::domains
