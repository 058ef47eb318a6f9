#pragma once

#include <vector>

#include "starope/domains.hpp"

namespace starope::domains {

// Domains whose values come from simulation, under their names.

// The paper's; `read` reads policies from files.
NamedDomain cartpole_domain(const ReadPolicyTable& read = {});
NamedDomain asterix_domain(const ReadPolicyTable& read = {});

// The control problems, the problems with hidden states and those kept aside.
std::vector<NamedDomain> problem_domains();

}  // namespace starope::domains
