#include "starope/domains/choose_domain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/domains/builtin_domains.hpp"
#include "starope/domains/icu_sepsis_files.hpp"
#include "starope/error.hpp"

namespace starope::domains {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(ChooseDomain, ByName) {
  EXPECT_EQ(choose_domain("CartPole").name, "cartpole");
  EXPECT_THAT([] { choose_domain("cartpol"); }, ThrowsMessage<InvalidArgument>(HasSubstr("'cartpole'")));
  for (const NamedDomain& listed : builtin_domains()) EXPECT_EQ(choose_domain(listed.name).name, listed.name);
}

TEST(ChooseDomain, ParametersOfRandomMdps) {
  const auto symbols = [](const char* text) {
    const NamedDomain domain = choose_domain(text);
    const Dataset data = domain.simulate(domain.behavior, domain.target, {.episodes = 500, .threads = Threads{1}});
    return std::get<DiscreteStates>(data.states()).ids.size();
  };
  EXPECT_EQ(symbols("random-mdp(states=5)"), 5U);
  EXPECT_THAT([] { choose_domain("cartpole(states=5)"); }, ThrowsMessage<InvalidArgument>(HasSubstr("no parameters")));
}

TEST(ChooseDomain, EveryVariantOfIcuSepsis) {
  for (const IcuSepsisVersion version : {IcuSepsisVersion::v0, IcuSepsisVersion::v2}) {
    for (const bool features : {false, true}) {
      for (const bool frozen : {false, true}) {
        const std::string name = icu_sepsis_name(version, {.frozen_row = frozen, .features = features});
        EXPECT_EQ(choose_domain(name).name, name);
      }
    }
  }
  EXPECT_EQ(icu_sepsis_name(IcuSepsisVersion::v2, {.frozen_row = true, .features = true}),
            "icu-sepsis-v2-features-frozen");
}

TEST(ChooseDomain, TablesAreReadWhenTheyAreUsed) {
  const NamedDomain domain = choose_domain("icu-sepsis", {.icu_sepsis = "missing.npz"});
  EXPECT_THROW(domain.simulate(domain.behavior, domain.target, {.episodes = 1}), FileError);
  EXPECT_THROW(icu_sepsis_version("missing.npz"), FileError);
}

}  // namespace
}  // namespace starope::domains
