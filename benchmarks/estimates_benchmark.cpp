// Whole estimates through the door, on simulated CartPole logs of 1,000 episodes, one thread: importance sampling,
// star, Q-functions, doubly robust estimators, a bootstrap, a look at the logs, and the simulator. As a share of what
// the core reads in order: bytes that the simulator must write, that a look at the logs must see once, and that a sum
// over episodes must see once (ratios and rewards).

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "limits.hpp"
#include "starope/domains.hpp"
#include "starope/starope.hpp"

namespace {

using namespace starope;

const domains::NamedDomain& cartpole() {
  static const std::vector<domains::NamedDomain> worlds = domains::builtin_domains();
  return domains::find_domain(worlds, "cartpole");
}

const Problem& logs() {
  static const Problem problem =
      make_problem(cartpole().simulate(cartpole().behavior, cartpole().target,
                                       {.episodes = 1000, .seed = Seed{1}, .distributions = true}),
                   ProblemOptions{.horizon = cartpole().horizon});
  return problem;
}

// Of a step in the logs: four features, a reward, both probabilities, an action.
constexpr double bytes_per_step = 8.0 * (4 + 1 + 2) + 4.0;

void simulate(benchmark::State& state) {
  std::int64_t steps = 0;
  for (auto _ : state) {
    const Dataset made =
        cartpole().simulate(cartpole().behavior, cartpole().target, {.episodes = 1000, .seed = Seed{1}});
    steps += made.steps();
  }
  state.SetItemsProcessed(steps);
  limits::report_bytes(state, bytes_per_step * static_cast<double>(steps) / static_cast<double>(state.iterations()));
}
BENCHMARK(simulate)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();

// What `inspect` and `evaluate` look for in logs before anything is estimated.
void look_at_logs(benchmark::State& state) {
  const Problem& problem = logs();
  for (auto _ : state) benchmark::DoNotOptimize(inspect(problem.data()));
  state.SetItemsProcessed(state.iterations() * problem.steps());
  limits::report_bytes(state, bytes_per_step * static_cast<double>(problem.steps()));
}
BENCHMARK(look_at_logs)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();

void estimate_by(benchmark::State& state, const std::string& text) {
  const Problem& problem = logs();
  const std::vector<NamedEstimator> named = parse_estimators(text);
  const EstimateOptions options{.threads = Threads{1}};
  for (auto _ : state) benchmark::DoNotOptimize(estimate(named.at(0).estimator, problem, options).value);
  state.SetItemsProcessed(state.iterations() * problem.steps());
  limits::report_bytes(state, 16.0 * static_cast<double>(problem.steps()));
}
#define STAROPE_ESTIMATE(name, text) \
  BENCHMARK_CAPTURE(estimate_by, name, text)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()
STAROPE_ESTIMATE(naive, "naive");
STAROPE_ESTIMATE(wpdis, "wpdis");
STAROPE_ESTIMATE(star, "star(clusters=32,clip=2)");
STAROPE_ESTIMATE(mb, "mb");
STAROPE_ESTIMATE(fqe, "fqe(features=rbf)");
STAROPE_ESTIMATE(qreg, "qreg");
STAROPE_ESTIMATE(dr, "dr(q=fqe(features=rbf))");
STAROPE_ESTIMATE(magic, "magic(q=fqe(features=rbf))");

// Replicates of one star: compare with estimate_by/star, which counts the logs once.
void bootstrap(benchmark::State& state) {
  const Problem& problem = logs();
  const std::vector<NamedEstimator> star = parse_estimators("star(clusters=32,clip=2)");
  EvaluateOptions options;
  options.interval = {.method = IntervalMethod::bootstrap_percentile, .replicates = state.range(0)};
  options.checks = false;
  options.threads = Threads{1};
  for (auto _ : state) benchmark::DoNotOptimize(evaluate(problem, star, options));
  state.SetItemsProcessed(state.iterations() * state.range(0) * problem.steps());
}
BENCHMARK(bootstrap)
    ->ArgName("replicates")
    ->Arg(100)
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();

}  // namespace
