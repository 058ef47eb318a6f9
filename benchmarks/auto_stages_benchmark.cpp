// `auto` stage by stage, on simulated CartPole logs, one thread: what each costs, and as a share of the multiply-adds
// that the core could have done in that time. The numbers of multiply-adds are those of the formulas in
// docs/auto-math.md, done one by one. What the program leaves out (distances that cannot decide, cells that nothing
// leads to, steps that few numbers describe) counts as done, so that a share can exceed 1.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <vector>

#include "limits.hpp"
#include "starope/auto/action_model.hpp"
#include "starope/auto/bag_features.hpp"
#include "starope/auto/ladder.hpp"
#include "starope/auto/pooled_scores.hpp"
#include "starope/auto/pooled_tables.hpp"
#include "starope/auto/wave_family.hpp"
#include "starope/domains.hpp"
#include "starope/estimators.hpp"

namespace starope {
namespace {

const Threads alone{1};

// Everything that a stage takes from those before it.
struct Logs {
  explicit Logs(Problem given)
      : problem(std::move(given)),
        features(bag_features(problem, alone)),
        bag(make_bag(features, problem, {.ladder = default_ladder(problem.steps())}, alone)),
        episodes(problem.episodes()) {
    std::iota(episodes.begin(), episodes.end(), std::int64_t{0});
  }

  double steps() const { return static_cast<double>(problem.steps()); }
  double horizon() const { return static_cast<double>(problem.horizon()->steps()); }

