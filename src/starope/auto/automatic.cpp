#include "starope/auto/automatic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "starope/auto/auto_fold.hpp"
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
  // Ends by the clock are no ends of the process: it goes on in both.
  if (fit.horizon.assumed && !fit.ends.mislead())
    fit.beyond = longer_than_logged(fitted.problem, finest_states(cells.bag));
  std::vector<Labels> groups(cells.bag.members.begin(),
                             cells.bag.members.begin() + static_cast<std::ptrdiff_t>(cells.bag.levels()));
  if (!cells.bag.point_of_row.empty())
    groups.push_back(
        {.cells = cells.bag.points, .of_row = {cells.bag.point_of_row.begin(), cells.bag.point_of_row.end()}});
  fit.cuts = find_unmarked_cuts(fitted.problem, groups);
  fit.plain_of_level = cells.plain_of_level;
  fit.by_levels = cells.by_levels;
  fit.by_seed = cells.by_seed;
}

// Either the process ended, or it went on unseen: the logs do not tell, so the interval has to hold both answers.
void doubt_ends(AutoFit& fit, const FittedFamilies& if_cut) {
  CrossEvidence evidence = if_cut.evidence;
  evidence.history = fit.evidence.history;
  fit.if_cut = weigh(if_cut.scores, evidence).value;
  const double apart = *fit.if_cut - fit.answer.value;
  fit.answer.errors.doubts += apart * apart;
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

AutoHorizon auto_horizon(const SeenLogs& logs, std::optional<Horizon> asked) {
  if (asked) {
    const bool all_end_together = logs.cut.episodes == 0 && logs.survey.episodes >= enough_episodes &&
                                  logs.survey.steps == logs.survey.episodes * logs.survey.longest;
    return {.steps = all_end_together ? logs.survey.longest : asked->steps(), .assumed = false};
  }
  if (logs.cut.episodes == 0) return {.steps = logs.survey.longest, .assumed = true};
  if (!logs.cut.common) {
    throw InvalidArgument(
        "auto needs a horizon: the truncated episodes have different lengths, so none can be inferred. Give --horizon "
        "H, the number of steps that count");
  }
  return {.steps = *logs.cut.common, .assumed = false};
}

AutoHorizon auto_horizon(const Problem& problem) {
  return auto_horizon(seen_logs(problem), problem.horizon());
}

AutoFit weigh_families(const Auto& automatic, const Problem& problem, const AutoHorizon& horizon,
                       const EstimateOptions& options, std::optional<FamilyModels>* models) {
  check(automatic, problem);
  AutoFit result;
  result.seeds = automatic.seeds;
  result.horizon = horizon;
  refuse_far_horizon(automatic, problem, horizon.steps);
  FamilyOptions wanted{.ladder = automatic.ladder,
                       .seeds = automatic.seeds,
                       .history = automatic.history,
                       .seed = automatic.seed,
                       .threads = options.threads,
                       .keep_models = models != nullptr};
  const Problem asked = problem.with_horizon(Horizon{horizon.steps});
  FittedFamilies fitted = fit_families(asked, wanted);
  result.ends = fitted.ends;
  result.curve = fitted.curve;
  result.evidence = fitted.evidence;
  result.evidence.history = automatic.history;
  result.answer = weigh(fitted.scores, result.evidence);
  describe_cells(result, fitted);
  if (models != nullptr) *models = std::move(fitted.models);
  if (result.cuts.suspected && automatic.ends == Ends::tested) {
    wanted.keep_models = false;
    doubt_ends(result, fit_families(with_ends(asked, result.cuts.ends), wanted));
  }
  return result;
}

void report(AutoFit& fit, const Auto& automatic, const Problem& problem) {
  fit.estimate.details = auto_details(fit);
  fit.estimate.families = auto_families(fit.answer);
  fit.estimate.findings = auto_findings(fit, automatic, problem);
}

AutoFit fit(const Auto& automatic, const Problem& problem, const EstimateOptions& options) {
  AutoFit result = weigh_families(automatic, problem, auto_horizon(problem), options, nullptr);
  const Problem seen = without_misleading_ends(problem.with_horizon(Horizon{result.horizon.steps}), result.ends);
  finish(result, seen, options.threads);
  limit_to_possible_values(result, seen);
  report(result, automatic, seen);
  return result;
}

Estimate estimate(const Auto& automatic, const Problem& problem, const EstimateOptions& options) {
  if (!AutoSample{}.takes_all(problem.steps())) return estimate_on_sample(automatic, problem, options);
  return fit(automatic, problem, options).estimate;
}

}  // namespace starope
