#include "starope/shards.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "evaluation.hpp"
#include "starope/data/episode_hashes.hpp"
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

ShardStatistics count_logs(const Logs& logs, const std::vector<std::string>& texts, const nb::dict& options,
                           const std::string& target) {
  const Asked asked = asked_of(options);
  return without_lock([&] {
    return count(dataset_source(logs.data), asked.question, named_of(texts, asked.seed),
                 counting(target, asked.threads));
  });
}

ShardStatistics count_like(const Logs& logs, const ShardStatistics& like, const std::string& target,
                           std::optional<int> threads) {
  return without_lock([&] { return count(dataset_source(logs.data), like, counting(target, threads)); });
}

// Of batches that come one after the other: an episode may go on in the next one.
ShardStatistics count_stream(const nb::object& capsule, const std::string& name, const nb::dict& options,
                             const ShardStatistics& like, const std::string& target, std::optional<int> threads) {
  void* stream = PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream");
  if (stream == nullptr) nb::raise_python_error();
  return without_lock([&, how = read_options(options)] {
    const io::OpenedLogs opened = io::open(static_cast<ArrowArrayStream*>(stream), name, how);
    return count(opened.source, like, counting(target, threads));
  });
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
      .def("to_bytes", [](const ShardStatistics& shard) { return bytes_of(shard.to_bytes()); })
      .def_static(
          "from_bytes", [](const nb::bytes& b) { return ShardStatistics::from_bytes(span_of(b)); }, nb::arg("bytes"));
  m.def("count_logs", &count_logs, nb::arg("logs"), nb::arg("estimators"), nb::arg("options"), nb::arg("target"));
  m.def("count_like", &count_like, nb::arg("logs"), nb::arg("like"), nb::arg("target"), nb::arg("threads").none());
  m.def("count_stream", &count_stream, nb::arg("capsule"), nb::arg("name"), nb::arg("options"), nb::arg("like"),
        nb::arg("target"), nb::arg("threads").none());
  m.def("finish_shard", &finish_shard, nb::arg("total"), nb::arg("level").none(), nb::arg("file"));
  m.def(
      "episode_hashes", [](const Logs& logs) { return array_of(Column<std::uint64_t>(episode_hashes(logs.data, 0))); },
      nb::arg("logs"), "What is drawn for an episode is a function of this.");
}

}  // namespace starope::python
