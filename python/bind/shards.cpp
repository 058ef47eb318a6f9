#include "starope/shards.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "evaluation.hpp"
#include "starope/data/episode_hashes.hpp"
#include "starope/evaluate/inspection_sums.hpp"
#include "starope/evaluate/shard_sums.hpp"
#include "starope/evaluate/weights.hpp"
#include "starope/inspect.hpp"
#include "starope/io.hpp"

namespace starope::python {
namespace {

std::vector<NamedEstimator> named_of(const std::vector<std::string>& texts, Seed seed) {
  std::vector<NamedEstimator> named;
  for (RequestedEstimator& each : request_estimators(texts, estimator_files(), seed)) {
    if (const auto* failure = std::get_if<Failure>(&each.estimator)) throw FileError(failure->message);
    named.push_back({each.text, std::move(std::get<Estimator>(each.estimator))});
  }
  return named;
}

CountOptions counting(const std::string& target, std::optional<int> threads) {
  return {.target = target, .threads = threads_of(threads)};
}

// `whole`: what all parts showed, where these logs are a sample of them.
ShardStatistics count_logs(const Logs& logs, const std::vector<std::string>& texts, const nb::dict& options,
                           const std::string& target, const std::optional<ShardStatistics>& whole,
                           std::int64_t whole_steps) {
  const Asked asked = asked_of(options);
  CountOptions how = counting(target, asked.threads);
  how.whole = whole;
  how.whole_steps = whole_steps;
  return without_lock(
      [&] { return count(dataset_source(logs.data), asked.question, named_of(texts, asked.seed), how); });
}

ShardStatistics count_like(const Logs& logs, const ShardStatistics& like, const std::string& target,
                           std::optional<int> threads) {
  return without_lock([&] { return count(dataset_source(logs.data), like, counting(target, threads)); });
}

// Batches that come one after the other: an episode may go on in the next one.
template <class Work>
auto with_stream(const nb::object& capsule, const std::string& name, const nb::dict& options, const Work& work) {
  void* stream = PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream");
  if (stream == nullptr) nb::raise_python_error();
  return without_lock(
      [&, how = read_options(options)] { return work(io::open(static_cast<ArrowArrayStream*>(stream), name, how)); });
}

ShardStatistics count_stream(const nb::object& capsule, const std::string& name, const nb::dict& options,
                             const ShardStatistics& like, const std::string& target, std::optional<int> threads,
                             const std::string& part) {
  return with_stream(capsule, name, options, [&](const io::OpenedLogs& opened) {
    // Checks are of all logs, or of a sample of them: those of small parts cry wolf.
    CountOptions how = counting(target, threads);
    how.part = part;
    how.checks = false;
    how.findings = opened.findings;
    return count(opened.source, like, how);
  });
}

// These sums with what the checks of other logs found.
ShardStatistics with_checks_of(const ShardStatistics& total, const ShardStatistics& checked) {
  ShardSums sums = total.sums();
  sums.checked = checked.sums().checked;
  return ShardStatistics(std::make_shared<const ShardSums>(std::move(sums)));
}

// The influence of every episode: on what the logged policy earned, then on every estimator.
nb::list influence_stream(const nb::object& capsule, const std::string& name, const nb::dict& options,
                          const ShardStatistics& total, std::optional<int> threads) {
  ShardInfluence found = with_stream(capsule, name, options, [&](const io::OpenedLogs& opened) {
    return influence(opened.source, total, threads_of(threads));
  });
  nb::list all;
  all.append(array_of(Column<double>(std::move(found.logged))));
  for (std::vector<double>& each : found.estimators) all.append(array_of(Column<double>(std::move(each))));
  return all;
}

// The replicates of a bootstrap over a part; options of the evaluation say which.
ShardReplicates replicates_stream(const nb::object& capsule, const std::string& name, const nb::dict& options,
                                  const ShardStatistics& total, const std::string& interval, std::uint64_t seed,
                                  std::optional<int> threads) {
  const IntervalRecipe recipe = parse_interval(interval, Seed{seed});
  return with_stream(capsule, name, options, [&](const io::OpenedLogs& opened) {
    return count_replicates(opened.source, total, recipe, threads_of(threads));
  });
}

// For every estimator the values of replicates, and in how many there is none.
nb::list replicate_answers(const ShardReplicates& all, const ShardStatistics& total, std::optional<int> threads) {
  ReplicateAnswers found = without_lock([&] { return solve_replicates(all, total, threads_of(threads)); });
  nb::list answers;
  for (auto& [values, failed] : found.estimators)
    answers.append(nb::make_tuple(array_of(Column<double>(std::move(values))), failed));
  return answers;
}

ReplicateAnswers answers_of(const nb::list& given) {
  ReplicateAnswers answers;
  for (const nb::handle each : given) {
    const auto pair = nb::cast<nb::tuple>(each);
    answers.estimators.push_back(
        {.values = borrowed<double>(pair[0]).to_vector(), .failed = nb::cast<std::int64_t>(pair[1])});
  }
  return answers;
}

Evaluation finish_with_influence(const ShardStatistics& total, const nb::list& values, const nb::dict& options,
                                 const std::optional<nb::list>& replicates) {
  const Asked asked = asked_of(options);
  ShardInfluence all;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::vector<double> each = borrowed<double>(values[i]).to_vector();
    if (i == 0) all.logged = std::move(each);
    if (i > 0) all.estimators.push_back(std::move(each));
  }
  EvaluateOptions how{.level = std::nullopt,
                      .interval = asked.interval,
                      .influence = asked.influence,
                      .threads = threads_of(asked.threads),
                      .file = asked.file,
                      .groups = asked.groups};
  if (asked.level) how.level = Level{*asked.level};
  if (!replicates) return without_lock([&] { return finish(total, all, how); });
  return without_lock([&, answers = answers_of(*replicates)] { return finish(total, all, answers, how); });
}

Evaluation finish_shard(const ShardStatistics& total, std::optional<double> level, const std::string& file) {
  return without_lock([&] {
    Evaluation evaluation = finish(total, level ? std::optional(Level{*level}) : std::nullopt);
    evaluation.data.file = file;
    return evaluation;
  });
}

// ---- what there is in parts of logs --------------------------------------------------------------------------------

nb::bytes look_at_stream(const nb::object& capsule, const std::string& name, const nb::dict& options, double gamma,
                         bool ends_logged) {
  return bytes_of(with_stream(capsule, name, options, [&](const io::OpenedLogs& opened) {
    return look_at(opened.source, {.discount = Discount{gamma}, .ends_logged = ends_logged}).to_bytes();
  }));
}

nb::bytes weigh_stream(const nb::object& capsule, const std::string& name, const nb::dict& options,
                       const nb::bytes& total) {
  const InspectionSums all = InspectionSums::from_bytes(span_of(total));
  return bytes_of(with_stream(capsule, name, options,
                              [&](const io::OpenedLogs& opened) { return weigh(opened.source, all).to_bytes(); }));
}

template <class Sums>
Sums sum_of(const nb::list& parts) {
  Sums total = Sums::from_bytes(span_of(nb::cast<nb::bytes>(parts[0])));
  for (std::size_t i = 1; i < parts.size(); ++i) total += Sums::from_bytes(span_of(nb::cast<nb::bytes>(parts[i])));
  return total;
}

// `checked`: what is looked through for mistakes, all logs or a sample of them.
Inspection finish_inspection(const nb::bytes& total, const nb::list& weights, const Logs& checked,
                             const std::string& file) {
  const InspectionSums sums = InspectionSums::from_bytes(span_of(total));
  const auto weighed = sum_of<WeightsAtSteps>(weights);
  return without_lock([&] {
    Inspection inspection = finish(sums, weighed, dataset_source(checked.data), Threads::all());
    describe_columns(inspection, checked.summary, checked.findings, file);
    return inspection;
  });
}

void bind_bootstrap(nb::module_& m) {
  nb::class_<ShardReplicates>(m, "Replicates", "The sums of replicates of a bootstrap over some episodes.")
      .def_prop_ro("first", &ShardReplicates::first)
      .def_prop_ro("replicates", &ShardReplicates::replicates)
      .def("split", &ShardReplicates::split, nb::arg("most"))
      .def(
          "__add__", [](ShardReplicates a, const ShardReplicates& b) { return a += b; }, nb::is_operator())
      .def("to_bytes", [](const ShardReplicates& some) { return bytes_of(some.to_bytes()); })
      .def_static(
          "from_bytes", [](const nb::bytes& b) { return ShardReplicates::from_bytes(span_of(b)); }, nb::arg("bytes"));
  m.def("replicates_stream", &replicates_stream, nb::arg("capsule"), nb::arg("name"), nb::arg("options"),
        nb::arg("total"), nb::arg("interval"), nb::arg("seed"), nb::arg("threads").none());
  m.def("solve_replicates", &replicate_answers, nb::arg("replicates"), nb::arg("total"), nb::arg("threads").none());
}

void bind_inspection(nb::module_& m) {
  m.def("look_at_stream", &look_at_stream, nb::arg("capsule"), nb::arg("name"), nb::arg("options"), nb::arg("gamma"),
        nb::arg("ends_logged"));
  m.def("weigh_stream", &weigh_stream, nb::arg("capsule"), nb::arg("name"), nb::arg("options"), nb::arg("total"));
  m.def(
      "sum_of_looks", [](const nb::list& parts) { return bytes_of(sum_of<InspectionSums>(parts).to_bytes()); },
      nb::arg("parts"));
  m.def("finish_inspection", &finish_inspection, nb::arg("total"), nb::arg("weights"), nb::arg("checked"),
        nb::arg("file"));
}

}  // namespace

