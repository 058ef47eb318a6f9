#pragma once

// What the parts of the module share. The module is thin: it turns arrays, texts and dictionaries into what the headers
// of starope take, and back; names and checks for people are in python/starope.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "starope/data.hpp"
#include "starope/finding.hpp"
#include "starope/io.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope::python {

namespace nb = nanobind;

// Logged episodes with what their reader had to say.
struct Logs {
  Dataset data;
  io::ReadSummary summary{};
  std::vector<Finding> findings{};
  std::vector<std::int64_t> rows{};  // of the table, where steps are not where they were: for what stands beside it

  Logs with(Dataset other) const { return {.data = std::move(other), .summary = summary, .findings = findings}; }
};

// Logged episodes that memory does not hold.
struct Blocks {
  Source source;
  io::ReadSummary summary{};
  std::vector<Finding> findings{};
  std::int64_t needed = 0;  // bytes
  std::int64_t memory = 0;  // bytes that were allowed

  Logs first() const;  // some episodes, to see what columns there are
};

// Does work without the interpreter's lock, on a thread of its own, while the caller's listens: Ctrl-C ends the work
// soon, and progress is told to Python by the thread that called. Whatever Python code raises meanwhile ends it too.
class Listening {
 public:
  // Called by the work: its progress, as (done, total, what). The latest is told.
  using Tell = std::function<void(std::size_t, std::size_t, const std::string&)>;
  using Stop = std::function<bool()>;
  static void run(const nb::object& progress, const std::function<void(const Tell& tell, const Stop& stop)>& work);
};

// The same for work that neither tells nor asks: everything below parallel_for asks by itself.
template <class Work>
auto without_lock(const Work& work) {
  std::optional<decltype(work())> result;
  Listening::run(nb::none(), [&](const auto&, const auto&) { result.emplace(work()); });
  return std::move(*result);
}

// Keeps a Python object alive for a column that borrows its values; any thread may let go of it.
std::shared_ptr<const void> keep_alive(nb::handle object);

// A column of the values of an array of exactly this type: without a copy, and without a conversion.
template <class T>
Column<T> borrowed(nb::handle array) {
  const auto view = nb::cast<nb::ndarray<const T, nb::c_contig, nb::device::cpu>>(array, false);
  return Column<T>::borrow(view.data(), static_cast<std::int64_t>(view.size()), keep_alive(array));
}

// The values of a column as an array that cannot be changed and keeps them alive.
template <class T>
nb::object array_of(const Column<T>& column, std::optional<std::int64_t> width = {}) {
  auto owner = std::make_unique<Column<T>>(column);
  const T* data = owner->data();
  const nb::capsule keep(owner.get(), [](void* p) noexcept { delete static_cast<Column<T>*>(p); });
  owner.release();
  const auto size = static_cast<std::size_t>(column.size());
  static const T nothing{};
  if (data == nullptr) data = &nothing;
  if (!width) return nb::cast(nb::ndarray<nb::numpy, const T>(data, {size}, keep));
  const auto columns = static_cast<std::size_t>(*width);
  return nb::cast(nb::ndarray<nb::numpy, const T>(data, {columns == 0 ? 0 : size / columns, columns}, keep));
}

nb::bytes bytes_of(const Bytes& bytes);
std::span<const std::byte> span_of(const nb::bytes& bytes);
ProblemOptions question_of(double gamma, std::optional<std::int64_t> horizon);
Threads threads_of(std::optional<int> threads);
// The columns with those exchanged that are named in `changed`, and only these.
Columns exchanged(const Columns& columns, const nb::dict& changed);
io::ReadOptions read_options(const nb::dict& options);  // of tables: names of columns, kinds, sorting

void bind_auto_model(nb::module_& m);
void bind_blocks(nb::module_& m);
void bind_comparison(nb::module_& m);
void bind_errors(nb::module_& m);
void bind_logs(nb::module_& m);
void bind_evaluation(nb::module_& m);
void bind_registry(nb::module_& m);
void bind_shards(nb::module_& m);
void bind_statistics(nb::module_& m);
void bind_worlds(nb::module_& m);

}  // namespace starope::python
