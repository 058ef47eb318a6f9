#include "domains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "failure.hpp"
#include "starope/base/error.hpp"
#include "starope/domains/builtin_domains.hpp"
#include "starope/domains/icu_sepsis_domain.hpp"
#include "starope/domains/random_mdp_domain.hpp"
#include "starope/io/npz.hpp"
#include "starope/io/numeric_table.hpp"

namespace starope::cli {
namespace {

constexpr const char* command = "starope simulate";

std::string published_tables() {
  return fmt::format("{} (747 states, the paper's), or {} (716 states, the public package's)",
                     envs::published_at(envs::IcuSepsisVersion::v0), envs::published_at(envs::IcuSepsisVersion::v2));
}

bool is_icu_sepsis(const envs::NamedDomain& domain) {
  return domain.name.rfind("icu-sepsis", 0) == 0;
}

envs::IcuSepsisVersion version_of(const std::string& path) {
  const std::vector<std::int64_t> shape = io::NpzReader(path).open("tx_mat").shape();
  for (const auto version : {envs::IcuSepsisVersion::v0, envs::IcuSepsisVersion::v2}) {
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

envs::NamedDomain choose_icu_sepsis(const DomainRequest& request, const std::string& name) {
  if (!request.dynamics) {
    throw UsageError(
        fmt::format(
            "{} needs its tables (Choudhary, Gupta & Thomas 2024), which are not part of starope: download {}, and "
            "pass --dynamics FILE",
            name, published_tables()),
        command);
  }
  const std::string path = *request.dynamics;
  const auto called = [&](const char* part) { return name.find(part) != std::string::npos; };
  const envs::IcuSepsisOptions variant{.frozen_row = request.frozen_row || called("-frozen"),
                                       .features = request.features || called("-features")};
  const envs::IcuSepsisVersion version = called("-v2") ? envs::IcuSepsisVersion::v2 : version_of(path);
  return envs::icu_sepsis_domain([path] { return envs::read_icu_sepsis(io::NpzReader(path)); }, version, variant,
                                 read_policy_table);
}

// The position of the row of every state: 0, 1, ... in any order.
std::vector<std::size_t> rows_by_state(const io::NumericTable& table, std::size_t column, const std::string& path) {
  const auto rows = static_cast<std::size_t>(table.rows), columns = static_cast<std::size_t>(table.columns);
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> row_of(rows, none);
  for (std::size_t i = 0; i < rows; ++i) {
    const double state = table.values[i * columns + column];
    const bool fits = state >= 0.0 && state < static_cast<double>(rows) && state == std::floor(state);
    if (fits && row_of[static_cast<std::size_t>(state)] == none) {
      row_of[static_cast<std::size_t>(state)] = i;
      continue;
    }
    DataLocation at;
    at.file = path;
    at.row = static_cast<std::int64_t>(i) + 2;
    at.column = "state";
    throw DataError({.code = "bad_policy_table",
                     .at = std::move(at),
                     .value = fmt::format("{}", state),
                     .rule = fmt::format("the states of a table of {} rows are 0 to {}, each once", rows, rows - 1),
                     .remedy = "Give every state one row"});
  }
  return row_of;
}

}  // namespace

std::vector<envs::NamedDomain> listed_domains() {
  return envs::builtin_domains({.policy_table = read_policy_table});
}

envs::NamedDomain choose_domain(const DomainRequest& request) {
  try {
    const std::string name = request.text.substr(0, request.text.find('('));
    const std::vector<envs::NamedDomain> domains = listed_domains();
    const envs::NamedDomain& found = envs::find_domain(domains, name);
    if (is_icu_sepsis(found) && name.size() == request.text.size()) return choose_icu_sepsis(request, found.name);
    if (request.dynamics || request.features || request.frozen_row) {
      throw UsageError(fmt::format("--dynamics, --observation and --frozen-row belong to icu-sepsis, not to {}", name),
                       command);
    }
    if (found.name == "random-mdp") {
      return envs::random_mdp_domain(envs::parse_random_mdp(request.text), read_policy_table);
    }
    if (name.size() != request.text.size()) {
      throw UsageError(fmt::format("{} takes no parameters in parentheses", found.name), command);
    }
    return found;
  } catch (const InvalidArgument& error) {
    throw UsageError(error.what(), command);
  }
}

envs::PolicyTable read_policy_table(const std::string& path) {
  const io::NumericTable table = io::read_numeric_table(path);
  const auto columns = static_cast<std::size_t>(table.columns);
  const auto state = std::find(table.names.begin(), table.names.end(), "state");
  const bool has_state = state != table.names.end();
  const auto state_column = has_state ? static_cast<std::size_t>(state - table.names.begin()) : columns;
  std::vector<std::size_t> order;
  if (has_state) order = rows_by_state(table, state_column, path);

  envs::PolicyTable policy{.actions = static_cast<std::int32_t>(columns - (has_state ? 1 : 0)), .source = path};
  for (std::size_t s = 0; s < static_cast<std::size_t>(table.rows); ++s) {
    const std::size_t row = has_state ? order[s] : s;
    for (std::size_t c = 0; c < columns; ++c) {
      if (c != state_column) policy.values.push_back(table.values[row * columns + c]);
    }
  }
  return policy;
}

}  // namespace starope::cli
