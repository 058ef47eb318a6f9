#pragma once

#include <vector>

#include "starope/domains/named_domain.hpp"

namespace starope::envs {

// The control problems, the problems with hidden states and those kept aside, under their names.
std::vector<NamedDomain> testbed_domains();

}  // namespace starope::envs
