#include "starope/io/column_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "starope/base/text.hpp"
#include "starope/error.hpp"

namespace starope::io {
namespace {

using O = ReadOptions;

constexpr std::array all_options = {
    ColumnOption{"episode", &O::episode, "NAME", "Episode id, a number or a text (canonical name: episode)"},
    ColumnOption{"t", &O::t, "NAME", "Time step within the episode (t; may be absent)"},
    ColumnOption{"state", &O::state, "A,B,...",
                 "State: one column, or several with commas (state, or state_0, state_1, ...)"},
    ColumnOption{"action", &O::action, "A,B,...", "Action: an id from 0, or numbers (action)"},
    ColumnOption{"reward", &O::reward, "NAME", "Reward (reward)"},
    ColumnOption{"behavior_prob", &O::behavior_prob, "NAME",
                 "Probability with which the logged action was chosen (behavior_prob)"},
    ColumnOption{"behavior_logp", &O::behavior_logp, "NAME", "The same as a natural logarithm (behavior_logp)"},
    ColumnOption{"target_prob", &O::target_prob, "NAME",
                 "Probability of the logged action under the target policy (target_prob)"},
    ColumnOption{"target_logp", &O::target_logp, "NAME", "The same as a natural logarithm (target_logp)"},
    ColumnOption{"behavior_probs", &O::behavior_probs, "PREFIX",
                 "All action probabilities of the behavior policy, in columns PREFIX_0, PREFIX_1, ... "
                 "(behavior_probs)"},
    ColumnOption{"target_probs", &O::target_probs, "PREFIX", "The same of the target policy (target_probs)"},
    ColumnOption{"terminated", &O::terminated, "NAME", "0 or 1: the process ended with this row (terminated)"},
    ColumnOption{"truncated", &O::truncated, "NAME", "0 or 1: only the recording ended with this row (truncated)"},
    ColumnOption{"state_kind", &O::state_kind, "KIND",
                 "discrete: states are ids; continuous: they are numbers; auto: as the values look (default)"},
    ColumnOption{"action_kind", &O::action_kind, "KIND", "The same for actions"},
    ColumnOption{"table", &O::table, "NAME", "The table of a DuckDB database that holds the logs"},
    ColumnOption{"sql", &O::sql, "QUERY", "A query whose result is the logs, instead of DATA or in the database DATA"},
    ColumnOption{"duckdb_library", &O::duckdb_library, "FILE",
                 "DuckDB's library, libduckdb.so (default: $STAROPE_DUCKDB, or else the usual places)"},
    ColumnOption{"sort", &O::sort, "", "Rows of an episode may be anywhere in the file; they are ordered by t"},
};

std::vector<std::string> kind_names() {
  return {"discrete", "continuous", "auto"};
}

template <class Kind>
constexpr std::array kinds{Kind::discrete, Kind::continuous, Kind::automatic};  // as kind_names

template <class Kind>
Kind kind_named(const std::string& name) {
  const std::vector<std::string> names = kind_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw InvalidArgument(unknown_name("value", name, names));
  return kinds<Kind>[static_cast<std::size_t>(found - names.begin())];
}

template <class Kind>
std::string name_of(Kind kind) {
  const auto found = std::find(kinds<Kind>.begin(), kinds<Kind>.end(), kind);
  return kind_names()[static_cast<std::size_t>(found - kinds<Kind>.begin())];
}

// The values that were said of a field; none: it is as it was.
struct Say {
  const ReadOptions& options;

  std::vector<std::string> operator()(std::optional<std::string> O::*field) const {
    return options.*field ? std::vector{*(options.*field)} : std::vector<std::string>{};
  }
  std::vector<std::string> operator()(std::vector<std::string> O::*field) const { return options.*field; }
  std::vector<std::string> operator()(std::string O::*field) const {
    return (options.*field).empty() ? std::vector<std::string>{} : std::vector{options.*field};
  }
  std::vector<std::string> operator()(bool O::*field) const {
    return options.*field ? std::vector<std::string>{"true"} : std::vector<std::string>{};
  }
  template <class Kind>
  std::vector<std::string> operator()(Kind O::*field) const {
    return options.*field == Kind::automatic ? std::vector<std::string>{} : std::vector{name_of(options.*field)};
  }
};

struct Hear {
  ReadOptions& options;
  const std::vector<std::string>& values;

  void operator()(std::vector<std::string> O::*field) const { options.*field = values; }
  void operator()(std::optional<std::string> O::*field) const { options.*field = one(); }
  void operator()(std::string O::*field) const { options.*field = one(); }
  void operator()(bool O::*field) const {
    if (one() != "true" && one() != "false") throw InvalidArgument(fmt::format("'{}' is not true or false", one()));
    options.*field = one() == "true";
  }
  template <class Kind>
  void operator()(Kind O::*field) const {
    options.*field = kind_named<Kind>(one());
  }
  const std::string& one() const {
    if (values.size() != 1) throw InvalidArgument(fmt::format("one value is possible, not {}", values.size()));
    return values.front();
  }
};

}  // namespace

std::span<const ColumnOption> column_options() {
  return all_options;
}

std::string flag_of(std::string_view name) {
  std::string flag = fmt::format("--{}", name);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

std::vector<SaidOption> said_options(const ReadOptions& options) {
  std::vector<SaidOption> said;
  for (const ColumnOption& each : all_options) {
    std::vector<std::string> values = std::visit(Say{options}, each.field);
    if (!values.empty()) said.push_back({each.name, std::move(values)});
  }
  return said;
}

void say_option(ReadOptions& options, const SaidOption& said) {
  const auto found = std::find_if(all_options.begin(), all_options.end(),
                                  [&](const ColumnOption& each) { return each.name == said.name; });
  if (found == all_options.end()) {
    std::vector<std::string> names;
    for (const ColumnOption& each : all_options) names.emplace_back(each.name);
    throw InvalidArgument(unknown_name("option of columns", said.name, names));
  }
  try {
    std::visit(Hear{options, said.values}, found->field);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("{}: {}", said.name, error.what()));
  }
}

}  // namespace starope::io
