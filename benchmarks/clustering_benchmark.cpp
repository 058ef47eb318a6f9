// What k-means and labeling cost per point, and as a share of the multiply-adds that the machine can do: a distance to
// every centroid takes d of them. Both leave out distances that cannot decide, so the share may exceed 1.
// benchmarks/peers.py compares with other libraries.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "limits.hpp"
#include "starope/clustering/lloyd.hpp"
#include "starope/clustering/nearest.hpp"
#include "starope/rng/random.hpp"

namespace {

using namespace starope;

std::vector<double> normal_numbers(std::int64_t count, std::uint64_t item) {
  Random random(Seed{1}, Stream::test_data, item);
  std::vector<double> numbers(count);
  for (double& x : numbers) x = random.normal();
  return numbers;
}

// As many points as 10,000 CartPole episodes have, or fewer if they are wide.
std::int64_t count_for(std::int64_t dimension) {
  return dimension <= 16 ? 220'000 : 20'000;
}

// `points`: labeled in one run of the loop.
void report_time_per_point(benchmark::State& state, std::int64_t points) {
  state.counters["per_point"] = benchmark::Counter(
      static_cast<double>(points), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// Time per point and iteration of Lloyd's algorithm: labels, sums, inertia, new centroids.
void lloyd_iteration(benchmark::State& state) {
  const std::int64_t d = state.range(0), clusters = state.range(1);
  constexpr int iterations = 10;
  const std::vector<double> values = normal_numbers(count_for(d) * d, 0);
  const Points points{.dimension = d, .values = values};
  const auto first = points.rows(0, clusters);
  const std::vector<double> start(first.begin(), first.end());
  const LloydOptions options{
      .max_iterations = iterations, .tolerance = 0.0, .threads = Threads{static_cast<int>(state.range(2))}};
  for (auto _ : state) benchmark::DoNotOptimize(lloyd(points, start, options));
  report_time_per_point(state, points.count() * iterations);
  limits::report_multiply_adds(state, static_cast<double>(points.count() * iterations * clusters * d));
}
BENCHMARK(lloyd_iteration)
    ->ArgsProduct({{4}, {8, 32, 128}, {1, 2}})
    ->ArgsProduct({{47, 400}, {32, 128}, {1, 2}})
    ->ArgNames({"d", "k", "threads"})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();

// Time per point of labeling with given centroids.
void label_points(benchmark::State& state) {
  const std::int64_t d = state.range(0), clusters = state.range(1);
  const std::vector<double> values = normal_numbers(count_for(d) * d, 0), centroids = normal_numbers(clusters * d, 1);
  const Points points{.dimension = d, .values = values};
  const NearestCentroid nearest(centroids, d);
  const Threads threads{static_cast<int>(state.range(2))};
  for (auto _ : state) benchmark::DoNotOptimize(nearest_labels(points, nearest, threads));
  report_time_per_point(state, points.count());
  limits::report_multiply_adds(state, static_cast<double>(points.count() * clusters * d));
}
BENCHMARK(label_points)
    ->ArgsProduct({{4}, {8, 32, 128}, {1, 2}})
    ->ArgsProduct({{1, 2, 47, 400}, {32, 128}, {1}})
    ->ArgNames({"d", "k", "threads"})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();

// The slow side: every centroid exists twice, so the quick look decides nothing.
void label_ties(benchmark::State& state) {
  const std::int64_t d = state.range(0), clusters = state.range(1);
  std::vector<double> centroids = normal_numbers(clusters / 2 * d, 1);
  const std::vector<double> twice = centroids;
  centroids.insert(centroids.end(), twice.begin(), twice.end());  // every centroid has an equal
  const std::vector<double> values = normal_numbers(count_for(d) * d, 0);
  const Points points{.dimension = d, .values = values};
  const NearestCentroid nearest(centroids, d);
  for (auto _ : state) benchmark::DoNotOptimize(nearest_labels(points, nearest, Threads{1}));
  report_time_per_point(state, points.count());
}
BENCHMARK(label_ties)
    ->ArgsProduct({{4}, {8, 32, 128}})
    ->ArgNames({"d", "k"})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();

}  // namespace
