#pragma once

#include <vector>

#include "starope/domains.hpp"

namespace starope::domains {

// Small domains whose values are computed exactly, under their names; `read` reads policies from files.
std::vector<NamedDomain> exact_domains(const ReadPolicyTable& read = {});

}  // namespace starope::domains
