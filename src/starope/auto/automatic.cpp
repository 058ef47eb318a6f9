#include "starope/auto/automatic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "starope/auto/auto_report.hpp"
#include "starope/auto/bag_features.hpp"
#include "starope/auto/diagonal.hpp"
#include "starope/auto/history_features.hpp"
#include "starope/auto/horizon_ends.hpp"
#include "starope/auto/indexed_scores.hpp"
#include "starope/auto/ladder.hpp"
#include "starope/auto/paired_shift.hpp"
#include "starope/auto/pooled_scores.hpp"
#include "starope/auto/windowed_scores.hpp"
#include "starope/base/text.hpp"
#include "starope/base/work.hpp"
#include "starope/error.hpp"
#include "starope/estimators/effective_size.hpp"
#include "starope/estimators/star.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

constexpr std::int64_t enough_episodes = 10;
constexpr std::size_t finest_levels = 2;
constexpr double clearly = 4.0;  // standard errors

// Everything that later stages share.
struct Stage {
  const Auto& automatic;
  Problem problem;  // with its horizon
  std::vector<std::int64_t> episodes;
  std::vector<std::int64_t> ladder;
  Threads threads;

  Bag bag(const BagFeatures& features, int seeds, std::uint32_t which) const {
    return make_bag(features, problem, {.ladder = ladder, .seeds = seeds, .seed = automatic.seed, .which = which},
                    threads);
  }
  int splits() const {
    if (problem.episodes() >= 5000) return 2;
    return problem.episodes() >= 400 ? 5 : 8;
  }
  std::vector<HalfSample> halves(const Bag& bag, Families families) const {
    return half_samples(bag, problem, {.splits = splits(), .families = families, .seed = automatic.seed}, threads);
  }
};

LateSteps late_steps(const Problem& problem, const std::vector<double>& mass_of_step) {
  std::vector<std::int64_t> reach(mass_of_step.size() + 1, 0);
  for (std::int64_t i = 0; i < problem.episodes(); ++i) ++reach[static_cast<std::size_t>(problem.episode(i).length())];
  // From "has exactly this length" to "is longer than k".
  std::int64_t longer = 0;
  double late = 0.0, all = 0.0;
  LateSteps result;
  for (std::size_t k = mass_of_step.size(); k-- > 0;) {
    longer += reach[k + 1];
    all += mass_of_step[k];
    if (longer >= enough_episodes) continue;
    late += mass_of_step[k];
    result.from = static_cast<std::int64_t>(k);
  }
  result.share = all > 0.0 ? late / all : 0.0;
  return result;
}

// Mean plain value of the members on each level, coarsest first.
std::vector<double> plain_by_level(const Bag& bag, const std::vector<double>& plain) {
  std::vector<double> means(bag.levels(), 0.0);
  for (std::size_t m = 0; m < plain.size(); ++m) {
    means[bag.levels() - 1 - m % bag.levels()] += plain[m] / static_cast<double>(bag.seeds);
  }
  return means;
}

double coupling_gap(double value, const std::vector<double>& plain_of_level) {
  double gap = 0.0;
  for (const double plain : plain_of_level) gap += std::abs(value - plain);
  return gap / static_cast<double>(plain_of_level.size());
}

std::vector<double> means(const std::vector<std::vector<double>>& scores) {
  std::vector<double> result;
  for (const auto& s : scores) result.push_back(moments(s).mean());
  return result;
}

void finish(AutoFit& fit, const std::vector<double>& scores, const Stage& stage) {
  Estimate& estimate = fit.estimate;
  estimate.value = moments(scores).mean();
  estimate.influence = scores;
  for (double& s : estimate.influence) s -= estimate.value;
  fit.scores = effective_scores(estimate.influence);
  if (scores.size() > 1) estimate.std_error = std::sqrt(fit.errors.total());
  estimate.ess = effective_episodes(stage.problem, Clip::last(1), stage.threads);
}

// Half of the seeds look at history.
Bag mixed_bag(const Stage& stage, const BagFeatures& features) {
  const int with = stage.automatic.seeds / 2;
  Bag bag = stage.bag(features, stage.automatic.seeds - with, 0);
  if (with == 0) return bag;
  Bag more = stage.bag(with_history(features, stage.problem), with, 1);
  bag.seeds += more.seeds;
  for (Labels& member : more.members) bag.members.push_back(std::move(member));
  bag.point_of_row.clear();  // the same state may have another history
  bag.points = 0;
  return bag;
}

// Coarse levels are there to be stable, not to be right: where the finest ones clearly disagree with the whole bag, it
// is the coarse ones that are off.
LadderDrift test_drift(const CoalitionScores& pooled) {
  if (pooled.nested.size() <= finest_levels) return {};
  const std::vector<double>& fine = pooled.nested[finest_levels - 1];
  const PairedShift shift = paired_shift(pooled.whole(), fine);
  return {.drift = shift.mean,
          .drift_se = shift.std_error,
          .significant = std::abs(shift.mean) > clearly * shift.std_error};
}

// The members on the finest levels alone.
Bag finest_of(Bag bag) {
  std::vector<Labels> kept;
  for (std::size_t m = 0; m < bag.members.size(); ++m) {
    if (m % bag.levels() < finest_levels) kept.push_back(std::move(bag.members[m]));
  }
  bag.ladder.erase(bag.ladder.begin(), bag.ladder.end() - static_cast<std::ptrdiff_t>(finest_levels));
  bag.members = std::move(kept);
  return bag;
}

