// What a bootstrap of one star costs, in folds: the same logs counted once, with the same cells and ratios, in the same
// run. CartPole, 32 cells, 2 ratios, one thread. `folds` is the cost of all replicates; `horizon` 0 means none, and
// with `narrow` the program takes vectors of 256 bits where it has wider ones.

#include <benchmark/benchmark.h>
#include <hwy/targets.h>

#include <algorithm>
#include <variant>
#include <vector>

#include "limits.hpp"
#include "starope/arp/arp_statistic.hpp"
#include "starope/domains.hpp"
#include "starope/estimators/star.hpp"
#include "starope/fold/fold.hpp"
#include "starope/inference/star_replicates.hpp"
#include "starope/starope.hpp"

namespace starope {
namespace {

Problem cartpole(std::int64_t episodes, std::int64_t horizon) {
  const std::vector<domains::NamedDomain> worlds = domains::builtin_domains();
  const domains::NamedDomain& world = domains::find_domain(worlds, "cartpole");
  ProblemOptions question;
  if (horizon > 0) question.horizon = Horizon{horizon};
  return make_problem(world.simulate(world.behavior, world.target, {.episodes = episodes, .seed = Seed{1}}), question);
}

double median(std::vector<double> numbers) {
  std::nth_element(numbers.begin(), numbers.begin() + numbers.size() / 2, numbers.end());
  return numbers[numbers.size() / 2];
}

// As if the processor had no wider vectors, as long as it lives.
class Narrow {
 public:
  explicit Narrow(bool wanted) : wanted_(wanted) {
    if (wanted_) choose(hwy::SupportedTargets() & ~(HWY_AVX3 | HWY_AVX3_DL));
  }
  Narrow(const Narrow&) = delete;
  Narrow& operator=(const Narrow&) = delete;
  ~Narrow() {
    if (wanted_) choose(0);
  }

 private:
  static void choose(std::int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
  bool wanted_;
};

void replicates_of_star(benchmark::State& state) {
  const Narrow narrow(state.range(3) != 0);
  const Problem problem = cartpole(state.range(0), state.range(2));
  const Star star = std::get<Star>(parse_estimators("star(clusters=32,clip=2)").at(0).estimator);
  const StarFit fitted = fit(star, problem, {.threads = Threads{1}});
  const ArpFold recipe(fitted.labels, problem, {.clip = star.clip});
  const ReplicateOptions options{.replicates = state.range(1), .threads = Threads{1}};
  std::vector<double> all, one;
  for (auto _ : state) {
    const double start = limits::processor_seconds();
    benchmark::DoNotOptimize(replicates(star, fitted, problem, options));
    const double between = limits::processor_seconds();
    constexpr int folds = 20;
    for (int i = 0; i < folds; ++i) benchmark::DoNotOptimize(fold(recipe, problem, {.threads = Threads{1}}));
    all.push_back(between - start);
    one.push_back((limits::processor_seconds() - between) / folds);
    state.SetIterationTime(all.back());
  }
  state.counters["folds"] = median(all) / median(one);
  state.counters["fold_ns_per_step"] = 1e9 * median(one) / static_cast<double>(problem.steps());
}
BENCHMARK(replicates_of_star)
    ->ArgNames({"episodes", "replicates", "horizon", "narrow"})
    ->ArgsProduct({{1000, 10000}, {1000}, {0}, {0, 1}})
    ->ArgsProduct({{1000, 10000}, {1000}, {200}, {0, 1}})
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime();

}  // namespace
}  // namespace starope
