#include "starope/domains/exact_domains.hpp"

#include <gtest/gtest.h>

namespace starope::domains {
namespace {

TEST(ExactDomains, HaveExactValuesThatTheyKnow) {
  for (const NamedDomain& domain : exact_domains()) {
    const TrueValue value = domain.value(domain.target, {});
    EXPECT_EQ(value.standard_error, 0.0) << domain.name;
    EXPECT_NEAR(value.value, find_known_value(domain, domain.target)->value, 6e-7) << domain.name;
  }
}

}  // namespace
}  // namespace starope::domains
