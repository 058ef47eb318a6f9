#include "evaluation.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "starope/behavior.hpp"
#include "starope/error.hpp"
#include "starope/evaluate/inspection_source.hpp"
#include "starope/evaluate/loading.hpp"
#include "starope/interval.hpp"
#include "starope/report.hpp"

namespace starope::python {
namespace {

// A message of the core about the text of an option, with the name of the option.
template <class Parse>
auto parsed(const char* argument, const std::string& text, const Parse& parse) {
  try {
    return parse(text);
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(std::string(argument) + "='" + text + "': " + error.what());
  }
}

EvaluateOptions options_of(const Asked& asked, const Places& places, const Listening::Tell& tell,
                           const Listening::Stop& stop) {
  EvaluateOptions options{
      .level = std::nullopt,
      .interval = asked.interval,
      .details = asked.details,
      .influence = asked.influence,
      .threads = threads_of(asked.threads),
      .file = asked.file,
      .groups = asked.groups,
      .progress = [places,
                   tell](const EvaluateProgress& at) { tell(places.before + at.number, places.total, at.estimator); },
      .stop = stop};
  if (asked.level) options.level = Level{*asked.level};
  return options;
}

// A state per row, whose Q-values are the rows of a table.
Estimator with_table(Estimator estimator, const QTable& table) {
  std::visit(
      [&]<class Which>(Which& which) {
        if constexpr (requires { which.q = table; }) which.q = table;
      },
      estimator);
  return estimator;
}

Plugged plug_of(const nb::dict& plug, Seed seed) {
  Plugged plugged{.place = nb::cast<std::size_t>(plug["place"]),
                  .name = nb::cast<std::string>(plug["name"]),
                  .rows = borrowed<std::int64_t>(plug["rows"]),
                  .estimator = parse_estimator(nb::cast<std::string>(plug["text"]), estimator_files(), seed).estimator};
  if (!plug.contains("q")) return plugged;
  const auto values = nb::cast<nb::ndarray<const double, nb::ndim<2>, nb::c_contig>>(plug["q"], false);
  QTable table{.actions = static_cast<std::int32_t>(values.shape(1)), .source = "given"};
  table.q.assign(values.data(), values.data() + values.size());
  for (std::size_t i = 0; i < values.shape(0); ++i) table.state.push_back(static_cast<std::int64_t>(i));
  plugged.estimator = with_table(std::move(plugged.estimator), table);
  return plugged;
}

// An answer that was found apart takes its place among the others. What decides is what the core decided; one that was
// found apart decides only where nothing else could.
void put_in(Evaluation& evaluation, std::size_t place, Evaluation one) {
  place = std::min(place, evaluation.estimates.size());
  evaluation.estimates.insert(evaluation.estimates.begin() + static_cast<std::ptrdiff_t>(place),
                              std::move(one.estimates.front()));
  if (evaluation.answer && *evaluation.answer >= place) ++*evaluation.answer;
  if (evaluation.answer || !one.answer) return;
  evaluation.answer = place;
  evaluation.difference = one.difference;
  evaluation.verdict = one.verdict;
  evaluation.by = one.by;
  evaluation.groups = std::move(one.groups);
}

Problem plugged_problem(const Dataset& data, const Plugged& plugged, const ProblemOptions& question) {
  Columns columns = data.columns();
  columns.states = make_discrete_states(plugged.rows);
  return make_problem(Dataset(std::move(columns)), question);
}

Evaluation evaluate_logs(const Logs& logs, const std::optional<std::vector<std::string>>& texts, const nb::list& plugs,
                         const nb::dict& options, const nb::object& progress) {
  const Asked asked = asked_of(options);
  const std::vector<Plugged> plugged = plugged_of(plugs, asked.seed);
  Evaluation evaluation;
  Listening::run(progress, [&](const Listening::Tell& tell, const Listening::Stop& stop) {
    const std::vector<RequestedEstimator> requested = requested_of(logs, texts, asked);
    const Places places{.total = requested.size() + plugged.size()};
    evaluation = evaluate_asked(logs, requested, plugged, asked, places, tell, stop);
  });
  return evaluation;
}

Evaluation evaluate_blocks(const Blocks& logs, const std::optional<std::vector<std::string>>& texts,
                           const nb::list& plugs, const nb::dict& options, const nb::object& progress) {
  const Asked asked = asked_of(options);
  if (plugs.size() > 0) throw InvalidArgument("estimators written in Python need all logs in memory");
  Evaluation evaluation;
  Listening::run(progress, [&](const Listening::Tell& tell, const Listening::Stop& stop) {
    const std::vector<RequestedEstimator> requested = requested_of(logs, texts, asked);
    evaluation = evaluate_asked(logs, requested, asked, {.total = requested.size()}, tell, stop);
  });
  return evaluation;
}

nb::object influence_of(const Evaluation& evaluation, std::size_t place) {
  if (place >= evaluation.estimates.size()) throw nb::index_error("no such estimate");
  const auto* estimate = std::get_if<Estimate>(&evaluation.estimates[place].result);
  if (estimate == nullptr || estimate->influence.empty()) return nb::none();
  return array_of(Column<double>(std::vector<double>(estimate->influence)));
}

template <class Some>
Inspection inspected(const Some& logs, const auto& episodes, double gamma, const std::string& file,
                     std::optional<int> threads) {
  return without_lock([&] {
    Inspection inspection = inspect(
        episodes,
        {.discount = Discount{gamma}, .ends_logged = ends_are_logged(logs.summary), .threads = threads_of(threads)});
    describe_columns(inspection, logs.summary, logs.findings, file);
    return inspection;
  });
}

Inspection inspect_logs(const Logs& logs, double gamma, const std::string& file, std::optional<int> threads) {
  return inspected(logs, logs.data, gamma, file, threads);
}

Inspection inspect_blocks(const Blocks& logs, double gamma, const std::string& file, std::optional<int> threads) {
  return inspected(logs, logs.source, gamma, file, threads);
}

}  // namespace

void describe_columns(Inspection& inspection, const io::ReadSummary& summary, const std::vector<Finding>& findings,
                      const std::string& file) {
  describe_source(inspection, summary, findings);
  inspection.file = file;
}

Asked asked_of(const nb::dict& options) {
  Asked asked{.question = question_of(nb::cast<double>(options["gamma"]),
                                      nb::cast<std::optional<std::int64_t>>(options["horizon"])),
              .level = nb::cast<std::optional<double>>(options["level"]),
              .seed = Seed{nb::cast<std::uint64_t>(options["seed"])},
              .threads = nb::cast<std::optional<int>>(options["threads"])};
  const auto flag = [&](const char* name) { return options.contains(name) && nb::cast<bool>(options[name]); };
  const auto word = [&](const char* name) {
    return options.contains(name) ? nb::cast<std::string>(options[name]) : std::string();
  };
  asked.details = flag("details");
  asked.influence = flag("influence");
  asked.file = word("file");
  if (const std::string text = word("interval"); !text.empty()) {
    asked.interval =
        parsed("interval", text, [&](const std::string& each) { return parse_interval(each, asked.seed); });
  }
  if (const std::string text = word("behavior"); !text.empty() && text != "logged") {
    asked.behavior =
        parsed("behavior", text, [&](const std::string& each) { return parse_behavior(each, asked.seed); });
  }
  const auto numbers = [&](const char* name, std::vector<double>& into) {
    if (options.contains(name)) into = nb::cast<std::vector<double>>(options[name]);
  };
  numbers("quantiles", asked.risk.quantiles);
  numbers("cvar", asked.risk.cvar);
  numbers("below", asked.risk.below);
  if (options.contains("by")) {
    asked.groups = make_grouping(nb::cast<std::string>(options["by"]),
                                 nb::cast<std::vector<std::string>>(options["first_values"]));
  }
  return asked;
}

std::vector<Plugged> plugged_of(const nb::list& plugs, Seed seed) {
  std::vector<Plugged> plugged;
  for (const nb::handle each : plugs) plugged.push_back(plug_of(nb::cast<nb::dict>(each), seed));
  return plugged;
}

std::vector<RequestedEstimator> requested_of(const Logs& logs, const std::optional<std::vector<std::string>>& texts,
                                             const Asked& asked) {
  if (!texts) return request_estimators({default_estimators(logs.data)}, estimator_files(), asked.seed);
  // What `all` stands for depends on the columns that the logs have, or will have.
  const Problem problem = make_problem(
      asked.behavior ? with_behavior(logs.data, estimate_behavior(logs.data, {.method = BehaviorMethod::global}))
                     : logs.data,
      asked.question);
  return request_estimators(expand_all(*texts, &problem), estimator_files(), asked.seed);
}

std::vector<RequestedEstimator> requested_of(const Blocks& logs, const std::optional<std::vector<std::string>>& texts,
                                             const Asked& asked) {
  std::vector<RequestedEstimator> requested = requested_of(logs.first(), texts, asked);
  if (!texts) return that_take_blocks(std::move(requested));
  return for_blocks(std::move(requested), asked.file, logs.needed, logs.memory).estimators;
}

Evaluation evaluate_asked(const Blocks& logs, const std::vector<RequestedEstimator>& requested, const Asked& asked,
                          const Places& places, const Listening::Tell& tell, const Listening::Stop& stop) {
  if (asked.behavior || !asked.risk.empty()) fail_needs_all_logs(asked.file, logs.needed, logs.memory);
  EvaluateOptions options = options_of(asked, places, tell, stop);
  options.findings = logs.findings;
  return evaluate(logs.source, asked.question, requested, options);
}

Evaluation evaluate_asked(const Logs& logs, const std::vector<RequestedEstimator>& requested,
                          const std::vector<Plugged>& plugged, const Asked& asked, const Places& places,
                          const Listening::Tell& tell, const Listening::Stop& stop) {
  EvaluateOptions usual = options_of(asked, places, tell, stop);
  usual.findings = logs.findings;
  usual.risk = asked.risk;
  Evaluation evaluation = asked.behavior ? evaluate(logs.data, *asked.behavior, asked.question, requested, usual)
                                         : evaluate(make_problem(logs.data, asked.question), requested, usual);
  if (plugged.empty()) return evaluation;
  // The behavior policy saw the states, not what Python made of them.
  const Dataset data = asked.behavior
                           ? with_behavior(logs.data, estimate_behavior(logs.data, *asked.behavior, usual.threads))
                           : logs.data;
  for (std::size_t i = 0; i < plugged.size(); ++i) {
    const Places at{.before = places.before + requested.size() + i, .total = places.total};
    EvaluateOptions options = options_of(asked, at, tell, stop);
    options.checks = false;
    options.details = false;
    options.findings = evaluation.data.findings;  // the verdict knows what is wrong with the logs
    const std::vector<RequestedEstimator> alone{{.text = plugged[i].name, .estimator = plugged[i].estimator}};
    put_in(evaluation, plugged[i].place, evaluate(plugged_problem(data, plugged[i], asked.question), alone, options));
  }
  return evaluation;
}

void bind_evaluation(nb::module_& m) {
  nb::class_<Evaluation>(m, "Evaluation")
      .def("json", [](const Evaluation& e) { return to_json(e); })
      .def("text", &shown<Evaluation>, nb::arg("width"), nb::arg("color"))
      .def(
          "explanation",
          [](const Evaluation& e, std::size_t width) { return explanation(e, TextStyle{.width = width}); },
          nb::arg("width"))
      .def("report", [](const Evaluation& e) { return evaluation_report(e); })
      .def("influence", &influence_of, nb::arg("place"));
  nb::class_<Inspection>(m, "Inspection")
      .def("json", [](const Inspection& i) { return to_json(i); })
      .def("text", &shown<Inspection>, nb::arg("width"), nb::arg("color"));
  m.def("evaluate", &evaluate_logs, nb::arg("logs"), nb::arg("estimators").none(), nb::arg("plugs"), nb::arg("options"),
        nb::arg("progress").none());
  m.def("evaluate", &evaluate_blocks, nb::arg("logs"), nb::arg("estimators").none(), nb::arg("plugs"),
        nb::arg("options"), nb::arg("progress").none());
  m.def(
      "check_question", [](const nb::dict& options) { asked_of(options); }, nb::arg("options"),
      "Raises where the options are no question.");
  m.def(
      "fills_gaps",
      [](const std::string& behavior) { return behavior != "logged" && parse_behavior(behavior, Seed{}).fill; },
      nb::arg("behavior"), "Whether only the missing behavior probabilities are estimated.");
  m.def(
      "group_column", [](const std::string& by) { return group_column(by); }, nb::arg("by"));
  m.def(
      "evaluation_from_json", [](const std::string& json) { return evaluation_from_json(json); }, nb::arg("json"));
  m.def(
      "ends_are_logged", [](const Logs& logs) { return ends_are_logged(logs.summary); }, nb::arg("logs"));
  m.def("inspect", &inspect_logs, nb::arg("logs"), nb::arg("gamma"), nb::arg("file"), nb::arg("threads").none());
  m.def("inspect", &inspect_blocks, nb::arg("logs"), nb::arg("gamma"), nb::arg("file"), nb::arg("threads").none());
  m.def(
      "inspection_from_json", [](const std::string& json) { return inspection_from_json(json); }, nb::arg("json"));
}

}  // namespace starope::python
