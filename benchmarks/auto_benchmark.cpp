// `auto` with all its families on simulated CartPole logs, beside star on the same logs: time per step as a multiple of
// star's, and bytes that each needs on top of the logs, per step. Both in one run, so that only ratios matter.

#include <benchmark/benchmark.h>

#include <fstream>
#include <map>
#include <string>

#include "starope/domains.hpp"
#include "starope/estimators.hpp"

namespace starope {
namespace {

// What the process holds, or has held at most since reset_peak(), in bytes; 0 where the system does not say.
double memory(const std::string& which) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kilobytes = 0.0;
    if (word == which && status >> kilobytes) return 1024.0 * kilobytes;
  }
  return 0.0;
}
void reset_peak() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

const Problem& logs(std::int64_t episodes) {
  static std::map<std::int64_t, Problem> made;
  const auto found = made.find(episodes);
  if (found != made.end()) return found->second;
  const std::vector<domains::NamedDomain> worlds = domains::builtin_domains();
  const domains::NamedDomain& cartpole = domains::find_domain(worlds, "cartpole");
  const Dataset data = cartpole.simulate(cartpole.behavior, cartpole.target,
                                         {.episodes = episodes, .seed = Seed{1}, .distributions = false});
  return made.emplace(episodes, make_problem(data, ProblemOptions{.horizon = cartpole.horizon})).first->second;
}

void answer(benchmark::State& state, const Estimator& estimator) {
  const Problem& problem = logs(state.range(0));
  const EstimateOptions options{.threads = Threads{static_cast<int>(state.range(1))}};
  double extra = 0.0;
  for (auto _ : state) {
    reset_peak();
    const double before = memory("VmRSS:");
    benchmark::DoNotOptimize(estimate(estimator, problem, options).value);
    extra = memory("VmHWM:") - before;
  }
  const auto steps = static_cast<double>(problem.steps());
  state.SetItemsProcessed(state.iterations() * problem.steps());
  state.counters["bytes_per_step"] = extra / steps;
  state.counters["steps"] = steps;
}

void automatic(benchmark::State& state) {
  answer(state, Auto{});
}
void star(benchmark::State& state) {
  answer(state, Star{.phi = Clusters{.clusters = 32}, .clip = Clip::last(2)});
}

// Episodes, threads.
BENCHMARK(star)->Args({1000, 1})->Args({10000, 1})->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();
BENCHMARK(automatic)
    ->Args({100, 1})
    ->Args({1000, 1})
    ->Args({10000, 1})
    ->Args({100000, 2})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();

}  // namespace
}  // namespace starope
