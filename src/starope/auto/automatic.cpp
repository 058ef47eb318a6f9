#include "starope/auto/automatic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "starope/auto/auto_report.hpp"
#include "starope/auto/ladder.hpp"
#include "starope/base/text.hpp"
#include "starope/base/work.hpp"
#include "starope/error.hpp"
#include "starope/estimators/effective_size.hpp"
#include "starope/estimators/star.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

constexpr std::int64_t enough_episodes = 10;

void check(const Auto& automatic, const Problem& problem) {
  if (automatic.seeds < 1)
    throw InvalidArgument(fmt::format("auto: seeds must be at least 1, not {}", automatic.seeds));
  // The windows multiply three ratios.
  if (3.0 * problem.ratio_log2_bound() > 1000.0) {
    throw InvalidArgument(
        "auto: some importance ratios are so large or so small that the product of three leaves the range of numbers. "
        "Check the probabilities of the logged actions");
  }
}

// Every member has values at every step to the horizon.
void refuse_far_horizon(const Auto& automatic, const Problem& problem, std::int64_t horizon) {
  const std::int64_t steps = problem.steps();
  const std::vector<std::int64_t> ladder = automatic.ladder.empty() ? default_ladder(steps) : automatic.ladder;
  double cells = 0.0, moves = 0.0;
  for (const std::int64_t level : ladder) {
    const auto count = static_cast<double>(level);
    cells += count;
    moves += std::min(count * count, static_cast<double>(steps));
  }
  const double times = static_cast<double>(automatic.seeds) * static_cast<double>(horizon);
  refuse_absurd({.what = fmt::format("auto with {} and a horizon of {}", counted(automatic.seeds, "seed"),
                                     counted(horizon, "step")),
                 .operations = 4.0 * times * (moves + cells),
                 .bytes = 16.0 * times * cells,
                 .remedy = "Give a smaller horizon"});
}

// How the cells came about, without the cells.
void describe_cells(AutoFit& fit, const FittedFamilies& fitted) {
  const CellFamily& cells = fitted.cells;
  fit.ladder = cells.bag.ladder;
  fit.drift = cells.drift;
  if (cells.drift.significant) fit.finest = paired_shift(cells.scores.whole(), cells.scores.nested.front());
  fit.unsupported = cells.tables.unsupported;
  fit.plain_of_level = cells.plain_of_level;
  fit.by_levels = cells.by_levels;
  fit.by_seed = cells.by_seed;
}

void finish(AutoFit& fit, const Problem& problem, Threads threads) {
  Estimate& estimate = fit.estimate;
  estimate.value = fit.answer.value;
  estimate.influence = std::move(fit.answer.scores);
  fit.answer.scores.clear();
  for (double& s : estimate.influence) s -= fit.answer.value;
  fit.scores = effective_scores(estimate.influence);
  if (problem.episodes() > 1) estimate.std_error = std::sqrt(fit.answer.errors.total());
  estimate.ess = effective_episodes(problem, Clip::last(1), threads);
}

}  // namespace

AutoHorizon auto_horizon(const Problem& problem) {
  const TruncatedLengths cut = truncated_lengths(problem);
  if (problem.horizon()) {
    const bool all_end_together = cut.episodes == 0 && problem.episodes() >= enough_episodes &&
                                  problem.steps() == problem.episodes() * problem.longest();
    return {.steps = all_end_together ? problem.longest() : problem.horizon()->steps(), .assumed = false};
  }
  if (cut.episodes == 0) return {.steps = problem.longest(), .assumed = true};
  if (!cut.common) {
    throw InvalidArgument(
        "auto needs a horizon: the truncated episodes have different lengths, so none can be inferred. Give --horizon "
        "H, the number of steps that count");
  }
  return {.steps = *cut.common, .assumed = false};
}

AutoFit fit(const Auto& automatic, const Problem& whole, const EstimateOptions& options) {
  check(automatic, whole);
  AutoFit result;
  result.seeds = automatic.seeds;
  result.horizon = auto_horizon(whole);
  refuse_far_horizon(automatic, whole, result.horizon.steps);
  FittedFamilies fitted = fit_families(whole.with_horizon(Horizon{result.horizon.steps}), {.ladder = automatic.ladder,
                                                                                           .seeds = automatic.seeds,
                                                                                           .history = automatic.history,
                                                                                           .seed = automatic.seed,
                                                                                           .threads = options.threads});
  result.ends = fitted.ends;
  result.curve = fitted.curve;
  result.evidence = fitted.evidence;
  result.evidence.history = automatic.history;
  result.answer = weigh(fitted.scores, result.evidence);
  describe_cells(result, fitted);
  finish(result, fitted.problem, options.threads);
  limit_to_possible_values(result, fitted.problem);
  result.estimate.details = auto_details(result);
  result.estimate.families = auto_families(result.answer);
  result.estimate.findings = auto_findings(result, automatic, fitted.problem);
  return result;
}

Estimate estimate(const Auto& automatic, const Problem& problem, const EstimateOptions& options) {
  return fit(automatic, problem, options).estimate;
}

}  // namespace starope
