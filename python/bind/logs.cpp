#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>

#include <tuple>
#include <utility>
#include <variant>

#include "bind.hpp"
#include "starope/io/arrow_reader.hpp"
#include "starope/io/column_options.hpp"
#include "starope/io/log_reader.hpp"
#include "starope/policy.hpp"

namespace starope::python {
namespace {

using Scale = LoggedProbabilities::Scale;

// ---- From arrays ---------------------------------------------------------------------------------------------------
// Arrays come with the right types and without gaps: starope/_arrays.py sees to that.

bool given(const nb::dict& columns, const char* name) {
  return columns.contains(name) && !columns[name].is_none();
}

template <class T>
std::vector<T> list_of(const nb::dict& columns, const char* name) {
  return given(columns, name) ? nb::cast<std::vector<T>>(columns[name]) : std::vector<T>{};
}

RealColumn borrow_real(nb::handle array) {
  using Doubles = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
  if (nb::isinstance<Doubles>(array)) return borrowed<double>(array);
  return borrowed<float>(array);
}

States states_of(const nb::dict& columns) {
  if (given(columns, "state_ids")) return make_discrete_states(borrowed<std::int64_t>(columns["state_ids"]));
  if (given(columns, "state_codes")) {
    return DiscreteStates{.code = borrowed<std::int32_t>(columns["state_codes"]),
                          .ids = borrowed<std::int64_t>(columns["state_names"])};
  }
  const auto dimension = given(columns, "dimension") ? nb::cast<std::int64_t>(columns["dimension"]) : 0;
  std::vector<std::string> names = list_of<std::string>(columns, "names");
  if (given(columns, "bits")) {
    return BinaryStates{
        .dimension = dimension, .words = borrowed<std::uint64_t>(columns["bits"]), .names = std::move(names)};
  }
  if (given(columns, "features")) {
    return DenseStates{.dimension = dimension, .values = borrow_real(columns["features"]), .names = std::move(names)};
  }
  return {};
}

Actions actions_of(const nb::dict& columns) {
  if (given(columns, "action_ids")) {
    return DiscreteActions{.id = borrowed<std::int32_t>(columns["action_ids"]),
                           .count = nb::cast<std::int32_t>(columns["actions"])};
  }
  if (given(columns, "action_values")) {
    return ContinuousActions{.dimension = nb::cast<std::int64_t>(columns["action_dimension"]),
                             .values = borrowed<double>(columns["action_values"])};
  }
  return {};
}

std::optional<LoggedProbabilities> probabilities_of(const nb::dict& columns, const std::string& who) {
  const bool density = given(columns, "action_values");
  if (const std::string name = who + "_prob"; given(columns, name.c_str())) {
    return LoggedProbabilities{.values = borrowed<double>(columns[name.c_str()]), .density = density};
  }
  if (const std::string name = who + "_logp"; given(columns, name.c_str())) {
    return LoggedProbabilities{
        .values = borrowed<double>(columns[name.c_str()]), .scale = Scale::logarithm, .density = density};
  }
  return std::nullopt;
}

std::optional<ActionProbabilities> distribution_of(const nb::dict& columns, const std::string& who) {
  const std::string name = who + "_probs";
  if (!given(columns, name.c_str())) return std::nullopt;
  return ActionProbabilities{.actions = nb::cast<std::int32_t>(columns["actions"]),
                             .values = borrowed<double>(columns[name.c_str()])};
}

Column<EpisodeEnd> ends_of(nb::handle array) {
  const Column<std::uint8_t> truncated = borrowed<std::uint8_t>(array);
  std::vector<EpisodeEnd> ends;
  ends.reserve(truncated.size());
  for (const std::uint8_t cut : truncated) ends.push_back(cut != 0 ? EpisodeEnd::truncated : EpisodeEnd::terminated);
  return ends;
}

Columns columns_of(const nb::dict& given_columns) {
  Columns columns;
  columns.offsets = borrowed<std::int64_t>(given_columns["offsets"]);
  if (given(given_columns, "episode_ids")) columns.episode_ids = borrowed<std::int64_t>(given_columns["episode_ids"]);
  if (given(given_columns, "episode_names")) {
    columns.episode_ids = Column<std::string>(list_of<std::string>(given_columns, "episode_names"));
  }
  columns.states = states_of(given_columns);
  if (given(given_columns, "has_final_state")) {
    columns.has_final_state = borrowed<std::uint8_t>(given_columns["has_final_state"]);
  }
  columns.actions = actions_of(given_columns);
  columns.rewards = borrowed<double>(given_columns["rewards"]);
  columns.behavior = probabilities_of(given_columns, "behavior");
  columns.behavior_with_gaps = probabilities_of(given_columns, "behavior_gaps");
  columns.target = probabilities_of(given_columns, "target");
  columns.behavior_distribution = distribution_of(given_columns, "behavior");
  columns.target_distribution = distribution_of(given_columns, "target");
  columns.ends = ends_of(given_columns["truncated"]);
  return columns;
}

// What the reader of logs had to say, as plain values that can be pickled; and back.
using Said = std::tuple<std::string, std::vector<std::int64_t>, std::vector<std::pair<std::string, std::string>>,
                        std::vector<std::string>, nb::list>;
using Parameter = decltype(FindingParameter::value);

Said said_of(const Logs& logs) {
  std::vector<std::pair<std::string, std::string>> used;
  for (const io::UsedColumn& each : logs.summary.used) used.emplace_back(each.role, each.name);
  nb::list findings;
  for (const Finding& each : logs.findings) {
    std::vector<std::pair<std::string, Parameter>> parameters;
    for (const FindingParameter& parameter : each.parameters) parameters.emplace_back(parameter.name, parameter.value);
    findings.append(nb::make_tuple(static_cast<int>(each.severity), each.code, parameters));
  }
  return {logs.summary.file, {logs.summary.rows, logs.summary.final_states}, used, logs.summary.ignored, findings};
}

Logs with_said(const Logs& logs, const Said& said) {
  const auto& [file, counts, used, ignored, findings] = said;
  Logs told = logs;
  told.summary = {.file = file, .rows = counts.at(0), .final_states = counts.at(1), .ignored = ignored};
  for (const auto& [role, column] : used) told.summary.used.push_back({.role = role, .name = column});
  told.findings.clear();
  for (const nb::handle each : findings) {
    using Plain = std::tuple<int, std::string, std::vector<std::pair<std::string, Parameter>>>;
    const auto [severity, code, parameters] = nb::cast<Plain>(each);
    Finding finding{.severity = static_cast<Severity>(severity), .code = code};
    for (const auto& [name, value] : parameters) finding.parameters.push_back({.name = name, .value = value});
    told.findings.push_back(std::move(finding));
  }
  return told;
}

Logs from_columns(const nb::dict& given_columns, const std::string& file, bool ends_logged) {
  Columns columns = columns_of(given_columns);
  Logs logs{.data = without_lock([&] { return Dataset(std::move(columns)); })};
  logs.summary.file = file;
  if (ends_logged) logs.summary.used.push_back({.role = "terminated", .name = "terminated"});
  return logs;
}

// ---- To arrays -----------------------------------------------------------------------------------------------------

void put_states(nb::dict& columns, const States& states) {
  const auto named = [&](std::int64_t dimension, const std::vector<std::string>& names) {
    columns["dimension"] = dimension;
    columns["names"] = names;
  };
  if (const auto* ids = std::get_if<DiscreteStates>(&states)) {
    columns["state_codes"] = array_of(ids->code);
    columns["state_names"] = array_of(ids->ids);
  } else if (const auto* bits = std::get_if<BinaryStates>(&states)) {
    named(bits->dimension, bits->names);
    columns["bits"] = array_of(bits->words, static_cast<std::int64_t>(bits->words_per_row()));
  } else if (const auto* dense = std::get_if<DenseStates>(&states)) {
    named(dense->dimension, dense->names);
    columns["features"] = dense->values.visit([&](const auto& values) { return array_of(values, dense->dimension); });
  }
}

void put_probabilities(nb::dict& columns, const std::string& who, const std::optional<LoggedProbabilities>& logged,
                       const std::optional<ActionProbabilities>& all) {
  if (logged) columns[(who + (logged->scale == Scale::linear ? "_prob" : "_logp")).c_str()] = array_of(logged->values);
  if (all) {
    columns[(who + "_probs").c_str()] = array_of(all->values, all->actions);
    columns["actions"] = all->actions;
  }
}

nb::dict to_columns(const Logs& logs) {
  const Columns& from = logs.data.columns();
  nb::dict columns;
  columns["offsets"] = array_of(from.offsets);
  if (const auto* numbers = std::get_if<Column<std::int64_t>>(&from.episode_ids)) {
    if (!numbers->empty()) columns["episode_ids"] = array_of(*numbers);
  } else {
    columns["episode_names"] = std::get<Column<std::string>>(from.episode_ids).to_vector();
  }
  put_states(columns, from.states);
  if (!from.has_final_state.empty()) columns["has_final_state"] = array_of(from.has_final_state);
  if (const auto* ids = std::get_if<DiscreteActions>(&from.actions)) {
    columns["action_ids"] = array_of(ids->id);
    columns["actions"] = ids->count;
  } else if (const auto* values = std::get_if<ContinuousActions>(&from.actions)) {
    columns["action_values"] = array_of(values->values, values->dimension);
    columns["action_dimension"] = values->dimension;
  }
  columns["rewards"] = array_of(from.rewards);
  put_probabilities(columns, "behavior", from.behavior, from.behavior_distribution);
  put_probabilities(columns, "behavior_gaps", from.behavior_with_gaps, {});
  put_probabilities(columns, "target", from.target, from.target_distribution);
  std::vector<std::uint8_t> truncated;
  truncated.reserve(from.ends.size());
  for (const EpisodeEnd end : from.ends) truncated.push_back(end == EpisodeEnd::truncated ? 1 : 0);
  columns["truncated"] = array_of(Column<std::uint8_t>(std::move(truncated)));
  return columns;
}

// ---- From files and streams ----------------------------------------------------------------------------------------

Logs logs_of(io::ReadResult read) {
  return {.data = std::move(read.data), .summary = std::move(read.summary), .findings = std::move(read.findings)};
}

Logs read_file(const std::string& path, const nb::dict& options) {
  return without_lock([path, how = read_options(options)] { return logs_of(io::read(path, how)); });
}

Logs read_stream(const nb::object& capsule, const std::string& name, const nb::dict& options) {
  void* stream = PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream");
  if (stream == nullptr) nb::raise_python_error();
  return without_lock([stream, name, how = read_options(options)] {
    io::ArrowTableReader table(static_cast<ArrowArrayStream*>(stream), name);
    io::LogsWithRows read = io::borrow_batches(table, how);
    Logs logs = logs_of(std::move(read.logs));
    logs.rows = std::move(read.rows);
    return logs;
  });
}

// ---- Changed -------------------------------------------------------------------------------------------------------

// The same episodes with some of the columns exchanged.
Logs with_columns(const Logs& logs, const nb::dict& changed) {
  Columns columns = exchanged(logs.data.columns(), changed);
  return logs.with(without_lock([&] { return Dataset(std::move(columns)); }));
}

nb::dict summary_of(const Logs& logs) {
  nb::dict summary;
  summary["file"] = logs.summary.file;
  nb::list used;
  for (const io::UsedColumn& each : logs.summary.used) used.append(nb::make_tuple(each.role, each.name));
  summary["used"] = used;
  summary["ignored"] = logs.summary.ignored;
  nb::list findings;
  for (const Finding& each : logs.findings) findings.append(nb::make_tuple(name(each.severity), each.code, text(each)));
  summary["findings"] = findings;
  return summary;
}

}  // namespace

Columns exchanged(const Columns& given_columns, const nb::dict& changed) {
  Columns columns = given_columns;
  for (const char* state : {"state_ids", "state_codes", "features", "bits"}) {
    if (given(changed, state)) columns.states = states_of(changed);
  }
  for (const char* action : {"action_ids", "action_values"}) {
    if (given(changed, action)) columns.actions = actions_of(changed);
  }
  const bool density = std::holds_alternative<ContinuousActions>(columns.actions);
  const auto exchange = [&](const std::string& who, auto& logged, auto& all) {
    if (auto other = probabilities_of(changed, who)) {
      other->density = density;
      logged = std::move(other);
      all.reset();
    }
    if (auto other = distribution_of(changed, who)) all = std::move(other);
  };
  exchange("behavior", columns.behavior, columns.behavior_distribution);
  if (probabilities_of(changed, "behavior")) columns.behavior_with_gaps.reset();
  if (auto other = probabilities_of(changed, "behavior_gaps")) {
    other->density = density;
    columns.behavior_with_gaps = std::move(other);
  }
  exchange("target", columns.target, columns.target_distribution);
  return columns;
}

io::ReadOptions read_options(const nb::dict& given_options) {
  io::ReadOptions options;
  options.need_state = options.need_behavior = options.need_target = false;
  for (const io::ColumnOption& each : io::column_options()) {
    if (!given(given_options, each.name)) continue;
    const nb::object value = given_options[each.name];
    if (const auto* flag = std::get_if<bool io::ReadOptions::*>(&each.field)) {
      options.** flag = nb::cast<bool>(value);
    } else if (std::holds_alternative<std::vector<std::string> io::ReadOptions::*>(each.field)) {
      io::say_option(options, {each.name, list_of<std::string>(given_options, each.name)});
    } else {
      io::say_option(options, {each.name, {nb::cast<std::string>(value)}});
    }
  }
  options.behavior_gaps = given(given_options, "behavior_gaps") && nb::cast<bool>(given_options["behavior_gaps"]);
  if (given(given_options, "threads")) options.threads = Threads{nb::cast<int>(given_options["threads"])};
  return options;
}

void bind_logs(nb::module_& m) {
  nb::class_<Logs>(m, "Logs", "Logged episodes, checked.")
      .def_prop_ro("episodes", [](const Logs& logs) { return logs.data.episodes(); })
      .def_prop_ro("steps", [](const Logs& logs) { return logs.data.steps(); })
      .def_prop_ro("state_rows", [](const Logs& logs) { return logs.data.state_rows(); })
      .def_prop_ro("longest", [](const Logs& logs) { return logs.data.longest(); })
      .def_prop_ro("truncated_episodes", [](const Logs& logs) { return logs.data.truncated_episodes(); })
      .def(
          "episode_name", [](const Logs& logs, std::int64_t i) { return logs.data.episode_name(i); },
          nb::arg("episode"))
      .def("columns", &to_columns, "All columns as arrays that share their values.")
      .def("summary", &summary_of)
      .def("said", &said_of, "What their reader had to say, as plain values.")
      .def("with_said", &with_said, nb::arg("said"))
      .def(
          "take_rows", [](Logs& logs) { return array_of(Column<std::int64_t>(std::move(logs.rows))); },
          "Of the table that they were just read from, one for each step; empty: they are its rows.")
      .def("with_columns", &with_columns, nb::arg("columns"))
      .def(
          "with_policy_of",
          [](const Logs& logs, const std::string& path) {
            return logs.with(without_lock([&] { return with_target(logs.data, read_policy(path)); }));
          },
          nb::arg("path"), "The same episodes with the target policy of a file.")
      .def(
          "take",
          [](const Logs& logs, const nb::object& episodes) {
            const Column<std::int64_t> which = borrowed<std::int64_t>(episodes);
            return logs.with(without_lock([&] { return logs.data.take(std::span(which)); }));
          },
          nb::arg("episodes"))
      .def(
          "write",
          [](const Logs& logs, const std::string& path, bool final_states) {
            without_lock([&] {
              io::write(logs.data, path, {.final_states = final_states});
              return true;
            });
          },
          nb::arg("path"), nb::arg("final_states"));
  m.def("logs_from_columns", &from_columns, nb::arg("columns"), nb::arg("file"), nb::arg("ends_logged"));
  m.def("read_file", &read_file, nb::arg("path"), nb::arg("options"));
  m.def("read_stream", &read_stream, nb::arg("capsule"), nb::arg("name"), nb::arg("options"));
  m.def(
      "concat",
      [](const std::vector<const Logs*>& parts) {
        std::vector<Dataset> data;
        for (const Logs* part : parts) data.push_back(part->data);
        return parts.front()->with(without_lock([&] { return concat(data); }));
      },
      nb::arg("parts"));
}

}  // namespace starope::python
