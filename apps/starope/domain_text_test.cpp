#include "domain_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domains.hpp"

namespace starope::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(DomainText, EveryDomainIsDescribed) {
  const auto domains = listed_domains();
  const std::string text = list_text(domains, {.width = 200});
  for (const domains::NamedDomain& domain : domains) {
    EXPECT_THAT(text, AllOf(HasSubstr(domain.name + ": "), HasSubstr(domain.observation)));
    for (const domains::NamedPolicy& policy : domain.policies) EXPECT_THAT(text, HasSubstr(policy.meaning));
  }
  EXPECT_THAT(text, HasSubstr("follow 39.2967 +- 0.0052"));
  EXPECT_THAT(text, HasSubstr("(4,000,000 simulated episodes, seed 2024)"));
  EXPECT_THAT(text, HasSubstr("25: fluid 0 vasopressor 0, fluid 0 vasopressor 1, ..., fluid 4 vasopressor 4"));
  EXPECT_THAT(text, HasSubstr("greedy(eps)"));
}

TEST(DomainText, LongSimulationsAreNotRepeated) {
  const domains::NamedDomain cartpole = choose_domain({.text = "cartpole"});
  const Truth known = find_truth(cartpole, "follow", cartpole.horizon, Threads{1});
  EXPECT_EQ(known.value.episodes, 4'000'000);
  EXPECT_EQ(truth_text("target policy", "follow", known, cartpole.discount),
            "target policy follow: true value 39.2967 +- 0.0052 (4,000,000 simulated episodes, seed 2024; discount 1)");
  const Truth other = find_truth(cartpole, "follow", Horizon{3}, Threads{1});
  EXPECT_EQ(other.value.episodes, 100'000);
  EXPECT_EQ(other.value.value, 3.0);  // no pole falls within three steps
}

TEST(DomainText, ExactWhereThatIsPossible) {
  const domains::NamedDomain win = choose_domain({.text = "model-win"});
  EXPECT_EQ(truth_text("target policy", win.target, find_truth(win, win.target, win.horizon, Threads{1}), win.discount),
            "target policy first(0.27): true value 0.92 (exact; discount 1)");
  EXPECT_NEAR(find_truth(win, "first(0)", Horizon{1}, Threads{1}).value.value, 0.2, 1e-12);
}

}  // namespace
}  // namespace starope::cli
