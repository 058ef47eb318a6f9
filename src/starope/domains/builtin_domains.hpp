#pragma once

#include <vector>

#include "starope/domains.hpp"
#include "starope/domains/icu_sepsis_domain.hpp"

namespace starope::domains {

// How to get what is not part of the program: called when a domain is first used. An empty function: not available.
struct DomainTables {
  ReadIcuSepsis icu_sepsis_v0{};   // 747 states, as in the paper's experiments
  ReadIcuSepsis icu_sepsis_v2{};   // 716 states, as in the public package
  ReadPolicyTable policy_table{};  // reads the file of a policy such as "mine.csv"
};

// builtin_domains() with these.
std::vector<NamedDomain> builtin_domains(const DomainTables& tables);

}  // namespace starope::domains
