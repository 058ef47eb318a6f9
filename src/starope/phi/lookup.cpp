#include "starope/phi/lookup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "starope/error.hpp"
#include "starope/phi/counted_states.hpp"
#include "starope/phi/labels.hpp"
#include "starope/phi/phi.hpp"

namespace starope {
namespace {

[[noreturn]] void fail_in_table(const LookupTable& table, const char* code, std::int64_t value, std::string rule,
                                std::string remedy) {
  DataLocation at;
  at.file = table.source;
  at.column = "z";
  throw DataError({.code = code,
                   .at = std::move(at),
                   .value = fmt::format("{}", value),
                   .rule = std::move(rule),
                   .remedy = std::move(remedy)});
}

std::map<std::int64_t, std::int64_t> checked_map(const LookupTable& table) {
  if (table.state.size() != table.z.size()) {
    throw InvalidArgument(fmt::format("a lookup table needs one z per state, not {} states and {} z",
                                      table.state.size(), table.z.size()));
  }
  std::map<std::int64_t, std::int64_t> z_of;
  for (std::size_t i = 0; i < table.state.size(); ++i) {
    const std::int64_t state = table.state[i], z = table.z[i];
    if (z < 0) {
      fail_in_table(table, "bad_abstract_state", z,
                    fmt::format("is the abstract state of state {}; it must be 0 or larger", state),
                    "Number the abstract states 0, 1, 2, ...");
    }
    if (z >= std::numeric_limits<Label>::max()) {
      fail_in_table(table, "bad_abstract_state", z,
                    fmt::format("is the abstract state of state {}; it is too large to be the number of a cell", state),
                    "Number the abstract states 0, 1, 2, ... without large gaps");
    }
    const auto [known, is_new] = z_of.emplace(state, z);
    if (!is_new && known->second != z) {
      fail_in_table(
          table, "contradicting_abstract_states", z,
          fmt::format("contradicts an earlier row, which puts state {} into abstract state {}", state, known->second),
          "Keep one row per state");
    }
  }
  return z_of;
}

}  // namespace

FittedAbstraction fit_lookup(const LookupTable& table, const Problem& problem) {
  require_discrete_states(problem.data(), "a lookup table");
  IdCells rule{.origin = "the lookup table" + (table.source.empty() ? std::string() : " " + table.source)};
  for (const auto& [state, z] : checked_map(table)) {
    rule.ids.push_back(state);
    rule.cell.push_back(static_cast<Label>(z));
  }
  rule.cells = table.z.empty() ? 0 : *std::max_element(table.z.begin(), table.z.end()) + 1;
  FittedAbstraction fit{.phi = make_phi(std::move(rule))};
  fit.labels = fit.phi->label(problem.data());
  return fit;
}

}  // namespace starope
