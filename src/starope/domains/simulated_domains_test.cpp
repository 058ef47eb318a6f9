#include "starope/domains/simulated_domains.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace starope::domains {
namespace {

TEST(ProblemDomains, CanAllBeSimulatedAndHaveValues) {
  std::set<std::string> names;
  for (const NamedDomain& domain : problem_domains()) {
    EXPECT_TRUE(names.insert(domain.name).second);
    const Dataset logs = domain.simulate(domain.behavior, domain.target, {.episodes = 20, .seed = Seed{3}});
    EXPECT_EQ(logs.episodes(), 20) << domain.name;
    EXPECT_LE(logs.longest(), domain.horizon.steps()) << domain.name;
    const TrueValue behavior = domain.value(domain.behavior, {.episodes = 4000, .seed = Seed{1}});
    const TrueValue target = domain.value(domain.target, {.episodes = 4000, .seed = Seed{1}});
    // A problem whose policies earn the same would say nothing about an estimator.
    EXPECT_GT(target.value - behavior.value, 3.0 * (behavior.standard_error + target.standard_error)) << domain.name;
  }
  EXPECT_EQ(names.size(), 12u);
}

// The logged probabilities are those of the policies: importance sampling of the first reward is unbiased.
TEST(ProblemDomains, LogBothPolicies) {
  for (const NamedDomain& domain : problem_domains()) {
    const Dataset logs = domain.simulate(domain.behavior, domain.target, {.episodes = 4000, .seed = Seed{5}});
    double sum = 0.0, squares = 0.0;
    for (std::int64_t i = 0; i < logs.episodes(); ++i) {
      const auto row = logs.first_step(i);
      const double ratio = logs.target()->values[row] / logs.behavior()->values[row];
      sum += ratio;
      squares += ratio * ratio;
    }
    const double mean = sum / 4000.0;
    EXPECT_NEAR(mean, 1.0, 5.0 * std::sqrt((squares / 4000.0 - mean * mean) / 4000.0) + 1e-12) << domain.name;
  }
}

}  // namespace
}  // namespace starope::domains
