#include "starope/domains/random_mdp_domain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/error.hpp"

namespace starope::domains {
namespace {

using ::testing::HasSubstr;

std::string error_of(const std::string& text) {
  try {
    random_mdp_domain(parse_random_mdp(text));
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no error";
}

TEST(RandomMdpDomain, ParametersByName) {
  const RandomMdpDomainOptions o = parse_random_mdp(
      "random-mdp(states=70,actions=5,successors=8,exit=0.2,symbols=9,reward-scale=2,noise=0.5,sharpness=3,seed=11)");
  EXPECT_EQ(o.mdp.states, 70);
  EXPECT_EQ(o.mdp.actions, 5);
  EXPECT_EQ(o.mdp.successors, 8);
  EXPECT_EQ(o.mdp.exit_probability, 0.2);
  EXPECT_EQ(o.mdp.symbols, 9);
  EXPECT_EQ(o.mdp.reward_scale, 2.0);
  EXPECT_EQ(o.mdp.reward_noise, 0.5);
  EXPECT_EQ(o.sharpness, 3.0);
  EXPECT_EQ(o.mdp.seed, Seed{11});
  EXPECT_EQ(parse_random_mdp("random-mdp").mdp.states, RandomMdpOptions{}.states);
  EXPECT_EQ(parse_random_mdp("random-mdp()").mdp.states, RandomMdpOptions{}.states);
}

TEST(RandomMdpDomain, WrongParameters) {
  EXPECT_THAT(error_of("random-mdp(stats=3)"), HasSubstr("did you mean 'states'"));
  EXPECT_THAT(error_of("random-mdp(states=x)"), HasSubstr("whole number"));
  EXPECT_THAT(error_of("random-mdp(states=1.5)"), HasSubstr("whole number"));
  EXPECT_THAT(error_of("random-mdp(7)"), HasSubstr("states=100"));
  EXPECT_THAT(error_of("random-mdp(states=3"), HasSubstr("closing parenthesis"));
  EXPECT_THAT(error_of("random-mdp(states=3,successors=4)"), HasSubstr("successors"));
}

TEST(RandomMdpDomain, PoliciesHaveNumbersAndValuesAreExact) {
  const NamedDomain d = random_mdp_domain(parse_random_mdp("random-mdp(states=30,actions=4,seed=2)"));
  EXPECT_EQ(d.actions.size(), 4u);
  const TrueValue first = d.value("random(0)", {}), second = d.value("random(1)", {});
  EXPECT_EQ(first.standard_error, 0.0);
  EXPECT_NE(first.value, second.value);
  EXPECT_EQ(find_known_value(d, "random(1)")->value, second.value);
  const Dataset logs = d.simulate("uniform", "random(1)", {.episodes = 10});
  EXPECT_EQ(logs.behavior()->values[0], 0.25);
  const NamedDomain other = random_mdp_domain(parse_random_mdp("random-mdp(states=30,actions=4,seed=3)"));
  EXPECT_NE(other.value("uniform", {}).value, d.value("uniform", {}).value);
}

}  // namespace
}  // namespace starope::domains
