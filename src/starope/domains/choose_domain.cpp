#include "starope/domains/choose_domain.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "starope/domains/builtin_domains.hpp"
#include "starope/domains/random_mdp_domain.hpp"
#include "starope/error.hpp"
#include "starope/io/npz.hpp"

namespace starope::domains {

NamedDomain choose_domain(std::string_view text, const DomainFiles& files) {
  ReadIcuSepsis read;
  // Which version the file has is checked against the domain where it is used.
  if (!files.icu_sepsis.empty()) read = [file = files.icu_sepsis] { return read_icu_sepsis(io::NpzReader(file)); };
  std::vector<NamedDomain> known =
      builtin_domains({.icu_sepsis_v0 = read, .icu_sepsis_v2 = read, .policy_table = files.policy_table});
  // Too many variants for a list; those that it has are found first.
  for (const IcuSepsisVersion version : {IcuSepsisVersion::v0, IcuSepsisVersion::v2}) {
    for (const bool features : {false, true}) {
      for (const bool frozen : {false, true}) {
        known.push_back(
            icu_sepsis_domain(read, version, {.frozen_row = frozen, .features = features}, files.policy_table));
      }
    }
  }
  const std::string_view name = text.substr(0, text.find('('));
  const NamedDomain& found = find_domain(known, name);
  if (name.size() == text.size()) return found;
  if (found.name == "random-mdp") return random_mdp_domain(parse_random_mdp(text), files.policy_table);
  throw InvalidArgument(fmt::format("{} takes no parameters in parentheses", found.name));
}

IcuSepsisVersion icu_sepsis_version(const std::string& path) {
  const std::vector<std::int64_t> shape = io::NpzReader(path).open("tx_mat").shape();
  for (const auto version : {IcuSepsisVersion::v0, IcuSepsisVersion::v2}) {
    if (!shape.empty() && shape[0] == static_cast<std::int64_t>(version)) return version;
  }
  DataLocation at;
  at.file = path;
  at.column = "tx_mat";
  throw DataError({.code = "bad_shape",
                   .at = std::move(at),
                   .value = {},
                   .rule = fmt::format("has {} states; ICU-Sepsis has 747 (v0) or 716 (v1 and v2)",
                                       shape.empty() ? std::int64_t{0} : shape[0]),
                   .remedy = "Use one of the published files: " + published_tables()});
}

}  // namespace starope::domains
