#include <algorithm>
#include <utility>

#include "bind.hpp"
#include "domain_text.hpp"
#include "starope/domains.hpp"
#include "starope/domains/choose_domain.hpp"
#include "starope/domains/policy_table.hpp"
#include "starope/report.hpp"
#include "starope/study.hpp"
#include "study_text.hpp"

namespace starope::python {
namespace {

domains::NamedDomain world_of(const std::string& text, const std::string& dynamics) {
  return domains::choose_domain(text, {.icu_sepsis = dynamics, .policy_table = domains::read_policy_table});
}

nb::dict described(const domains::NamedDomain& domain) {
  nb::dict about;
  about["name"] = domain.name;
  about["summary"] = domain.summary;
  about["observation"] = domain.observation;
  about["actions"] = domain.actions;
  about["horizon"] = domain.horizon.steps();
  about["gamma"] = domain.discount.gamma();
  about["behavior"] = domain.behavior;
  about["target"] = domain.target;
  nb::dict policies;
  for (const domains::NamedPolicy& policy : domain.policies) policies[policy.name.c_str()] = policy.meaning;
  about["policies"] = policies;
  return about;
}

Logs simulate(const std::string& name, const std::string& dynamics, const std::optional<std::string>& behavior,
              const std::optional<std::string>& target, std::int64_t episodes, std::optional<std::int64_t> horizon,
              std::uint64_t seed) {
  return without_lock([&] {
    const domains::NamedDomain domain = world_of(name, dynamics);
    domains::SimulateOptions options{.episodes = episodes, .seed = Seed{seed}, .features_as_bits = domain.bits};
    if (horizon) options.horizon = Horizon{*horizon};
    Logs logs{.data = domain.simulate(behavior.value_or(domain.behavior), target.value_or(domain.target), options)};
    logs.summary.file = name;
    logs.summary.used.push_back({.role = "terminated", .name = "terminated"});
    return logs;
  });
}

nb::tuple truth_of(const std::string& name, const std::string& dynamics, const std::optional<std::string>& policy,
                   std::optional<std::int64_t> horizon) {
  const domains::TrueValue value = without_lock([&] {
    const domains::NamedDomain domain = world_of(name, dynamics);
    return cli::find_truth(domain, policy.value_or(domain.target), horizon ? Horizon{*horizon} : domain.horizon,
                           Threads::all())
        .value;
  });
  return nb::make_tuple(value.value, value.standard_error);
}

// A study as a text: the name of a built-in one, a TOML file, or the lines of one.
StudySpec spec_of(const std::string& study, const BuiltinStudyOptions& options) {
  if (study.find('\n') != std::string::npos) return parse_study_toml(study, "study.toml");
  const std::string ending = ".toml";
  if (study.size() > ending.size() && study.substr(study.size() - ending.size()) == ending) {
    return read_study_toml(study);
  }
  return builtin_study(study, options);
}

nb::tuple run(const std::string& study, const nb::dict& given, const nb::object& progress) {
  StudySpec spec =
      spec_of(study, {.dynamics = nb::cast<std::string>(given["dynamics"]), .neural = nb::cast<bool>(given["neural"])});
  if (const auto seed = nb::cast<std::optional<std::uint64_t>>(given["seed"])) spec.seed = Seed{*seed};
  std::vector<std::string> estimators;
  for (const std::string& list : nb::cast<std::vector<std::string>>(given["estimators"])) {
    for (std::string& text : expand_estimators(list)) estimators.push_back(std::move(text));
  }
  for (StudyDomain& domain : spec.domains) {
    if (const auto trials = nb::cast<std::optional<std::int64_t>>(given["trials"])) domain.trials = *trials;
    if (!estimators.empty()) domain.estimators = estimators;
  }
  const auto folder = nb::cast<std::string>(given["folder"]);
  const auto resume = nb::cast<bool>(given["resume"]);
  const auto part = nb::cast<std::optional<std::string>>(given["shard"]);
  const Shard shard = part ? Shard::parse(*part) : Shard{};
  const Threads threads = threads_of(nb::cast<std::optional<int>>(given["threads"]));
  StudyProgress end;
  Listening::run(progress, [&](const Listening::Tell& tell, const Listening::Stop& stop) {
    end = run_study(spec, {.folder = folder,
                           .shard = shard,
                           .resume = resume,
                           .threads = threads,
                           .files = estimator_files(),
                           .progress =
                               [&](const StudyProgress& at) {
                                 tell(static_cast<std::size_t>(at.done), static_cast<std::size_t>(at.total), at.note);
                               },
                           .stop = stop});
  });
  return nb::make_tuple(end.done, end.total);
}

StudySummary summary_of(const std::string& folder) {
  return without_lock([&] { return summarize(read_results(folder + "/results.jsonl")); });
}

}  // namespace

void bind_worlds(nb::module_& m) {
  m.def("domains", [] {
    nb::list all;
    for (const domains::NamedDomain& each : domains::builtin_domains()) all.append(described(each));
    return all;
  });
  m.def("simulate", &simulate, nb::arg("name"), nb::arg("dynamics"), nb::arg("behavior").none(),
        nb::arg("target").none(), nb::arg("episodes"), nb::arg("horizon").none(), nb::arg("seed"));
  m.def("true_value", &truth_of, nb::arg("name"), nb::arg("dynamics"), nb::arg("policy").none(),
        nb::arg("horizon").none());
  m.def("run_study", &run, nb::arg("study"), nb::arg("options"), nb::arg("progress").none());
  nb::class_<StudySummary>(m, "StudySummary")
      .def("json", [](const StudySummary& summary) { return summary_json(summary); })
      .def(
          "text",
          [](const StudySummary& summary, std::size_t width) {
            return cli::study_text(summary, cli::Terminal{.width = width});
          },
          nb::arg("width"))
      .def("report", [](const StudySummary& summary) { return study_report(summary); });
  m.def(
      "merge_studies",
      [](const std::vector<std::string>& parts, const std::string& whole) {
        without_lock([&] { return merge_studies(parts, whole).cells; });
      },
      nb::arg("parts"), nb::arg("whole"));
  m.def("study_summary", &summary_of, nb::arg("folder"));
}

}  // namespace starope::python
