#pragma once

#include <string_view>

#include "starope/domains.hpp"
#include "starope/domains/random_mdp.hpp"

namespace starope::domains {

struct RandomMdpDomainOptions {
  RandomMdpOptions mdp{};
  double sharpness = 1.0;  // of its policies: see RandomPolicyOptions
};

// A random MDP by name, with random softmax policies "random(0)", "random(1)", ... that depend on the same seed.
NamedDomain random_mdp_domain(const RandomMdpDomainOptions& options = {}, ReadPolicyTable read_table = {});

// "random-mdp(states=700,actions=25,successors=80,exit=0.1,symbols=50,reward-scale=1,noise=0,sharpness=1,seed=3)", any
// of them, in any order; "random-mdp" alone has the defaults. InvalidArgument says what is wrong.
RandomMdpDomainOptions parse_random_mdp(std::string_view text);

}  // namespace starope::domains
