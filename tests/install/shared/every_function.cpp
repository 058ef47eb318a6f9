// Names every function of the door, so that the linker looks for each of them in the shared library.

#include <starope/domains.hpp>
#include <starope/report.hpp>
#include <starope/starope.hpp>
#include <starope/study.hpp>

#include <cstdio>

namespace {

// The whole door, as a program might see it.
using namespace starope;  // NOLINT(google-build-using-namespace)

int named = 0;
template <class... Functions>
void name(Functions... functions) {
  named += ((functions != nullptr ? 1 : 0) + ...);
}

void core() {
  name(static_cast<std::string (*)(const Finding&)>(&text), static_cast<std::string (*)(const Estimator&)>(&text),
       static_cast<std::string (*)(std::span<const Finding>)>(&text), &same_sentence);
  name(static_cast<Problem (*)(const Dataset&, const ProblemOptions&)>(&make_problem), &read_all, &sample_episodes,
       static_cast<Source (*)(const Dataset&, std::int64_t)>(&dataset_source));
  name(&describe, &fit_abstraction, &fit_phi, &survey,
       static_cast<ArpValue (*)(const ArpCount&, const Statistic&)>(&finish),
       static_cast<Statistic (*)(const ArpCount&, const Source&, Threads)>(&fold), &Statistic::from_bytes,
       &Phi::from_bytes);
  name(static_cast<Estimate (*)(const Estimator&, const Problem&, const EstimateOptions&)>(&estimate),
       static_cast<Estimate (*)(const Naive&, const Source&, const ProblemOptions&, const EstimateOptions&)>(&estimate),
       static_cast<Estimate (*)(const ImportanceSampling&, const Source&, const ProblemOptions&,
                                const EstimateOptions&)>(&estimate),
       static_cast<Estimate (*)(const Star&, const Source&, const ProblemOptions&, const EstimateOptions&)>(&estimate),
       static_cast<Estimate (*)(const Auto&, const Source&, const ProblemOptions&, const EstimateOptions&)>(&estimate));
  name(&parse_estimators, &parse_estimator, &request_estimators, &default_estimators, &all_estimators, &expand_all,
       &asks_for_all, &estimator_help, &estimator_files);
  name(static_cast<Evaluation (*)(const Problem&, const std::vector<RequestedEstimator>&, const EvaluateOptions&)>(
           &evaluate),
       static_cast<Evaluation (*)(const Problem&, const std::vector<NamedEstimator>&, const EvaluateOptions&)>(
           &evaluate),
       static_cast<Evaluation (*)(const Problem&, const std::vector<Estimator>&, const EvaluateOptions&)>(&evaluate));
  name(&any_answered, static_cast<std::string (*)(const Evaluation&)>(&to_json), &evaluation_from_json,
       static_cast<Inspection (*)(const Dataset&, const InspectOptions&)>(&inspect),
       static_cast<Inspection (*)(const Source&, const InspectOptions&)>(&inspect), &inspection_from_json,
       &few_episodes, static_cast<std::string (*)(const Inspection&)>(&to_json));
  name(static_cast<io::ReadResult (*)(const std::string&, const io::ReadOptions&)>(&io::read),
       static_cast<io::ReadResult (*)(ArrowArrayStream*, const std::string&, const io::ReadOptions&)>(&io::read),
       static_cast<io::OpenedLogs (*)(const std::string&, const io::ReadOptions&, const io::OpenOptions&)>(&io::open),
       static_cast<io::OpenedLogs (*)(ArrowArrayStream*, const std::string&, const io::ReadOptions&,
                                      const io::OpenOptions&)>(&io::open),
       &io::read_bytes, &io::half_the_memory, &io::memory_needed, &io::needs_duckdb, &io::write, &io::write_npz,
       &takes_blocks,
       static_cast<Evaluation (*)(const Source&, const ProblemOptions&, const std::vector<RequestedEstimator>&,
                                  const EvaluateOptions&)>(&evaluate),
       static_cast<void (*)(const Dataset&, const std::string&, const io::WriteOptions&)>(&io::write_csv),
       static_cast<void (*)(const Dataset&, const io::TextSink&, const io::WriteOptions&)>(&io::write_csv));
  name(&counts_in_parts,
       static_cast<ShardStatistics (*)(const Source&, const ShardStatistics&, const CountOptions&)>(&count),
       static_cast<Evaluation (*)(const ShardStatistics&, const std::optional<Level>&)>(&finish), &read_policy,
       &policy_from_json, &action_probabilities, &estimate_behavior, &with_behavior, &return_distributions,
       &parse_interval, &interval_help);
}

void beside_the_core() {
  name(&domains::sample_action, &domains::simulate, &domains::exact_value, &domains::parse_policy,
       &domains::find_domain, &domains::find_known_value, &domains::add_exact_simulation, &domains::builtin_domains,
       &domains::TabularPolicy::uniform, &domains::MdpDescription::with_own_rows);
  name(&check_study, &complete_study, &study_json, &parse_study_json, &study_differences, &expand_estimators,
       &builtin_study_names, &builtin_study, &parse_study_toml, &read_study_toml, &Shard::parse, &run_study,
       &read_study, &write_study, &merge_studies, &read_results, &summarize, &summary_json);
  name(&has_chart_runtime, &evaluation_report, &study_report);
}

}  // namespace

int main() {
  core();
  beside_the_core();
  std::printf("%d functions\n", named);

  // Not only names: a domain of the library, simulated and evaluated.
  const auto worlds = domains::builtin_domains();
  const auto& world = domains::find_domain(worlds, "cartpole");
  const Dataset logs = world.simulate(world.behavior, world.target, {.episodes = 50});
  const Evaluation evaluation = evaluate(make_problem(logs), {Naive{}, Star{Clusters{4}, Clip::last(2)}});
  try {
    domains::find_domain(worlds, "catpole");
  } catch (const InvalidArgument&) {  // thrown inside the library, caught here: one type on both sides
    return any_answered(evaluation) ? 0 : 1;
  }
  return 1;
}
