#include <algorithm>
#include <utility>
#include <variant>

#include "evaluation.hpp"
#include "starope/error.hpp"
#include "starope/evaluate/loading.hpp"
#include "starope/policy.hpp"

namespace starope::python {
namespace {

nb::object object_of(LoadedLogs loaded, std::int64_t memory) {
  if (auto* data = std::get_if<Dataset>(&loaded.episodes)) {
    return nb::cast(
        Logs{.data = std::move(*data), .summary = std::move(loaded.summary), .findings = std::move(loaded.findings)});
  }
  return nb::cast(Blocks{.source = std::get<Source>(loaded.episodes),
                         .summary = std::move(loaded.summary),
                         .findings = std::move(loaded.findings),
                         .needed = loaded.needed,
                         .memory = memory});
}

std::int64_t memory_of(std::optional<std::int64_t> memory) {
  return memory.value_or(io::half_the_memory());
}

// What is asked of the logs, as far as it decides how they are read; none: that depends on their columns.
bool fits_models(const std::optional<std::vector<RequestedEstimator>>& estimators) {
  return !estimators || std::any_of(estimators->begin(), estimators->end(), fits_a_model);
}

// Logs, or Blocks where memory does not hold them. A file that is too large for the estimators is not read.
nb::object load(const std::string& path, const nb::dict& options, std::optional<std::int64_t> memory,
                const std::optional<std::vector<std::string>>& texts) {
  const std::int64_t limit = memory_of(memory);
  return object_of(without_lock([&, how = read_options(options)] {
                     std::optional<std::vector<RequestedEstimator>> estimators;
                     if (texts && !asks_for_all(*texts)) {
                       estimators = request_estimators(expand_all(*texts, nullptr), estimator_files(), Seed{});
                     }
                     const auto needed = too_large(path, how, limit);
                     if (needed && estimators && !estimators->empty()) for_blocks(*estimators, path, *needed, limit);
                     return load_logs(path, how, needed, {.memory = limit, .models = fits_models(estimators)});
                   }),
                   limit);
}

nb::object load_stream(const nb::object& capsule, const std::string& name, const nb::dict& options,
                       std::optional<std::int64_t> memory) {
  void* stream = PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream");
  if (stream == nullptr) nb::raise_python_error();
  const std::int64_t limit = memory_of(memory);
  return object_of(without_lock([&, how = read_options(options)] {
                     return load_logs(static_cast<ArrowArrayStream*>(stream), name, how, {.memory = limit});
                   }),
                   limit);
}

// Every block with columns that a function of Python makes of it: (logs, number of steps before them) -> columns. It is
// asked again in every pass. Sources are copied without the interpreter's lock, so the function is held by keep_alive.
Blocks with_columns_of(const Blocks& blocks, const nb::object& function) {
  Blocks made = blocks;
  made.source = Source([source = blocks.source, kept = keep_alive(function)]() -> Source::Next {
    return [next = source.open(), kept, before = std::int64_t{0}]() mutable -> std::optional<Dataset> {
      auto block = next();
      if (!block) return block;
      const std::int64_t steps = block->steps();
      Columns columns;
      {
        const nb::gil_scoped_acquire locked;
        const nb::handle ask(static_cast<PyObject*>(const_cast<void*>(kept.get())));
        const nb::object answer = ask(Logs{.data = *block}, before);
        columns = exchanged(block->columns(), nb::cast<nb::dict>(answer));
      }
      before += steps;
      return Dataset(std::move(columns));
    };
  });
  return made;
}

template <class Some>
std::vector<std::string> values_of(const std::string& path, const std::string& column, const nb::dict& options,
                                   const Some& episodes) {
  return without_lock([&, how = read_options(options)] { return values_by_episode(path, column, how, episodes); });
}

}  // namespace

Logs Blocks::first() const {
  return {.data = *source.open()(), .summary = summary, .findings = findings};
}

void bind_blocks(nb::module_& m) {
  nb::class_<Blocks>(m, "Blocks", "Logged episodes that memory does not hold.")
      .def("first", [](const Blocks& blocks) { return without_lock([&] { return blocks.first(); }); })
      .def(
          "with_policy_of",
          [](const Blocks& blocks, const std::string& path) {
            Blocks made = blocks;
            made.source = without_lock([&] { return with_target(blocks.source, read_policy(path)); });
            return made;
          },
          nb::arg("path"), "The same episodes with the target policy of a file.")
      .def("with_columns_of", &with_columns_of, nb::arg("function"));
  m.def("load", &load, nb::arg("path"), nb::arg("options"), nb::arg("memory").none(), nb::arg("estimators").none(),
        nb::sig(
            "def load(path: str, options: dict, memory: int | None, estimators: collections.abc.Sequence[str] | None) "
            "-> Logs | Blocks"));
  m.def("load_stream", &load_stream, nb::arg("capsule"), nb::arg("name"), nb::arg("options"), nb::arg("memory").none(),
        nb::sig("def load_stream(capsule: object, name: str, options: dict, memory: int | None) -> Logs | Blocks"));
  m.def(
      "values_by_episode",
      [](const std::string& path, const std::string& column, const nb::dict& options, const Logs& logs) {
        return values_of(path, column, options, logs.data);
      },
      nb::arg("path"), nb::arg("column"), nb::arg("options"), nb::arg("logs"));
  m.def(
      "values_by_episode",
      [](const std::string& path, const std::string& column, const nb::dict& options, const Blocks& blocks) {
        return values_of(path, column, options, blocks.source);
      },
      nb::arg("path"), nb::arg("column"), nb::arg("options"), nb::arg("logs"),
      "The value of a column in the first row of every episode.");
  m.def(
      "parse_size", [](const std::string& text) { return parse_size(text); }, nb::arg("text"));
  m.attr("size_rule") = size_rule;
}

}  // namespace starope::python
