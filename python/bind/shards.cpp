#include "starope/shards.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "evaluation.hpp"
#include "starope/data/episode_hashes.hpp"
#include "starope/evaluate/shard_sums.hpp"
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

Evaluation finish_with_influence(const ShardStatistics& total, const nb::list& values, const nb::dict& options) {
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
  return without_lock([&] { return finish(total, all, how); });
}

Evaluation finish_shard(const ShardStatistics& total, std::optional<double> level, const std::string& file) {
  return without_lock([&] {
    Evaluation evaluation = finish(total, level ? std::optional(Level{*level}) : std::nullopt);
    evaluation.data.file = file;
    return evaluation;
  });
}

}  // namespace

void bind_shards(nb::module_& m) {
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
  m.def("finish_with_influence", &finish_with_influence, nb::arg("total"), nb::arg("influence"), nb::arg("options"));
  m.def("finish_shard", &finish_shard, nb::arg("total"), nb::arg("level").none(), nb::arg("file"));
  m.def(
      "episode_hashes", [](const Logs& logs) { return array_of(Column<std::uint64_t>(episode_hashes(logs.data, 0))); },
      nb::arg("logs"), "What is drawn for an episode is a function of this.");
}

}  // namespace starope::python
