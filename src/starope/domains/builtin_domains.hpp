#pragma once

#include <vector>

#include "starope/domains/icu_sepsis_domain.hpp"
#include "starope/domains/named_domain.hpp"

namespace starope::envs {

// How to get what is not part of the program: called when a domain is first used. An empty function: not available.
struct DomainTables {
  ReadIcuSepsis icu_sepsis_v0{};   // 747 states, as in the paper's experiments
  ReadIcuSepsis icu_sepsis_v2{};   // 716 states, as in the public package
  ReadPolicyTable policy_table{};  // reads the file of a policy such as "mine.csv"
};

// All worlds of this module, with the policies, horizons and discounts of the literature as defaults. Those whose
// tables are missing are listed too; using one is a FileError that says what is needed.
std::vector<NamedDomain> builtin_domains(const DomainTables& tables = {});

}  // namespace starope::envs
