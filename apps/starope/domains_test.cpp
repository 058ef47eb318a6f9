#include "domains.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "failure.hpp"
#include "starope/error.hpp"

namespace starope::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string usage_error(const DomainRequest& request) {
  try {
    choose_domain(request);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Domains, ByNameInAnySpelling) {
  EXPECT_EQ(choose_domain({.text = "CartPole"}).name, "cartpole");
  EXPECT_EQ(choose_domain({.text = "gridworld_8x8"}).name, "gridworld-8x8");
  EXPECT_THAT(usage_error({.text = "cartpol"}), HasSubstr("did you mean 'cartpole'?"));
  EXPECT_THAT(usage_error({.text = "cartpole(3)"}), HasSubstr("takes no parameters"));
}

TEST(Domains, RandomMdpsHaveParameters) {
  EXPECT_EQ(choose_domain({.text = "random-mdp(states=20,actions=7)"}).actions.size(), 7u);
  EXPECT_THAT(usage_error({.text = "random-mdp(states=20,action=7)"}), HasSubstr("did you mean 'actions'"));
}

TEST(Domains, IcuSepsisSaysWhatItNeedsAndFromWhere) {
  for (const char* name : {"icu-sepsis", "ICU_sepsis"}) {
    EXPECT_THAT(usage_error({.text = name}),
                AllOf(HasSubstr("--dynamics FILE"), HasSubstr("github.com/shreyasc-13/STAR"),
                      HasSubstr("github.com/icu-sepsis/icu-sepsis")));
  }
  EXPECT_THROW(choose_domain({.text = "icu-sepsis", .dynamics = "/no/such/file.npz"}), FileError);
}

TEST(Domains, OptionsOfIcuSepsisBelongToItAlone) {
  EXPECT_THAT(usage_error({.text = "cartpole", .dynamics = "x.npz"}), HasSubstr("belong to icu-sepsis"));
  EXPECT_THAT(usage_error({.text = "graph", .features = true}), HasSubstr("belong to icu-sepsis"));
  EXPECT_THAT(usage_error({.text = "asterix", .frozen_row = true}), HasSubstr("belong to icu-sepsis"));
}

}  // namespace
}  // namespace starope::cli
