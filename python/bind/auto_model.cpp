#include "starope/auto/auto_model.hpp"
#include "bind.hpp"
#include "starope/auto/automatic.hpp"
#include "starope/estimators.hpp"

namespace starope::python {
namespace {

Auto auto_of(const std::string& text, std::uint64_t seed) {
  const Estimator estimator = parse_estimator(text, estimator_files(), Seed{seed}).estimator;
  if (const auto* automatic = std::get_if<Auto>(&estimator)) return *automatic;
  throw InvalidArgument("'" + text + "' is not auto");
}

// Fitted to all of these logs, which are a sample where the rest is elsewhere.
AutoModel fit_auto(const std::string& text, std::uint64_t seed, const Logs& logs, double gamma,
                   std::optional<std::int64_t> horizon) {
  return without_lock([&] {
    const Problem asked = make_problem(logs.data, question_of(gamma, horizon));
    const AutoHorizon steps = auto_horizon(asked);
    const Problem problem = asked.with_horizon(Horizon{steps.steps});
    std::optional<FamilyModels> models;
    const AutoFit fit = weigh_families(auto_of(text, seed), problem, steps, {}, &models);
    return AutoModel(std::move(*models), fit.answer, {.episodes = problem.episodes(), .steps = problem.steps()});
  });
}

AutoSums sums_of(const AutoModel& model, const Logs& logs) {
  return without_lock([&] {
    AutoSums sums = model.identity();
    if (model.needs_sums()) model.add_block(sums, make_problem(logs.data, model.question()));
    return sums;
  });
}

nb::object scores_of(const AutoModel& model, const Logs& logs, const AutoSums& sums) {
  AutoScores scores = without_lock([&] { return model.score(make_problem(logs.data, model.question()), sums); });
  return array_of(Column<double>(std::move(scores.mixed)));
}

}  // namespace

void bind_auto_model(nb::module_& m) {
  nb::class_<AutoSums>(m, "AutoSums", "What a first pass finds; adds.")
      .def(
          "__add__", [](AutoSums a, const AutoSums& b) { return a += b; }, nb::is_operator())
      .def("to_bytes", [](const AutoSums& sums) { return bytes_of(sums.to_bytes()); })
      .def_static(
          "from_bytes", [](const nb::bytes& b) { return AutoSums::from_bytes(span_of(b)); }, nb::arg("bytes"));
  nb::class_<AutoModel>(m, "AutoModel", "auto, fitted: scores the episodes of any logs.")
      .def_prop_ro("needs_sums", &AutoModel::needs_sums)
      .def_prop_ro("fingerprint", [](const AutoModel& model) { return model.fingerprint().text(); })
      .def("sums", &sums_of, nb::arg("logs"))
      .def("scores", &scores_of, nb::arg("logs"), nb::arg("sums"))
      .def("to_bytes", [](const AutoModel& model) { return bytes_of(model.to_bytes()); })
      .def_static(
          "from_bytes", [](const nb::bytes& b) { return AutoModel::from_bytes(span_of(b)); }, nb::arg("bytes"));
  m.def("fit_auto", &fit_auto, nb::arg("auto"), nb::arg("seed"), nb::arg("logs"), nb::arg("gamma"),
        nb::arg("horizon").none());
}

}  // namespace starope::python
