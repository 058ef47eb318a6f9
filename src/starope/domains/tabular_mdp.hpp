#pragma once

#include "starope/domains.hpp"

namespace starope::domains {

// Throws InvalidArgument unless the policy has a row for every symbol of the process and the same actions.
void check_policy_fits(const TabularMdp& mdp, const TabularPolicy& policy);

}  // namespace starope::domains
