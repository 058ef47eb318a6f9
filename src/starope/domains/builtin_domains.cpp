#include "starope/domains/builtin_domains.hpp"

#include <utility>

#include "starope/domains/exact_domains.hpp"
#include "starope/domains/random_mdp_domain.hpp"
#include "starope/domains/simulated_domains.hpp"

namespace starope::domains {
namespace {

void add_icu_sepsis(std::vector<NamedDomain>& domains, const DomainTables& tables) {
  const auto add = [&](const ReadIcuSepsis& read, IcuSepsisVersion version, const IcuSepsisOptions& variant) {
    domains.push_back(icu_sepsis_domain(read, version, variant, tables.policy_table));
  };
  add(tables.icu_sepsis_v0, IcuSepsisVersion::v0, {});
  add(tables.icu_sepsis_v0, IcuSepsisVersion::v0, {.features = true});
  add(tables.icu_sepsis_v0, IcuSepsisVersion::v0, {.frozen_row = true});
  add(tables.icu_sepsis_v2, IcuSepsisVersion::v2, {});
}

}  // namespace

std::vector<NamedDomain> builtin_domains(const DomainTables& tables) {
  std::vector<NamedDomain> domains{cartpole_domain(tables.policy_table), asterix_domain(tables.policy_table)};
  add_icu_sepsis(domains, tables);
  for (NamedDomain& domain : exact_domains(tables.policy_table)) domains.push_back(std::move(domain));
  for (NamedDomain& domain : problem_domains()) domains.push_back(std::move(domain));
  return domains;
}

std::vector<NamedDomain> builtin_domains() {
  return builtin_domains(DomainTables{});
}

}  // namespace starope::domains
