#pragma once

#include <string>
#include <string_view>

#include "starope/domains.hpp"
#include "starope/domains/icu_sepsis_domain.hpp"

namespace starope::domains {

// What a domain may need besides its name.
struct DomainFiles {
  // Its tables; empty: those of the installed or downloaded package icu-sepsis (716 states), if there is one.
  std::string icu_sepsis{};
  ReadPolicyTable policy_table{};  // reads the file of a policy such as "mine.csv"; empty: policies have names only
};

// The domain of a text such as "cartpole" or "random-mdp(states=100)": one of builtin_domains, or any variant of
// ICU-Sepsis ("icu-sepsis-v2-features-frozen"). InvalidArgument for an unknown name, with the nearest one, and for
// parameters that the domain does not have. Files are read when the domain is first used.
NamedDomain choose_domain(std::string_view text, const DomainFiles& files = {});

}  // namespace starope::domains
