#include "starope/domains/choose_domain.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "starope/domains/builtin_domains.hpp"
#include "starope/domains/icu_sepsis_files.hpp"
#include "starope/domains/random_mdp_domain.hpp"
#include "starope/error.hpp"

namespace starope::domains {

NamedDomain choose_domain(std::string_view text, const DomainFiles& files) {
  // Which version the file has is checked against the domain where it is used. Only the public one is in a package.
  // Nobody looks through folders for tables that are not asked for.
  std::optional<std::string> of_package;
  if (files.icu_sepsis.empty() && text.starts_with("icu-sepsis")) of_package = find_icu_sepsis(usual_places());
  const auto reads = [&](IcuSepsisVersion version) -> ReadIcuSepsis {
    std::optional<std::string> file = files.icu_sepsis;
    if (file->empty()) file = version == IcuSepsisVersion::v2 ? of_package : std::nullopt;
    if (!file) return {};
    return [path = *file] { return read_icu_sepsis(open_icu_sepsis(path)); };
  };
  std::vector<NamedDomain> known = builtin_domains({.icu_sepsis_v0 = reads(IcuSepsisVersion::v0),
                                                    .icu_sepsis_v2 = reads(IcuSepsisVersion::v2),
                                                    .policy_table = files.policy_table});
  // Too many variants for a list; those that it has are found first.
  for (const IcuSepsisVersion version : {IcuSepsisVersion::v0, IcuSepsisVersion::v2}) {
    for (const bool features : {false, true}) {
      for (const bool frozen : {false, true}) {
        known.push_back(icu_sepsis_domain(reads(version), version, {.frozen_row = frozen, .features = features},
                                          files.policy_table));
      }
    }
  }
  const std::string_view name = text.substr(0, text.find('('));
  const NamedDomain& found = find_domain(known, name);
  if (name.size() == text.size()) return found;
  if (found.name == "random-mdp") return random_mdp_domain(parse_random_mdp(text), files.policy_table);
  throw InvalidArgument(fmt::format("{} takes no parameters in parentheses", found.name));
}

}  // namespace starope::domains
