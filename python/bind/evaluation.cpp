#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "bind.hpp"
#include "starope/estimators.hpp"
#include "starope/evaluate.hpp"
#include "starope/inspect.hpp"
#include "starope/report.hpp"

namespace starope::python {
namespace {

struct Asked {
  double gamma = 1.0;
  std::optional<std::int64_t> horizon{};
  std::optional<double> level{};
  std::uint64_t seed = 0;
  std::optional<int> threads{};
  bool details = false;
  bool influence = false;
  std::string file{};
  std::optional<Grouping> groups{};
};

Asked asked_of(const nb::dict& options) {
  Asked asked;
  asked.gamma = nb::cast<double>(options["gamma"]);
  asked.horizon = nb::cast<std::optional<std::int64_t>>(options["horizon"]);
  asked.level = nb::cast<std::optional<double>>(options["level"]);
  asked.seed = nb::cast<std::uint64_t>(options["seed"]);
  asked.threads = nb::cast<std::optional<int>>(options["threads"]);
  asked.details = nb::cast<bool>(options["details"]);
  asked.influence = nb::cast<bool>(options["influence"]);
  asked.file = nb::cast<std::string>(options["file"]);
  if (options.contains("by")) {
    asked.groups = make_grouping(nb::cast<std::string>(options["by"]),
                                 nb::cast<std::vector<std::string>>(options["first_values"]));
  }
  return asked;
}

EvaluateOptions options_of(const Asked& asked, std::size_t before, std::size_t total, const Listening::Tell& tell,
                           const Listening::Stop& stop) {
  EvaluateOptions options{
      .level = std::nullopt,
      .details = asked.details,
      .influence = asked.influence,
      .threads = threads_of(asked.threads),
      .file = asked.file,
      .groups = asked.groups,
      .progress = [before, total, tell](const EvaluateProgress& at) { tell(before + at.number, total, at.estimator); },
      .stop = stop};
  if (asked.level) options.level = Level{*asked.level};
  return options;
}

// An estimator whose abstraction or Q-function was computed in Python: the same episodes, in states that are what it
// said, under an estimator that takes these as they are.
struct Plugged {
  std::size_t place = 0;  // among all estimators
  std::string name{};
  Logs logs;
  Estimator estimator;
};

// A state per row, whose Q-values are the rows of a table.
Estimator with_table(Estimator estimator, const QTable& table) {
  std::visit(
      [&]<class Which>(Which& which) {
        if constexpr (requires { which.q; }) which.q = table;
      },
      estimator);
  return estimator;
}

Plugged plugged_of(const Logs& logs, std::size_t place, const nb::dict& plug, Seed seed) {
  Columns columns = logs.data.columns();
  Plugged plugged{.place = place,
                  .name = nb::cast<std::string>(plug["name"]),
                  .logs = logs,
                  .estimator = parse_estimator(nb::cast<std::string>(plug["text"]), estimator_files(), seed).estimator};
  columns.states = make_discrete_states(borrowed<std::int64_t>(plug["rows"]));
  plugged.logs.data = Dataset(std::move(columns));
  if (!plug.contains("q")) return plugged;
  const auto values = nb::cast<nb::ndarray<const double, nb::ndim<2>, nb::c_contig>>(plug["q"], false);
  QTable table{.actions = static_cast<std::int32_t>(values.shape(1)), .source = "given"};
  table.q.assign(values.data(), values.data() + values.size());
  for (std::size_t i = 0; i < values.shape(0); ++i) table.state.push_back(static_cast<std::int64_t>(i));
  plugged.estimator = with_table(std::move(plugged.estimator), table);
  return plugged;
}

void add_findings(std::vector<Finding>& all, const std::vector<Finding>& more) {
  all.insert(all.end(), more.begin(), more.end());
  std::stable_sort(all.begin(), all.end(), [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
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

std::vector<RequestedEstimator> requested_of(const Logs& logs, const Problem& problem,
                                             const std::optional<std::vector<std::string>>& texts, Seed seed) {
  const std::vector<std::string> lists =
      texts ? expand_all(*texts, &problem) : std::vector<std::string>{default_estimators(logs.data)};
  return request_estimators(lists, estimator_files(), seed);
}

Evaluation evaluate_logs(const Logs& logs, const std::optional<std::vector<std::string>>& texts, const nb::list& plugs,
                         const nb::dict& given_options, const nb::object& progress) {
  const Asked asked = asked_of(given_options);
  const ProblemOptions question = question_of(asked.gamma, asked.horizon);
  std::vector<Plugged> plugged;
  for (const nb::handle each : plugs) {
    const auto plug = nb::cast<nb::dict>(each);
    plugged.push_back(plugged_of(logs, nb::cast<std::size_t>(plug["place"]), plug, Seed{asked.seed}));
  }
  Evaluation evaluation;
  Listening::run(progress, [&](const Listening::Tell& tell, const Listening::Stop& stop) {
    const Problem problem = make_problem(logs.data, question);
    const std::vector<RequestedEstimator> requested = requested_of(logs, problem, texts, Seed{asked.seed});
    const std::size_t total = requested.size() + plugged.size();
    EvaluateOptions usual = options_of(asked, 0, total, tell, stop);
    usual.findings = logs.findings;
    evaluation = evaluate(problem, requested, usual);
    for (std::size_t i = 0; i < plugged.size(); ++i) {
      EvaluateOptions options = options_of(asked, requested.size() + i, total, tell, stop);
      options.checks = false;
      options.details = false;
      options.findings = evaluation.data.findings;  // the verdict knows what is wrong with the logs
      const std::vector<RequestedEstimator> alone{{.text = plugged[i].name, .estimator = plugged[i].estimator}};
      put_in(evaluation, plugged[i].place, evaluate(make_problem(plugged[i].logs.data, question), alone, options));
    }
  });
  return evaluation;
}

nb::object influence_of(const Evaluation& evaluation, std::size_t place) {
  if (place >= evaluation.estimates.size()) throw nb::index_error("no such estimate");
  const auto* estimate = std::get_if<Estimate>(&evaluation.estimates[place].result);
  if (estimate == nullptr || estimate->influence.empty()) return nb::none();
  return array_of(Column<double>(std::vector<double>(estimate->influence)));
}

Inspection inspect_logs(const Logs& logs, double gamma, const std::string& file, std::optional<int> threads) {
  return without_lock([&] {
    std::vector<Inspection::Column> recognized;
    bool ends_logged = false;
    for (const io::UsedColumn& used : logs.summary.used) {
      recognized.push_back({.name = used.name, .role = used.role});
      ends_logged = ends_logged || used.role == "terminated" || used.role == "truncated";
    }
    Inspection inspection =
        inspect(logs.data, {.discount = Discount{gamma}, .ends_logged = ends_logged, .threads = threads_of(threads)});
    inspection.file = file;
    inspection.recognized = std::move(recognized);
    inspection.ignored = logs.summary.ignored;
    add_findings(inspection.findings, logs.findings);
    return inspection;
  });
}

template <class Result>
std::string shown(const Result& result, std::size_t width, bool color) {
  return text(result, TextStyle{.width = width, .color = color});
}

}  // namespace

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
  m.def(
      "group_column", [](const std::string& by) { return group_column(by); }, nb::arg("by"));
  m.def(
      "evaluation_from_json", [](const std::string& json) { return evaluation_from_json(json); }, nb::arg("json"));
  m.def("inspect", &inspect_logs, nb::arg("logs"), nb::arg("gamma"), nb::arg("file"), nb::arg("threads").none());
  m.def(
      "inspection_from_json", [](const std::string& json) { return inspection_from_json(json); }, nb::arg("json"));
}

}  // namespace starope::python
