#include "starope/q/q_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "starope/base/data_location.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

[[noreturn]] void does_not_fit(const QTable& table, const char* column, std::string value, std::string rule,
                               std::string remedy) {
  throw DataError({.code = "q_table",
                   .at = in_column(column, table.source),
                   .value = std::move(value),
                   .rule = std::move(rule),
                   .remedy = std::move(remedy)});
}

}  // namespace

QValues make_q_values(const QLogs& logs) {
  QValues values{.actions = logs.actions(), .q = {}};
  values.q.assign(static_cast<std::size_t>(logs.problem().data().steps()) * static_cast<std::size_t>(logs.actions()),
                  0.0);
  return values;
}

QValues look_up(const QTable& table, const QLogs& logs) {
  const Dataset& data = logs.problem().data();
  const auto* discrete = std::get_if<DiscreteStates>(&data.states());
  if (discrete == nullptr) {
    does_not_fit(table, "state", "real-valued", "are the states of the logs; a Q table needs integer ids",
                 "Use q=fqe, q=qreg or q=mrdr");
  }
  if (table.actions != logs.actions()) {
    does_not_fit(table, "q_0..", fmt::format("{}", table.actions),
                 fmt::format("is the number of actions in the table; the logs have {}", logs.actions()),
                 "Write one column q_A per action A of the logs");
  }
  const auto width = static_cast<std::size_t>(table.actions);
  std::unordered_map<std::int64_t, std::size_t> place;
  for (std::size_t i = 0; i < table.state.size(); ++i) {
    if (!place.emplace(table.state[i], i).second) {
      does_not_fit(table, "state", fmt::format("{}", table.state[i]), "is in the table twice",
                   "Give each state one row");
    }
  }
  QValues values = make_q_values(logs);
  for (std::int64_t row = 0; row < data.steps(); ++row) {
    const std::int64_t id = discrete->id_of(row);
    const auto found = place.find(id);
    if (found == place.end()) {
      does_not_fit(table, "state", fmt::format("{}", id), "is a state of the logs that the table lacks",
                   "Give every state of the logs a row");
    }
    std::copy_n(table.q.begin() + static_cast<std::ptrdiff_t>(found->second * width), width, values.at(row).begin());
  }
  return values;
}

}  // namespace starope
