#include "starope/study/world.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "starope/base/error.hpp"
#include "starope/domains/builtin_domains.hpp"
#include "starope/domains/random_mdp_domain.hpp"
#include "starope/io/npz.hpp"

namespace starope {

envs::NamedDomain study_world(const StudyDomain& domain) {
  envs::DomainTables tables;
  if (!domain.file.empty()) {
    // Which version the file has is checked against the domain where it is used.
    const auto read = [file = domain.file] { return envs::read_icu_sepsis(io::NpzReader(file)); };
    tables.icu_sepsis_v0 = read;
    tables.icu_sepsis_v2 = read;
  }
  const std::string name = domain.domain.substr(0, domain.domain.find('('));
  const std::vector<envs::NamedDomain> known = envs::builtin_domains(tables);
  envs::NamedDomain found = envs::find_domain(known, name);
  if (name.size() == domain.domain.size()) return found;
  if (found.name == "random-mdp") return envs::random_mdp_domain(envs::parse_random_mdp(domain.domain), {});
  throw InvalidArgument(fmt::format("{} takes no parameters in parentheses", found.name));
}

}  // namespace starope