  Problem problem;
  BagFeatures features;
  Bag bag;
  std::vector<std::int64_t> episodes;
};

const Logs& logs(std::int64_t episodes) {
  static std::map<std::int64_t, Logs> made;
  const auto found = made.find(episodes);
  if (found != made.end()) return found->second;
  const std::vector<domains::NamedDomain> worlds = domains::builtin_domains();
  const domains::NamedDomain& cartpole = domains::find_domain(worlds, "cartpole");
  const Dataset data = cartpole.simulate(cartpole.behavior, cartpole.target, {.episodes = episodes, .seed = Seed{1}});
  return made.try_emplace(episodes, make_problem(data, ProblemOptions{.horizon = cartpole.horizon})).first->second;
}

void finish(benchmark::State& state, const Logs& of, double multiply_adds) {
  state.SetItemsProcessed(state.iterations() * of.problem.steps());
  if (multiply_adds > 0.0) limits::report_multiply_adds(state, multiply_adds);
}

void whole(benchmark::State& state) {
  const Logs& of = logs(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(estimate(Auto{}, of.problem, {.threads = alone}).value);
  finish(state, of, 0.0);
}

void features(benchmark::State& state) {
  const Logs& of = logs(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(bag_features(of.problem, alone));
  finish(state, of, 0.0);
}

// Seven iterations on a sample of states, then a label for every state: distances to all centroids.
void cells(benchmark::State& state) {
  const Logs& of = logs(state.range(0));
  const std::vector<std::int64_t> ladder = default_ladder(of.problem.steps());
  for (auto _ : state) benchmark::DoNotOptimize(make_bag(of.features, of.problem, {.ladder = ladder}, alone));
  double distances = 0.0;
  for (const std::int64_t clusters : ladder) {
    const auto k = static_cast<double>(clusters);
    distances +=
        static_cast<double>(of.bag.seeds) * k * (7.0 * std::min(of.steps(), std::max(3000.0, 20.0 * k)) + of.steps());
  }
  finish(state, of, distances * static_cast<double>(of.features.dimension));
}

// Counts, and both recursions over the horizon: a dense product with a matrix of moves for each step.
void processes(benchmark::State& state) {
  const Logs& of = logs(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(pooled_tables(of.bag, of.problem, of.episodes, alone));
  double products = 0.0;
  for (const Labels& member : of.bag.members)
    products += static_cast<double>(member.cells) * static_cast<double>(member.cells);
  finish(state, of, 2.0 * of.horizon() * products);
}

// A score sums values and occupancies over the members, for every state and step of the horizon, and multiplies them.
void scores_of_cells(benchmark::State& state) {
  const Logs& of = logs(state.range(0));
  const PooledTables tables = pooled_tables(of.bag, of.problem, of.episodes, alone);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        pooled_scores(of.bag, tables, of.problem, of.episodes, Coalitions::nested_and_seeds, alone));
  }
  const auto coalitions = static_cast<double>(of.bag.levels() + of.bag.seeds);
  finish(state, of, of.steps() * of.horizon() * (2.0 * static_cast<double>(of.bag.members.size()) + coalitions));
}

// Angles, and a cosine of 16 multiplications and additions each: the functions of one draw at all states.
void waves(benchmark::State& state) {
  const Logs& of = logs(state.range(0));
  const WaveRows rows(draw_waves(of.features, of.problem, {.draws = 1}), of.features, alone);
  std::vector<std::int64_t> all(static_cast<std::size_t>(of.problem.steps()));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  RowMatrix block;
  for (auto _ : state) {
    constexpr std::size_t together = 112;
    for (std::size_t first = 0; first < all.size(); first += together) {
      rows.evaluate(0, std::span(all).subspan(first, std::min(together, all.size() - first)), block);
      benchmark::DoNotOptimize(block.data());
    }
  }
  const WaveBasis& basis = rows.basis(0);
  finish(state, of, of.steps() * static_cast<double>(basis.waves()) * (static_cast<double>(basis.features()) + 16.0));
}

// Two matrices of products of functions, one of them symmetric.
void sums_of_waves(benchmark::State& state) {
  const Logs& of = logs(state.range(0));
  const WaveRows rows(draw_waves(of.features, of.problem, {.draws = 1}), of.features, alone);
  for (auto _ : state) benchmark::DoNotOptimize(wave_sums(rows, 0, of.problem, of.episodes).weight);
  const auto d = static_cast<double>(rows.columns());
  finish(state, of, 1.5 * of.steps() * d * d);
}

void solve_waves(benchmark::State& state) {
  const Logs& of = logs(state.range(0));
  const WaveRows rows(draw_waves(of.features, of.problem, {.draws = 1}), of.features, alone);
  const WaveSums sums = wave_sums(rows, 0, of.problem, of.episodes);
  for (auto _ : state) benchmark::DoNotOptimize(solve(sums, {.horizon = of.problem.horizon()->steps()}).values);
  const auto d = static_cast<double>(rows.columns());
  // A factor; values: a product and a solution for each step (the horizon is shorter than d); occupancies: one inverse
  // times the moves, and a product for each step.
  finish(state, of, d * d * d / 6.0 + d * d * d + 3.0 * of.horizon() * d * d);
}

// Knees, and matrices whose entries of other actions are zero.
void sums_of_actions(benchmark::State& state) {
  const Logs& of = logs(state.range(0));
  const ActionRows rows(draw_actions(of.features, of.problem, {.draws = 1}), of.features, of.problem);
  for (auto _ : state) benchmark::DoNotOptimize(action_sums(rows, 0, of.problem, of.episodes).weight);
  const ActionBasis& basis = rows.basis(0);
  const auto inputs = static_cast<double>(basis.center.size()), own = static_cast<double>(basis.own);
  const auto here = static_cast<double>(basis.columns()) + own;
  finish(state, of,
         of.steps() * (inputs * static_cast<double>(basis.knees()) + 0.5 * here * here +
                       here * static_cast<double>(basis.coefficients())));
}

void solve_actions(benchmark::State& state) {
  const Logs& of = logs(state.range(0));
  const ActionRows rows(draw_actions(of.features, of.problem, {.draws = 1}), of.features, of.problem);
  const ActionSums sums = action_sums(rows, 0, of.problem, of.episodes);
  for (auto _ : state)
    benchmark::DoNotOptimize(solve(sums, ActionSolve{.horizon = of.problem.horizon()->steps()}).values);
  const auto d = static_cast<double>(rows.basis(0).coefficients());
  finish(state, of, d * d * d / 6.0 + 2.0 * of.horizon() * d * d);
}

#define STAROPE_STAGE(name) \
  BENCHMARK(name)->ArgName("episodes")->Arg(1000)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()
STAROPE_STAGE(whole);
STAROPE_STAGE(features);
STAROPE_STAGE(cells);
STAROPE_STAGE(processes);
STAROPE_STAGE(scores_of_cells);
STAROPE_STAGE(waves);
STAROPE_STAGE(sums_of_waves);
STAROPE_STAGE(solve_waves);
STAROPE_STAGE(sums_of_actions);
STAROPE_STAGE(solve_actions);

}  // namespace
}  // namespace starope
