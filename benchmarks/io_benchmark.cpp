// How fast logged episodes come in and go out, in bytes of CSV per second, and as a share of the bytes that one core
// reads in order (limits.hpp). The files are made once per run in the temporary directory and stay in the page cache,
// so this measures parsing and not the disk.
//
//   starope_io_benchmark --benchmark_counters_tabular=true
//
// For a comparison with another reader on the very same files: STAROPE_KEEP_FILES=1 leaves them in place.

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "limits.hpp"
#include "starope/data.hpp"
#include "starope/io.hpp"
#include "starope/io/csv_reader.hpp"
#include "starope/rng/random.hpp"

namespace {

using namespace starope;

enum Shape : std::int64_t {
  cartpole,  // 4 features with all their digits, 2 actions
  asterix,   // 200 features that are 0 or 1, 5 actions
  sepsis,    // a discrete state, 25 actions with both full distributions
};
constexpr const char* shape_names[] = {"cartpole", "asterix", "sepsis"};

struct Size {
  std::int64_t steps, features;
  std::int32_t actions;
};
constexpr Size sizes[] = {{600'000, 4, 2}, {120'000, 200, 5}, {120'000, 0, 25}};  // about 50 to 110 MB each

Columns random_columns(Shape shape) {
  const Size size = sizes[shape];
  const std::int64_t length = 50;
  Random random(Seed{1}, Stream::test_data, static_cast<std::uint64_t>(shape));
  std::vector<std::int64_t> offsets{0}, ids;
  std::vector<double> features, rewards, logged[2], all[2];
  std::vector<std::int32_t> actions;
  std::vector<EpisodeEnd> ends;
  for (std::int64_t i = 0; i < size.steps; ++i) {
    if (shape == sepsis) ids.push_back(static_cast<std::int64_t>(random.below(716)));
    for (std::int64_t f = 0; f < size.features; ++f)
      features.push_back(shape == asterix ? static_cast<double>(random.below(10) == 0) : random.normal());
    actions.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(size.actions))));
    rewards.push_back(shape == cartpole ? 1.0 : random.normal());
    for (int who = 0; who < 2; ++who) {
      std::vector<double> p(size.actions);
      double sum = 0.0;
      for (double& x : p) sum += x = 0.01 + random.uniform();
      for (double& x : p) x /= sum;
      logged[who].push_back(p[actions.back()]);
      all[who].insert(all[who].end(), p.begin(), p.end());
    }
    if ((i + 1) % length == 0) {
      offsets.push_back(i + 1);
      ends.push_back(EpisodeEnd::terminated);
    }
  }
  Columns c;
  c.offsets = std::move(offsets);
  c.rewards = std::move(rewards);
  c.ends = std::move(ends);
  if (shape == sepsis) {
    c.states = make_discrete_states(ids);
  } else {
    c.states = DenseStates{.dimension = size.features, .values = std::move(features)};
  }
  c.actions = DiscreteActions{.id = std::move(actions), .count = size.actions};
  c.behavior = LoggedProbabilities{.values = std::move(logged[0])};
  c.target = LoggedProbabilities{.values = std::move(logged[1])};
  c.behavior_distribution = ActionProbabilities{.actions = size.actions, .values = std::move(all[0])};
  c.target_distribution = ActionProbabilities{.actions = size.actions, .values = std::move(all[1])};
  return c;
}

const Dataset& dataset(Shape shape) {
  static const Dataset all[] = {Dataset(random_columns(cartpole)), Dataset(random_columns(asterix)),
                                Dataset(random_columns(sepsis))};
  return all[shape];
}

// The files of this run; removed at its end.
class Files {
 public:
  Files() : folder_(std::filesystem::temp_directory_path() / ("starope-io-benchmark-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Files() {
    if (std::getenv("STAROPE_KEEP_FILES") == nullptr) std::filesystem::remove_all(folder_);
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  std::string path(Shape shape) {
    const std::filesystem::path file = folder_ / (std::string(shape_names[shape]) + ".csv");
    if (!std::filesystem::exists(file)) io::write_csv(dataset(shape), file);
    return file;
  }

 private:
  std::filesystem::path folder_;
};

Files& files() {
  static Files all;
  return all;
}

void finish(benchmark::State& state, Shape shape) {
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(files().path(shape)));
  state.SetBytesProcessed(state.iterations() * bytes);
  limits::report_bytes(state, static_cast<double>(bytes));
  state.SetItemsProcessed(state.iterations() * sizes[shape].steps);
  state.SetLabel(shape_names[shape]);
}

// csv_read: every column of the table, on 1 or 2 threads.
void csv_read(benchmark::State& state) {
  const auto shape = static_cast<Shape>(state.range(0));
  io::ReadOptions options;
  options.threads = Threads(static_cast<int>(state.range(1)));
  const std::string path = files().path(shape);
  for (auto _ : state) benchmark::DoNotOptimize(io::read_csv(path, options));
  finish(state, shape);
}
BENCHMARK(csv_read)
    ->ArgsProduct({{cartpole, asterix, sepsis}, {1, 2}})
    ->ArgNames({"file", "threads"})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();

// csv_read_needed: only what importance sampling needs; the other columns are skipped without being parsed.
void csv_read_needed(benchmark::State& state) {
  const auto shape = static_cast<Shape>(state.range(0));
  io::ReadOptions options;
  options.threads = Threads(1);
  options.need_state = false;
  options.state = {"t"};
  options.behavior_probs = "";
  options.target_probs = "";
  const std::string path = files().path(shape);
  for (auto _ : state) benchmark::DoNotOptimize(io::read_csv(path, options));
  finish(state, shape);
}
BENCHMARK(csv_read_needed)->ArgsProduct({{cartpole, asterix, sepsis}})->ArgName("file")->Unit(benchmark::kMillisecond);

// csv_write: the text only, to a sink that drops it.
void csv_write(benchmark::State& state) {
  const auto shape = static_cast<Shape>(state.range(0));
  const Dataset& data = dataset(shape);
  for (auto _ : state) {
    std::size_t bytes = 0;
    io::write_csv(data, io::TextSink([&](std::string_view piece) { bytes += piece.size(); }));
    benchmark::DoNotOptimize(bytes);
  }
  finish(state, shape);
}
BENCHMARK(csv_write)->ArgsProduct({{cartpole, asterix, sepsis}})->ArgName("file")->Unit(benchmark::kMillisecond);

}  // namespace