void bind_shards(nb::module_& m) {
  bind_bootstrap(m);
  bind_inspection(m);
  nb::class_<ShardStatistics>(m, "Shard",
                              "The sums of estimators over some episodes, with all that it takes to finish them.")
      .def_prop_ro("episodes", &ShardStatistics::episodes)
      .def_prop_ro("steps", &ShardStatistics::steps)
      .def_prop_ro("parts", &ShardStatistics::parts)
      .def_prop_ro("estimators", &ShardStatistics::estimators)
      .def(
          "__add__", [](ShardStatistics a, const ShardStatistics& b) { return a += b; }, nb::is_operator())
      .def(
          "__eq__", [](const ShardStatistics& a, const ShardStatistics& b) { return a == b; }, nb::is_operator())
      .def("with_checks_of", &with_checks_of, nb::arg("checked"))
      .def("to_bytes", [](const ShardStatistics& shard) { return bytes_of(shard.to_bytes()); })
      .def_static(
          "from_bytes", [](const nb::bytes& b) { return ShardStatistics::from_bytes(span_of(b)); }, nb::arg("bytes"));
  m.def("count_logs", &count_logs, nb::arg("logs"), nb::arg("estimators"), nb::arg("options"), nb::arg("target"),
        nb::arg("whole").none() = nb::none(), nb::arg("whole_steps") = 0);
  m.def("count_like", &count_like, nb::arg("logs"), nb::arg("like"), nb::arg("target"), nb::arg("threads").none());
  m.def("count_stream", &count_stream, nb::arg("capsule"), nb::arg("name"), nb::arg("options"), nb::arg("like"),
        nb::arg("target"), nb::arg("threads").none(), nb::arg("part") = "");
  m.def("influence_stream", &influence_stream, nb::arg("capsule"), nb::arg("name"), nb::arg("options"),
        nb::arg("total"), nb::arg("threads").none());
  m.def("finish_with_influence", &finish_with_influence, nb::arg("total"), nb::arg("influence"), nb::arg("options"),
        nb::arg("replicates").none() = nb::none());
  m.def("finish_shard", &finish_shard, nb::arg("total"), nb::arg("level").none(), nb::arg("file"));
  m.def(
      "episode_hashes", [](const Logs& logs) { return array_of(Column<std::uint64_t>(episode_hashes(logs.data, 0))); },
      nb::arg("logs"), "What is drawn for an episode is a function of this.");
}

}  // namespace starope::python
