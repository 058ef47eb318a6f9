#include "starope/phi/lookup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "starope/phi/counted_states.hpp"
#include "starope/base/error.hpp"

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

std::unordered_map<std::int64_t, std::int64_t> checked_map(const LookupTable& table) {
  if (table.state.size() != table.z.size()) {
    throw InvalidArgument(fmt::format("a lookup table needs one z per state, not {} states and {} z",
                                      table.state.size(), table.z.size()));
  }
  std::unordered_map<std::int64_t, std::int64_t> z_of;
  z_of.reserve(table.state.size());
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

[[noreturn]] void fail_missing(const LookupTable& table, const Dataset& data, std::int64_t row, std::int64_t id) {
  DataLocation at = locate_state(data, row);
  at.column = "state";
  throw DataError(
      {.code = "unknown_state",
       .at = std::move(at),
       .value = fmt::format("{}", id),
       .rule = fmt::format("is not in the lookup table{}", table.source.empty() ? std::string() : " " + table.source),
       .remedy = fmt::format("Add a row for state {} to the table", id)});
}

}  // namespace

Labels label_lookup(const LookupTable& table, const Problem& problem) {
  const DiscreteStates& states = require_discrete_states(problem, "a lookup table");
  const auto z_of = checked_map(table);
  std::vector<std::optional<Label>> of_code(states.ids.size());
  for (std::size_t c = 0; c < of_code.size(); ++c) {
    if (const auto found = z_of.find(states.ids[c]); found != z_of.end())
      of_code[c] = static_cast<Label>(found->second);
  }
  Labels labels;
  labels.cells = table.z.empty() ? 0 : *std::max_element(table.z.begin(), table.z.end()) + 1;
  labels.of_row.reserve(states.code.size());
  for (std::size_t row = 0; row < states.code.size(); ++row) {
    const auto code = static_cast<std::size_t>(states.code[row]);
    if (!of_code[code]) fail_missing(table, problem.data(), static_cast<std::int64_t>(row), states.ids[code]);
    labels.of_row.push_back(*of_code[code]);
  }
  return labels;
}

}  // namespace starope
