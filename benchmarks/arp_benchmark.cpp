// The fold of one (phi, clip) over labels, ratios and rewards in memory, beside a plain read of the same bytes.
// bytes_per_second of arp_fold over that of streaming_read is the share of the machine's bandwidth that the fold
// reaches; `of_bandwidth` says the same beside the best rate of a plain read in this run.

#include <benchmark/benchmark.h>

#include <numeric>

#include "limits.hpp"
#include "starope/arp/arp_statistic.hpp"
#include "starope/arp/influence.hpp"
#include "starope/arp/solve.hpp"
#include "starope/fold/fold.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

constexpr std::int64_t episodes = 400000;
constexpr std::int64_t length = 25;  // about CartPole's
constexpr std::int64_t steps = episodes * length;
constexpr std::int64_t bytes_per_step = sizeof(double) + sizeof(double) + sizeof(Label);

const Problem& logs() {
  static const Problem problem = [] {
    std::vector<std::int64_t> offsets;
    std::vector<double> target;
    for (std::int64_t i = 0; i <= episodes; ++i) offsets.push_back(i * length);
    for (std::int64_t i = 0; i < steps; ++i) {
      const std::uint64_t bits = random_bits(Seed{1}, Stream::test_data, static_cast<std::uint64_t>(i), 0);
      target.push_back(bits % 2 == 0 ? 0.9 : 0.1);
    }
    Columns c;
    c.offsets = std::move(offsets);
    c.rewards = std::vector<double>(steps, 1.0);
    c.ends = std::vector<EpisodeEnd>(episodes, EpisodeEnd::terminated);
    c.behavior = LoggedProbabilities{.values = std::vector<double>(steps, 0.5)};
    c.target = LoggedProbabilities{.values = std::move(target)};
    return make_problem(Dataset(std::move(c)));
  }();
  return problem;
}

// Labels that move to a neighboring cell or stay, as clustered states of a physical process do.
Labels labels_of(std::int64_t cells) {
  Labels labels{.cells = cells, .of_row = std::vector<Label>(steps)};
  std::int64_t z = 0;
  for (std::int64_t i = 0; i < steps; ++i) {
    z += static_cast<std::int64_t>(random_bits(Seed{2}, Stream::test_data, static_cast<std::uint64_t>(i), 0) % 3) - 1;
    z = (z + cells) % cells;
    labels.of_row[i] = static_cast<Label>(z);
  }
  return labels;
}

// Sums as many bytes as the fold reads, from arrays of the same kinds.
void streaming_read(benchmark::State& state) {
  const std::vector<double> a(steps, 1.0), b(static_cast<std::size_t>(steps), 2.0);
  const std::vector<Label> z(steps, 3);
  for (auto _ : state) {
    double sums[8] = {};
    std::uint64_t cells = 0;
    for (std::size_t i = 0; i + 8 <= a.size(); i += 8) {
      for (std::size_t j = 0; j < 8; ++j) {
        sums[j] += a[i + j] + b[i + j];
        cells += z[i + j];
      }
    }
    benchmark::DoNotOptimize(sums);
    benchmark::DoNotOptimize(cells);
  }
  state.SetItemsProcessed(state.iterations() * steps);
  state.SetBytesProcessed(state.iterations() * steps * bytes_per_step);
}
BENCHMARK(streaming_read)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();

void arp_fold(benchmark::State& state) {
  const Problem& problem = logs();
  const Labels labels = labels_of(state.range(0));
  const Clip clip = state.range(1) == 0 ? Clip::none() : Clip::last(state.range(1));
  const ArpFold recipe(labels, problem, {.clip = clip});
  const FoldOptions options{.threads = Threads{static_cast<int>(state.range(2))}};
  for (auto _ : state) benchmark::DoNotOptimize(fold(recipe, problem, options));
  state.SetItemsProcessed(state.iterations() * steps);
  state.SetBytesProcessed(state.iterations() * steps * bytes_per_step);
  limits::report_bytes(state, static_cast<double>(steps * bytes_per_step));
}
BENCHMARK(arp_fold)
    ->ArgNames({"cells", "clip", "threads"})
    ->ArgsProduct({{32}, {1, 2, 5, 0}, {1}})
    ->Args({128, 2, 1})
    ->Args({512, 2, 1})
    ->Args({32, 2, 2})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();

// A whole estimate from given labels: fold, solve, influence values.
void star_from_labels(benchmark::State& state) {
  const Problem& problem = logs();
  const Labels labels = labels_of(32);
  const ArpFold recipe(labels, problem, {.clip = Clip::last(2)});
  const FoldOptions options{.threads = Threads{1}};
  for (auto _ : state) {
    const ArpStatistic statistic = fold(recipe, problem, options);
    const ArpModel model = make_model(statistic);
    const ArpSolution solution = solve(model, problem.discount(), std::nullopt);
    benchmark::DoNotOptimize(influence_values(recipe, statistic, model, solution, problem, options));
  }
  state.SetItemsProcessed(state.iterations() * steps);
}
BENCHMARK(star_from_labels)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();

// The process solved: elimination takes cells^3 / 3 multiply-adds where every move was seen, as here.
void solve_process(benchmark::State& state) {
  const std::int64_t cells = state.range(0);
  const Problem& problem = logs();
  Labels labels{.cells = cells, .of_row = std::vector<Label>(steps)};
  for (std::int64_t i = 0; i < steps; ++i)
    labels.of_row[i] = static_cast<Label>(random_bits(Seed{3}, Stream::test_data, static_cast<std::uint64_t>(i), 0) %
                                          static_cast<std::uint64_t>(cells));
  const ArpFold recipe(labels, problem, {.clip = Clip::last(1)});
  const ArpModel model = make_model(fold(recipe, problem, {.threads = Threads{1}}));
  for (auto _ : state) benchmark::DoNotOptimize(solve(model, problem.discount(), std::nullopt));
  const auto k = static_cast<double>(cells);
  limits::report_multiply_adds(state, k * k * k / 3.0);
}
BENCHMARK(solve_process)->ArgName("cells")->Arg(32)->Arg(128)->Arg(512)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace starope
