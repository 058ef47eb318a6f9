#include "domains.hpp"

#include <fmt/format.h>

#include "failure.hpp"
#include "starope/domains/builtin_domains.hpp"
#include "starope/domains/choose_domain.hpp"
#include "starope/domains/icu_sepsis_domain.hpp"
#include "starope/domains/icu_sepsis_files.hpp"
#include "starope/domains/policy_table.hpp"
#include "starope/domains/random_mdp_domain.hpp"
#include "starope/error.hpp"
#include "starope/io/numeric_table.hpp"

namespace starope::cli {
namespace {

constexpr const char* simulate_command = "starope simulate";

bool is_icu_sepsis(const domains::NamedDomain& domain) {
  return domain.name.rfind("icu-sepsis", 0) == 0;
}

// The name of the variant that the options and the file ask for.
std::string icu_sepsis_name(const DomainRequest& request, const std::string& name) {
  const auto called = [&](const char* part) { return name.find(part) != std::string::npos; };
  const bool found = called("-v2") && domains::find_icu_sepsis(domains::usual_places());
  if (!request.dynamics && !found) {
    throw UsageError(
        fmt::format(
            "{} needs its tables (Choudhary, Gupta & Thomas 2024), which are not part of starope. icu-sepsis-v2 finds "
            "those of the package icu-sepsis where it is installed, or after `{}` here; others are named with "
            "--dynamics FILE: {}",
            name, domains::get_icu_sepsis, domains::published_tables()),
        simulate_command);
  }
  return domains::icu_sepsis_name(
      called("-v2") ? domains::IcuSepsisVersion::v2 : domains::icu_sepsis_version(*request.dynamics),
      {.frozen_row = request.frozen_row || called("-frozen"), .features = request.features || called("-features")});
}

}  // namespace

std::vector<domains::NamedDomain> listed_domains() {
  return domains::builtin_domains({.policy_table = domains::read_policy_table});
}

domains::NamedDomain choose_domain(const DomainRequest& request, const Inputs& inputs) {
  try {
    if (request.dynamics) inputs.add(*request.dynamics);
    const domains::DomainFiles files{.icu_sepsis = request.dynamics.value_or(""),
                                     .policy_table = noted(domains::read_policy_table, inputs)};
    domains::NamedDomain found = domains::choose_domain(request.text, files);
    if (is_icu_sepsis(found)) return domains::choose_domain(icu_sepsis_name(request, found.name), files);
    if (request.dynamics || request.features || request.frozen_row) {
      throw UsageError(
          fmt::format("--dynamics, --observation and --frozen-row belong to icu-sepsis, not to {}", found.name),
          simulate_command);
    }
    return found;
  } catch (const InvalidArgument& error) {
    throw UsageError(error.what(), simulate_command);
  }
}

}  // namespace starope::cli
