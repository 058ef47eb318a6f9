#include "domains.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "failure.hpp"

namespace starope::cli {
namespace {

using ::testing::HasSubstr;

TEST(Domains, EveryDomainWorksWithItsDefaults) {
  for (const SimulatedDomain& domain : simulated_domains()) {
    SCOPED_TRACE(domain.name);
    EXPECT_NO_THROW(check_policy(domain, "--behavior", domain.behavior));
    EXPECT_NO_THROW(check_policy(domain, "--target", domain.target));
    EXPECT_NE(domain.behavior, domain.target);
    const Dataset data = domain.simulate(domain.behavior, domain.target,
                                         {.episodes = 20, .horizon = Horizon{domain.horizon}, .seed = Seed{1}});
    EXPECT_EQ(data.episodes(), 20);
    EXPECT_LE(data.longest(), domain.horizon);
    EXPECT_TRUE(data.behavior_distribution().has_value());
    EXPECT_TRUE(data.target_distribution().has_value());
  }
}

TEST(Domains, PoliciesAreTheOnesTheyAreCalled) {
  const auto domains = simulated_domains();
  const SimulatedDomain& cartpole = find_domain(domains, "cartpole");
  const Dataset data = cartpole.simulate("uniform", "follow", {.episodes = 5, .horizon = Horizon{50}});
  for (const double p : data.behavior()->values) EXPECT_EQ(p, 0.5);
  const auto& states = std::get<DenseStates>(data.states());
  const auto& actions = std::get<DiscreteActions>(data.actions());
  for (std::size_t i = 0; i < data.target()->values.size(); ++i) {
    const bool leans_right = states.values[4 * i + 2] > 0.0;
    EXPECT_EQ(data.target()->values[i], (actions.id[i] == 1) == leans_right ? 0.9 : 0.1);
  }
}

TEST(Domains, TrueValuesAgreeWithLongRuns) {
  // 4 million episodes each, by an independent program: uniform 21.837 +- 0.016, follow 39.310 +- 0.005.
  const auto domains = simulated_domains();
  const SimulatedDomain& cartpole = find_domain(domains, "cartpole");
  const TrueValue uniform = cartpole.value("uniform", Horizon{50}, Threads{2});
  EXPECT_NEAR(uniform.value, 21.837, 5.0 * std::hypot(uniform.std_error, 0.016));
  const TrueValue follow = cartpole.value("follow", Horizon{50}, Threads{2});
  EXPECT_NEAR(follow.value, 39.310, 5.0 * std::hypot(follow.std_error, 0.005));
  EXPECT_LT(follow.std_error, 0.1);
}

TEST(Domains, UnknownNamesAreUsageErrorsWithTheNearest) {
  const auto domains = simulated_domains();
  try {
    find_domain(domains, "cartpol");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'cartpole'?"));
  }
  try {
    check_policy(domains.front(), "--target", "folow");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--target: unknown policy of cartpole 'folow'; did you mean 'follow'?"));
  }
}

}  // namespace
}  // namespace starope::cli
