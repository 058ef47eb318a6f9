#pragma once

#include <cstdint>
#include <optional>

#include "starope/domains.hpp"
#include "starope/types.hpp"

namespace starope::domains {

struct RandomMdpOptions {
  std::int32_t states = 10;  // live ones; state number `states` is the terminal one
  std::int32_t actions = 3;
  std::int32_t successors = 4;            // live states that can follow a pair (state, action)
  double exit_probability = 0.1;          // per step, on average over the pairs; single pairs have 0.5 to 1.5 times it
  double reward_scale = 1.0;              // rewards r(s,a,s') are normal with this standard deviation
  double reward_noise = 0.0;              // standard deviation of what is added at every step
  std::optional<std::int32_t> symbols{};  // what is seen: so many symbols, all used; none: the states themselves
  Seed seed{};
};

// A function of its options. Wrong options: InvalidArgument.
TabularMdp random_mdp(const RandomMdpOptions& options);

struct RandomPolicyOptions {
  double sharpness = 1.0;  // standard deviation of the softmax preferences; 0: uniform
  Seed seed{};
  std::uint32_t index = 0;  // policies of different index are independent
};

// A softmax policy with normal preferences.
TabularPolicy random_policy(std::int32_t symbols, std::int32_t actions, const RandomPolicyOptions& options);

}  // namespace starope::domains
