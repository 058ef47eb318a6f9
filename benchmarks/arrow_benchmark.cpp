// Logs that another library holds as Arrow columns, as a data set: one chunk, whose columns the core borrows where they
// lie as it wants them, and several chunks, which it copies. Bytes are those of the columns, as a share of what the
// core reads in order.

#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "limits.hpp"
#include "starope/data.hpp"
#include "starope/io.hpp"
#include "starope/io/arrow_array.hpp"
#include "starope/rng/random.hpp"

namespace {

using namespace starope;

constexpr std::int64_t steps = 1'000'000, episode_length = 50;

// Numbers of one column, as a library keeps them.
struct Kept {
  std::string name, format;
  std::vector<double> numbers{};
  std::vector<std::int64_t> integers{};

  const void* data() const { return integers.empty() ? static_cast<const void*>(numbers.data()) : integers.data(); }
  double bytes() const { return 8.0 * static_cast<double>(numbers.size() + integers.size()); }
};

const std::vector<Kept>& columns() {
  static const std::vector<Kept> made = [] {
    Random random(Seed{1}, Stream::test_data, 0);
    std::vector<Kept> all;
    for (const char* name : {"episode", "action"}) all.push_back({.name = name, .format = "l"});
    for (const char* name : {"state_0", "state_1", "state_2", "state_3", "reward", "behavior_prob", "target_prob"})
      all.push_back({.name = name, .format = "g"});
    for (std::int64_t i = 0; i < steps; ++i) {
      all[0].integers.push_back(i / episode_length);
      all[1].integers.push_back(static_cast<std::int64_t>(random.below(2)));
      for (std::size_t c = 2; c < 7; ++c) all[c].numbers.push_back(random.normal());
      for (std::size_t c = 7; c < 9; ++c) all[c].numbers.push_back(0.25 + 0.5 * random.uniform());
    }
    return all;
  }();
  return made;
}

double bytes() {
  double all = 0.0;
  for (const Kept& column : columns()) all += column.bytes();
  return all;
}

// A stream over them that copies nothing: pointers, and names that outlive it.
class Lender {
 public:
  explicit Lender(std::int64_t chunks) : chunks_(chunks) {
    for (const Kept& column : columns()) buffers_.push_back({nullptr, column.data()});
  }

  ArrowArrayStream stream() {
    ArrowArrayStream made{};
    made.private_data = this;
    made.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
      static_cast<Lender*>(self->private_data)->schema(*out);
      return 0;
    };
    made.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
      static_cast<Lender*>(self->private_data)->next(*out);
      return 0;
    };
    made.get_last_error = [](ArrowArrayStream*) -> const char* { return ""; };
    made.release = [](ArrowArrayStream* self) { self->release = nullptr; };
    return made;
  }

 private:
  template <class Struct>
  static void forget(Struct* self) {
    for (std::int64_t i = 0; i < self->n_children; ++i) {
      if (self->children[i]->release != nullptr) self->children[i]->release(self->children[i]);
    }
    self->release = nullptr;
  }

  void schema(ArrowSchema& out) {
    schemas_.assign(columns().size(), ArrowSchema{});
    schema_pointers_.clear();
    for (std::size_t c = 0; c < schemas_.size(); ++c) {
      schemas_[c].format = columns()[c].format.c_str();
      schemas_[c].name = columns()[c].name.c_str();
      schemas_[c].release = &forget<ArrowSchema>;
      schema_pointers_.push_back(&schemas_[c]);
    }
    out = ArrowSchema{};
    out.format = "+s";
    out.name = "";
    out.n_children = static_cast<std::int64_t>(schemas_.size());
    out.children = schema_pointers_.data();
    out.release = &forget<ArrowSchema>;
  }

  // Arrays of different chunks live at the same time, so each has its own place.
  struct Chunk {
    std::vector<ArrowArray> children{};
    std::vector<ArrowArray*> pointers{};
  };

  void next(ArrowArray& out) {
    out = ArrowArray{};
    if (given_ == chunks_) return;
    const std::int64_t rows = steps / chunks_;
    auto& chunk = places_.emplace_back(std::make_unique<Chunk>());
    chunk->children.assign(columns().size(), ArrowArray{});
    for (std::size_t c = 0; c < chunk->children.size(); ++c) {
      ArrowArray& child = chunk->children[c];
      child.length = rows;
      child.offset = given_ * rows;
      child.n_buffers = 2;
      child.buffers = buffers_[c].data();
      child.release = &forget<ArrowArray>;
      chunk->pointers.push_back(&child);
    }
    out.length = rows;
    out.n_buffers = 1;
    out.buffers = nothing_.data();
    out.n_children = static_cast<std::int64_t>(chunk->children.size());
    out.children = chunk->pointers.data();
    out.release = &forget<ArrowArray>;
    ++given_;
  }

  std::int64_t chunks_, given_ = 0;
  std::vector<std::array<const void*, 2>> buffers_{};
  std::array<const void*, 1> nothing_{nullptr};
  std::vector<ArrowSchema> schemas_{};
  std::vector<ArrowSchema*> schema_pointers_{};
  std::vector<std::unique_ptr<Chunk>> places_{};
};

void arrow_read(benchmark::State& state) {
  columns();
  for (auto _ : state) {
    Lender lender(state.range(0));
    ArrowArrayStream stream = lender.stream();
    const Dataset data = io::read(&stream, "table", {.threads = Threads{1}}).data;
    benchmark::DoNotOptimize(data.steps());
  }
  state.SetItemsProcessed(state.iterations() * steps);
  limits::report_bytes(state, bytes());
}
BENCHMARK(arrow_read)->ArgName("chunks")->Arg(1)->Arg(20)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();

}  // namespace
