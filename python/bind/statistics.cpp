#include "bind.hpp"
#include "starope/estimators.hpp"
#include "starope/phi.hpp"
#include "starope/statistic.hpp"

namespace starope::python {
namespace {

// The abstraction and the options of a star(...).
Star star_of(const std::string& text, std::uint64_t seed) {
  const Estimator estimator = parse_estimator(text, estimator_files(), Seed{seed}).estimator;
  if (const auto* star = std::get_if<Star>(&estimator)) return *star;
  throw InvalidArgument("'" + text + "' counts nothing: a statistic is of a star(...)");
}

nb::tuple survey_tuple(const Survey& survey) {
  return nb::make_tuple(survey.episodes, survey.steps, survey.longest, survey.ratio_log2_bound);
}

ArpCount count_of(const std::string& text, std::uint64_t seed, const Phi& phi, const Survey& whole, double gamma,
                  std::optional<std::int64_t> horizon) {
  const Star star = star_of(text, seed);
  ProblemOptions question = question_of(gamma, horizon);
  if (star.horizon) question.horizon = *star.horizon;
  return {.phi = phi,
          .options = {.clip = star.clip, .truncation = star.truncation, .time = star.time},
          .question = question,
          .whole = whole};
}

nb::dict value_of(const ArpValue& value) {
  nb::dict result;
  result["value"] = value.value;
  result["values"] = value.values;
  result["visits"] = value.visits;
  result["unsupported"] = value.unsupported;
  result["unsupported_cells"] = value.unsupported_cells;
  return result;
}

}  // namespace

void bind_statistics(nb::module_& m) {
  nb::class_<Phi>(m, "Phi", "A fitted abstraction: labels the states of any logs.")
      .def_prop_ro("cells", &Phi::cells)
      .def_prop_ro("fingerprint", [](const Phi& phi) { return phi.fingerprint().text(); })
      .def(
          "label",
          [](const Phi& phi, const Logs& logs) {
            Labels labels = without_lock([&] { return phi.label(logs.data); });
            return array_of(Column<Label>(std::move(labels.of_row)));
          },
          nb::arg("logs"))
      .def("to_bytes", [](const Phi& phi) { return bytes_of(phi.to_bytes()); })
      .def_static(
          "from_bytes", [](const nb::bytes& bytes) { return Phi::from_bytes(span_of(bytes)); }, nb::arg("bytes"));
  nb::class_<Survey>(m, "Survey", "The lengths and ratios of some logs.")
      .def_ro("episodes", &Survey::episodes)
      .def_ro("steps", &Survey::steps)
      .def_ro("longest", &Survey::longest)
      .def(
          "__add__", [](Survey a, const Survey& b) { return a += b; }, nb::is_operator())
      .def("to_tuple", &survey_tuple)
      .def_static(
          "from_tuple",
          [](std::int64_t episodes, std::int64_t steps, std::int64_t longest, double bound) {
            return Survey{.episodes = episodes, .steps = steps, .longest = longest, .ratio_log2_bound = bound};
          },
          nb::arg("episodes"), nb::arg("steps"), nb::arg("longest"), nb::arg("ratio_log2_bound"));
  nb::class_<Statistic>(m, "Statistic", "The sums over some episodes.")
      .def_prop_ro("episodes", &Statistic::episodes)
      .def(
          "__add__", [](Statistic a, const Statistic& b) { return a += b; }, nb::is_operator())
      .def(
          "__eq__", [](const Statistic& a, const Statistic& b) { return a == b; }, nb::is_operator())
      .def("to_bytes", [](const Statistic& s) { return bytes_of(s.to_bytes()); })
      .def_static(
          "from_bytes", [](const nb::bytes& b) { return Statistic::from_bytes(span_of(b)); }, nb::arg("bytes"));
  nb::class_<ArpCount>(m, "Count", "What to count: the cells, how, and for which question.");

  m.def("count", &count_of, nb::arg("star"), nb::arg("seed"), nb::arg("phi"), nb::arg("whole"), nb::arg("gamma"),
        nb::arg("horizon").none());
  m.def(
      "survey",
      [](const Logs& logs, double gamma, std::optional<std::int64_t> horizon) {
        return without_lock([&] { return survey(dataset_source(logs.data), question_of(gamma, horizon)); });
      },
      nb::arg("logs"), nb::arg("gamma"), nb::arg("horizon").none());
  m.def(
      "fit_phi",
      [](const std::string& text, std::uint64_t seed, const Logs& logs, double gamma,
         std::optional<std::int64_t> horizon) {
        return without_lock([&] {
          return fit_phi(star_of(text, seed).phi, dataset_source(logs.data), question_of(gamma, horizon)).phi;
        });
      },
      nb::arg("star"), nb::arg("seed"), nb::arg("logs"), nb::arg("gamma"), nb::arg("horizon").none());
  m.def(
      "fold",
      [](const ArpCount& count, const Logs& logs) {
        return without_lock([&] { return fold(count, dataset_source(logs.data)); });
      },
      nb::arg("count"), nb::arg("logs"));
  m.def(
      "finish",
      [](const ArpCount& count, const Statistic& total) {
        return value_of(without_lock([&] { return finish(count, total); }));
      },
      nb::arg("count"), nb::arg("total"));
}

}  // namespace starope::python
