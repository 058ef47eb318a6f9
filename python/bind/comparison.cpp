#include "starope/compare.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "evaluation.hpp"
#include "starope/report.hpp"

namespace starope::python {
namespace {

struct Policy {
  std::string name{};
  const Logs* logs = nullptr;  // with the probabilities of this policy
  std::vector<Plugged> plugged{};
};

std::string default_estimator(const Dataset& data) {
  return std::holds_alternative<std::monostate>(data.states()) ? "wpdis" : "auto";
}

// Every policy is a tuple: its name, its logs, and the estimators that Python computes.
Comparison compare_logs(const nb::list& given, const std::vector<std::string>& texts, const nb::dict& options,
                        const nb::object& progress) {
  Asked asked = asked_of(options);
  asked.influence = true;
  std::vector<Policy> policies;
  for (const nb::handle each : given) {
    const auto policy = nb::cast<nb::tuple>(each);
    policies.push_back({.name = nb::cast<std::string>(policy[0]),
                        .logs = nb::cast<const Logs*>(policy[1]),
                        .plugged = plugged_of(nb::cast<nb::list>(policy[2]), asked.seed)});
  }
  Comparison comparison;
  Listening::run(progress, [&](const Listening::Tell& tell, const Listening::Stop& stop) {
    std::vector<PolicyEvaluation> evaluations;
    for (const Policy& policy : policies) {
      std::vector<std::string> lists = texts;
      if (lists.empty() && policy.plugged.empty()) lists.push_back(default_estimator(policy.logs->data));
      lists.emplace_back("naive");
      const std::vector<RequestedEstimator> requested = requested_of(*policy.logs, lists, asked);
      const std::size_t each = requested.size() + policy.plugged.size();
      const Places places{.before = each * evaluations.size(), .total = each * policies.size()};
      const Listening::Tell named = [&](std::size_t done, std::size_t total, const std::string& what) {
        tell(done, total, policy.name + ": " + what);
      };
      evaluations.push_back(
          {.policy = policy.name,
           .evaluation = evaluate_asked(*policy.logs, requested, policy.plugged, asked, places, named, stop)});
    }
    CompareOptions comparing{.level = std::nullopt, .seed = asked.seed};
    if (asked.level) comparing.level = Level{*asked.level};
    comparison = compare(std::move(evaluations), comparing);
  });
  return comparison;
}

// Of evaluations that kept their influence values.
Comparison compare_evaluations(const nb::list& given, const nb::dict& options) {
  const Asked asked = asked_of(options);
  std::vector<PolicyEvaluation> evaluations;
  for (const nb::handle each : given) {
    const auto policy = nb::cast<nb::tuple>(each);
    evaluations.push_back({.policy = nb::cast<std::string>(policy[0]), .evaluation = nb::cast<Evaluation>(policy[1])});
  }
  CompareOptions comparing{.level = std::nullopt, .seed = asked.seed};
  if (asked.level) comparing.level = Level{*asked.level};
  return without_lock([&] { return compare(std::move(evaluations), comparing); });
}

}  // namespace

void bind_comparison(nb::module_& m) {
  nb::class_<Comparison>(m, "Comparison")
      .def("json", [](const Comparison& c) { return to_json(c); })
      .def("text", &shown<Comparison>, nb::arg("width"), nb::arg("color"))
      .def("report", [](const Comparison& c) { return comparison_report(c); });
  m.def("compare", &compare_logs, nb::arg("policies"), nb::arg("estimators"), nb::arg("options"),
        nb::arg("progress").none());
  m.def("compare_evaluations", &compare_evaluations, nb::arg("evaluations"), nb::arg("options"));
  m.def(
      "comparison_from_json", [](const std::string& json) { return comparison_from_json(json); }, nb::arg("json"));
}

}  // namespace starope::python