// docs/auto-math.md 3.3: the state says enough.
void without_history(AutoFit& fit, const Stage& stage, const Bag& bag, const CoalitionScores& pooled) {
  const IndexedTables tables = indexed_tables(bag, stage.problem, stage.episodes, stage.threads);
  const CoalitionScores indexed = without_diagonal(
      indexed_scores(bag, tables, stage.problem, stage.episodes, Coalitions::nested_and_seeds, stage.threads), bag,
      tables.plain);
  FamilyMix mix = mix_families(pooled, indexed, stage.halves(bag, Families::both), fit.late.share);
  fit.errors = mix.errors;
  fit.errors.ladder = std::max(fit.errors.ladder, fit.drift.drift * fit.drift.drift);
  if (stage.episodes.size() > 1) fit.errors.history = fit.markov.unexplained();
  fit.by_levels = mix.by_levels;
  fit.by_seed = mix.by_seed;
  finish(fit, mix.scores, stage);
  fit.families = std::move(mix);
}

// docs/auto-math.md 3.4: state and last step, with a window of three ratios.
void with_windows(AutoFit& fit, const Stage& stage, const BagFeatures& features) {
  const Bag bag = stage.bag(with_history(features, stage.problem), stage.automatic.seeds, 1);
  const PooledTables tables = pooled_tables(bag, stage.problem, stage.episodes, stage.threads);
  const CoalitionScores one =
      pooled_scores(bag, tables, stage.problem, stage.episodes, Coalitions::nested_and_seeds, stage.threads);
  const std::vector<double> two = windowed_scores(bag, tables, stage.problem, 2, stage.threads);
  const std::vector<double> three = windowed_scores(bag, tables, stage.problem, 3, stage.threads);
  const double one_se = moments(one.whole()).standard_error();
  double half_variance = 0.0;
  const std::vector<HalfSample> halves = stage.halves(bag, Families::pooled);
  for (const HalfSample& half : halves) {
    const double apart = 0.5 * (half.pooled[0] - half.pooled[1]);
    half_variance += apart * apart / static_cast<double>(halves.size());
  }
  const double widen = one_se > 0.0 ? std::clamp(half_variance / (one_se * one_se), 1.0, 4.0) : 1.0;
  const double three_se = moments(three).standard_error();
  const double still_moving = moments(three).mean() - moments(two).mean();
  fit.history_used = true;
  fit.by_levels = means(one.nested);
  fit.by_seed = means(one.by_seed);
  fit.plain_of_level = plain_by_level(bag, tables.plain);
  fit.errors = {.score = three_se * three_se * widen,
                .seeds = variance_over_seeds(fit.by_seed),
                .history = still_moving * still_moving};
  finish(fit, three, stage);
}

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
void refuse_far_horizon(const Auto& automatic, std::span<const std::int64_t> ladder, std::int64_t horizon,
                        std::int64_t steps) {
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
  Problem problem = whole.with_horizon(Horizon{result.horizon.steps});
  Stage stage{.automatic = automatic, .problem = problem, .episodes = {}, .ladder = {}, .threads = options.threads};
  stage.episodes.resize(static_cast<std::size_t>(problem.episodes()));
  std::iota(stage.episodes.begin(), stage.episodes.end(), std::int64_t{0});
  stage.ladder =
      automatic.ladder.empty() ? default_ladder(problem.steps()) : usable_levels(automatic.ladder, problem.steps());
  result.ladder = stage.ladder;
  refuse_far_horizon(automatic, stage.ladder, result.horizon.steps, problem.steps());

  const BagFeatures features = bag_features(problem, options.threads);
  Bag bag = automatic.history == History::mixed ? mixed_bag(stage, features) : stage.bag(features, automatic.seeds, 0);
  result.ends = horizon_ends(problem, finest_states(bag));
  problem = stage.problem = without_misleading_ends(problem, result.ends);
  PooledTables tables = pooled_tables(bag, problem, stage.episodes, options.threads);
  if (std::all_of(tables.per_visit.begin(), tables.per_visit.end(), [](double x) { return x == 0.0; })) {
    throw DegenerateModel(
        "the target policy never takes any of the logged actions: all importance weights are zero. "
        "Check the target probabilities, or collect logs that cover the target policy");
  }
  CoalitionScores pooled =
      pooled_scores(bag, tables, problem, stage.episodes, Coalitions::nested_and_seeds, options.threads);
  result.drift = test_drift(without_diagonal(pooled, bag, tables.plain));
  if (result.drift.significant) {
    bag = finest_of(std::move(bag));
    tables = pooled_tables(bag, problem, stage.episodes, options.threads);
    pooled = pooled_scores(bag, tables, problem, stage.episodes, Coalitions::nested_and_seeds, options.threads);
  }
  result.plain_of_level = plain_by_level(bag, tables.plain);
  result.late = late_steps(problem, tables.mass_of_step);
  result.unsupported = tables.unsupported;
  // With the pairs of members with themselves: the scores of two steps have them too.
  result.markov = test_markov(pooled.whole(), windowed_scores(bag, tables, problem, 2, options.threads),
                              coupling_gap(moments(pooled.whole()).mean(), result.plain_of_level));

  const bool history =
      automatic.history == History::on || (automatic.history == History::automatic && !result.markov.markov);
  if (history) {
    with_windows(result, stage, features);
  } else {
    without_history(result, stage, bag, without_diagonal(std::move(pooled), bag, tables.plain));
  }
  limit_to_possible_values(result, problem);
  result.estimate.details = auto_details(result);
  result.estimate.findings = auto_findings(result, automatic, problem);
  return result;
}

Estimate estimate(const Auto& automatic, const Problem& problem, const EstimateOptions& options) {
  return fit(automatic, problem, options).estimate;
}

}  // namespace starope
