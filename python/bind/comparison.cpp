#include "starope/compare.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "evaluation.hpp"
#include "starope/error.hpp"
#include "starope/report.hpp"

namespace starope::python {
namespace {

struct Policy {
  std::string name{};
  std::variant<const Logs*, const Blocks*> logs{};  // with the probabilities of this policy
  std::vector<Plugged> plugged{};
};

// The logs of a policy, evaluated; `named` is told the progress.
Evaluation evaluate_policy(const Policy& policy, const std::vector<std::string>& texts, const Asked& asked,
                           std::size_t number, std::size_t policies, const Listening::Tell& named,
                           const Listening::Stop& stop) {
  const auto lists_for = [&](const Dataset& data) {
    std::vector<std::string> lists = texts;
    if (lists.empty() && policy.plugged.empty()) {
      lists.emplace_back(std::holds_alternative<std::monostate>(data.states()) ? "wpdis" : "auto");
    }
    lists.emplace_back("naive");
    return lists;
  };
  const auto places_of = [&](const std::vector<RequestedEstimator>& requested) {
    const std::size_t each = requested.size() + policy.plugged.size();
    return Places{.before = each * number, .total = each * policies};
  };
  if (const auto* blocks = std::get_if<const Blocks*>(&policy.logs)) {
    if (!policy.plugged.empty()) throw InvalidArgument("estimators written in Python need all logs in memory");
    const auto requested = requested_of(**blocks, lists_for((*blocks)->first().data), asked);
    return evaluate_asked(**blocks, requested, asked, places_of(requested), named, stop);
  }
  const Logs& logs = *std::get<const Logs*>(policy.logs);
  const auto requested = requested_of(logs, lists_for(logs.data), asked);
  return evaluate_asked(logs, requested, policy.plugged, asked, places_of(requested), named, stop);
}

// Every policy is a tuple: its name, its logs, and the estimators that Python computes.
Comparison compare_logs(const nb::list& given, const std::vector<std::string>& texts, const nb::dict& options,
                        const nb::object& progress) {
  Asked asked = asked_of(options);
  asked.influence = true;
  std::vector<Policy> policies;
  for (const nb::handle each : given) {
    const auto policy = nb::cast<nb::tuple>(each);
    Policy made{.name = nb::cast<std::string>(policy[0]),
                .plugged = plugged_of(nb::cast<nb::list>(policy[2]), asked.seed)};
    if (nb::isinstance<Blocks>(policy[1])) {
      made.logs = nb::cast<const Blocks*>(policy[1]);
    } else {
      made.logs = nb::cast<const Logs*>(policy[1]);
    }
    policies.push_back(std::move(made));
  }
  Comparison comparison;
  Listening::run(progress, [&](const Listening::Tell& tell, const Listening::Stop& stop) {
    std::vector<PolicyEvaluation> evaluations;
    for (const Policy& policy : policies) {
      const Listening::Tell named = [&](std::size_t done, std::size_t total, const std::string& what) {
        tell(done, total, policy.name + ": " + what);
      };
      evaluations.push_back(
          {.policy = policy.name,
           .evaluation = evaluate_policy(policy, texts, asked, evaluations.size(), policies.size(), named, stop)});
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
