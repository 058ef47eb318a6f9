#include "starope/auto/families.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "starope/auto/anchor.hpp"
#include "starope/auto/bag_features.hpp"
#include "starope/auto/cross_scores.hpp"
#include "starope/auto/half_splits.hpp"
#include "starope/auto/history_features.hpp"
#include "starope/auto/ladder.hpp"
#include "starope/auto/value_metric.hpp"
#include "starope/auto/wave_family.hpp"
#include "starope/auto/windowed_scores.hpp"
#include "starope/error.hpp"
#include "starope/parallel/parallel_for.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

constexpr std::uint32_t cells_bag = 0, lags_bag = 1, slow_traces_bag = 2, fast_traces_bag = 3, rotated_bag = 4,
                        stretched_bag = 5;
constexpr double fast_fading = 0.6, slow_fading = 0.8;

int splits_for(std::int64_t episodes) {
  if (episodes >= 5000) return 2;
  return episodes >= 400 ? 5 : 8;
}
int draws_for(std::int64_t episodes) {
  return episodes >= 400 ? 3 : 5;
}

std::vector<std::int64_t> all_episodes(const Problem& problem) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(problem.episodes()));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return all;
}

std::vector<std::size_t> all_groups(const Waves& waves) {
  std::vector<std::size_t> all(waves.of_group.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

std::vector<double> means(const std::vector<std::vector<double>>& scores) {
  std::vector<double> result;
  for (const auto& s : scores) result.push_back(moments(s).mean());
  return result;
}

WaveSolve solving(const Problem& problem, bool occupancy) {
  return {.gamma = problem.discount().gamma(), .horizon = problem.horizon()->steps(), .occupancy = occupancy};
}

Bag joined(Bag bag, Bag more) {
  bag.seeds += more.seeds;
  for (Labels& member : more.members) bag.members.push_back(std::move(member));
  bag.point_of_row.clear();  // the same state may be another point there
  bag.points = 0;
  return bag;
}

// Two bags, one with a longer memory than the other, as one.
Bag traced_bag(const BagFeatures& features, const Problem& problem, const FamilyOptions& options,
               const std::vector<std::int64_t>& ladder) {
  const auto make = [&](double fading, std::uint32_t which) {
    return make_bag(with_traces(features, problem, fading), problem,
                    {.ladder = ladder, .seeds = 2, .seed = options.seed, .which = which}, options.threads);
  };
  return joined(make(fast_fading, fast_traces_bag), make(slow_fading, slow_traces_bag));
}

// What the cells measure distances in, and the cells.
struct Reference {
  BagFeatures features{};  // for waves and traces
  std::vector<std::int64_t> ladder{};
  Bag bag{};
  bool rotated = false;
};

// The features of numbers can be stretched and rotated; slow features and ids are made to measure anyway.
bool can_rotate(const BagFeatures& features) {
  return features.dimension > 1 && features.point_of_row.empty() && features.prefixes.empty();
}

Bag plain_bag(const BagFeatures& features, const Problem& problem, const FamilyOptions& options,
              const std::vector<std::int64_t>& ladder) {
  return make_bag(features, problem,
                  {.ladder = ladder, .seeds = options.seeds, .seed = options.seed, .which = cells_bag},
                  options.threads);
}

// The reference cells: in the plain metric, or, where k-means cannot cut every independent column into two or three
// parts, in the metric of what values depend on; half of the seeds by each way to find it.
Reference make_reference(BagFeatures features, const Problem& problem, const FamilyOptions& options) {
  Reference result{.ladder = options.ladder.empty() ? default_ladder(problem.steps())
                                                    : usable_levels(options.ladder, problem.steps())};
  result.rotated = can_rotate(features) &&
                   std::pow(2.5, effective_dimension(features, problem)) > static_cast<double>(result.ladder.back());
  if (!result.rotated) {
    result.bag = plain_bag(features, problem, options, result.ladder);
    result.features = std::move(features);
    return result;
  }
  const auto make = [&](const BagFeatures& seen, int seeds, std::uint32_t which) {
    return make_bag(seen, problem, {.ladder = result.ladder, .seeds = seeds, .seed = options.seed, .which = which},
                    options.threads);
  };
  const int stretched = std::max(1, options.seeds / 2);
  result.features = transformed(features, fit_metric(features, problem, MetricKind::full, options.seed).transform);
  result.bag = joined(
      make(result.features, std::max(1, options.seeds - stretched), rotated_bag),
      make(transformed(features, fit_metric(features, problem, MetricKind::diagonal_first, options.seed).transform),
           stretched, stretched_bag));
  return result;
}

// Cells in the other metric, as a family of their own: always beside rotated cells, and beside plain ones where finer
// cells say something else.
std::optional<Bag> other_bag(const BagFeatures& plain, const Reference& reference, const CellFamily& cells,
                             const Problem& problem, const FamilyOptions& options) {
  if (reference.rotated) return plain_bag(plain, problem, options, reference.ladder);
  if (!can_rotate(plain) || std::abs(cells.drift.drift) <= 3.0 * cells.drift.drift_se) return std::nullopt;
  const ValueMetric metric = fit_metric(plain, problem, MetricKind::full, options.seed);
  return make_bag(transformed(plain, metric.transform), problem,
                  {.ladder = reference.ladder, .seeds = options.seeds, .seed = options.seed, .which = rotated_bag},
                  options.threads);
}

// Everything that is fitted once to all episodes.
struct Whole {
  BagFeatures features{};
  std::vector<std::int64_t> episodes{};
  HalfSplits splits;
  std::optional<Waves> waves{};
  std::optional<CellFamily> traces{};
  std::optional<CellFamily> other{};
  std::optional<CellFamily> lags{};
};

FamilyScores waves_family(const Problem& problem, const Whole& whole, const CrossSides& sides, Threads threads) {
  const CrossScores by_cells = cross_scores(sides, problem, whole.episodes, threads);
  FamilyScores family{.kind = FamilyKind::waves, .scores = mean_over_draws(by_cells.scores)};
  const std::vector<double> of_draw = means(by_cells.scores);
  if (of_draw.size() > 1) family.draws = moments(of_draw).variance() / static_cast<double>(of_draw.size());
  family.off = paired_shift(mean_over_draws(by_cells.start), family.scores);
  return family;
}

FamilyScores cells_family(FamilyKind kind, const CellFamily& cells) {
  return {
      .kind = kind, .scores = cells.scores.whole(), .ladder = cells.ladder_error(), .seeds = cells.seeds_variance()};
}

// How far occupancies from waves move the answer of cells.
PairedShift moved_by_waves(const CellFamily& cells, const Problem& problem, const Whole& whole,
                           const std::vector<WaveModel>& models, Threads threads) {
  const CrossSides sides = cells_by_waves(cells.bag, cells.tables, whole.waves->rows, models);
  return paired_shift(cells.raw.whole(), mean_over_draws(cross_scores(sides, problem, whole.episodes, threads).scores));
}

// The state and the step before it, with windows of three ratios (docs/auto-math.md 4.2): for states that hide
// something that the last step shows.
FamilyScores lags_family(const CellFamily& lags, const Problem& problem, Threads threads) {
  FamilyScores family{.kind = FamilyKind::lags,
                      .scores = windowed_scores(lags.bag, lags.tables, problem, 3, threads),
                      .seeds = lags.seeds_variance()};
  const double two = moments(windowed_scores(lags.bag, lags.tables, problem, 2, threads)).mean();
  const double moves = moments(family.scores).mean() - two;
  family.moving = moves * moves;
  return family;
}

double half_value(const CellFamily& family, const Problem& problem, std::span<const std::int64_t> half) {
  const Threads alone{1};
  return cells_value(family.bag, problem, half, pooled_tables(family.bag, problem, half, alone), alone);
}

// The answers on both halves of every split, all families refitted; cells, waves and traces stay.
void add_halves(FittedFamilies& fitted, const Whole& whole, Threads threads) {
  for (FamilyScores& family : fitted.scores) family.halves.resize(whole.splits.size());
  const Problem& problem = fitted.problem;
  parallel_for(static_cast<std::int64_t>(2 * whole.splits.size()), threads, [&](std::int64_t job) {
    const auto split = static_cast<std::size_t>(job / 2), side = static_cast<std::size_t>(job % 2);
    const std::vector<std::int64_t> half = whole.splits.episodes_of(split, side);
    const Threads alone{1};
    const PooledTables tables = pooled_tables(fitted.cells.bag, problem, half, alone);
    const std::vector<WaveModel> models =
        wave_models(*whole.waves, whole.splits.groups_of(split, side), solving(problem, false));
    CrossSides sides = waves_by_cells(whole.waves->rows, models, fitted.cells.bag, tables);
    sides.values = sides.values.tabulated(problem, half);
    for (FamilyScores& family : fitted.scores) {
      double& value = family.halves[split][side];
      switch (family.kind) {
        case FamilyKind::cells:
          value = cells_value(fitted.cells.bag, problem, half, tables, alone);
          break;
        case FamilyKind::waves:
          value = moments(mean_over_draws(cross_scores(sides, problem, half, alone).scores)).mean();
          break;
        case FamilyKind::anchor:
          value = moments(anchor_scores(sides.basis, sides.values, problem, half, alone).scores).mean();
          break;
        case FamilyKind::other_cells:
          value = half_value(*whole.other, problem, half);
          break;
        case FamilyKind::traces:
          value = half_value(*whole.traces, problem, half);
          break;
        case FamilyKind::lags:
          // Further ratios move the halves as they move the whole.
          value = half_value(*whole.lags, problem, half) + moments(family.scores).mean() - whole.lags->value();
          break;
      }
    }
  });
}

// What cells and waves would say if half of the episodes were all there are.
struct CoreValues {
  double cells = 0.0, waves = 0.0;
};

CoreValues core_values(const Problem& problem, FamilyOptions options, bool finest_only) {
  const Threads alone = options.threads = Threads{1};
  options.seeds = 3;
  Reference reference = make_reference(bag_features(problem, alone), problem, options);
  const BagFeatures& features = reference.features;
  const std::vector<std::int64_t> episodes = all_episodes(problem);
  Bag bag = std::move(reference.bag);
  if (finest_only) bag = finest_of(std::move(bag));
  const PooledTables tables = pooled_tables(bag, problem, episodes, alone);
  const Waves waves = fit_waves(features, problem, {.draws = draws_for(2 * problem.episodes()), .seed = options.seed},
                                {episodes}, alone);
  const std::vector<WaveModel> models = wave_models(waves, all_groups(waves), solving(problem, false));
  const CrossSides sides = waves_by_cells(waves.rows, models, bag, tables);
  return {.cells = cells_value(bag, problem, episodes, tables, alone),
          .waves = moments(mean_over_draws(cross_scores(sides, problem, episodes, alone).scores)).mean()};
}

void add_learning_curve(FittedFamilies& fitted, const FamilyOptions& options) {
  constexpr std::size_t cuts = 2;
  const HalfSplits splits(fitted.problem.episodes(), cuts, Seed{options.seed.value + 1});
  if (splits.size() == 0) return;
  std::vector<CoreValues> values(2 * cuts);
  parallel_for(2 * cuts, options.threads, [&](std::int64_t job) {
    const Problem half =
        fitted.problem.take(splits.episodes_of(static_cast<std::size_t>(job / 2), static_cast<std::size_t>(job % 2)));
    values[static_cast<std::size_t>(job)] = core_values(half, options, fitted.cells.drift.significant);
  });
  for (const CoreValues& v : values) {
    fitted.curve.cells += v.cells / static_cast<double>(values.size());
    fitted.curve.waves += v.waves / static_cast<double>(values.size());
  }
  for (FamilyScores& family : fitted.scores) {
    if (family.kind != FamilyKind::cells && family.kind != FamilyKind::waves) continue;
    double& shift = family.kind == FamilyKind::cells ? fitted.curve.cells : fitted.curve.waves;
    const Moments scores = moments(family.scores);
    shift -= scores.mean();
    double variance = scores.standard_error() * scores.standard_error(), between = 0.0;
    for (const auto& half : family.halves) {
      between += 0.25 * (half[0] - half[1]) * (half[0] - half[1]) / static_cast<double>(family.halves.size());
    }
    variance = std::max(variance, between);
    // A bias that shrinks like n^-1/2 is 1 / (sqrt 2 - 1) times its change from n to n / 2.
    constexpr double ahead = 2.4;
    family.learning = std::max(0.0, ahead * shift * ahead * shift - 2.0 * variance);
  }
}

}  // namespace

FittedFamilies fit_families(const Problem& question, const FamilyOptions& options) {
  FittedFamilies fitted{.problem = question};
  const std::int64_t n = question.episodes();
  const BagFeatures plain = bag_features(question, options.threads);
  Reference reference = make_reference(plain, question, options);
  Whole whole{.features = std::move(reference.features),
              .episodes = all_episodes(question),
              .splits = HalfSplits(n, splits_for(n), options.seed)};
  Bag bag = std::move(reference.bag);
  const std::vector<std::int64_t>& ladder = reference.ladder;
  fitted.ends = horizon_ends(question, finest_states(bag));
  fitted.problem = without_misleading_ends(question, fitted.ends);
  const Problem& problem = fitted.problem;
  fitted.cells = fit_cells(std::move(bag), problem, whole.episodes, options.threads);
  const CellFamily& cells = fitted.cells;
  if (std::all_of(cells.tables.per_visit.begin(), cells.tables.per_visit.end(), [](double x) { return x == 0.0; })) {
    throw DegenerateModel(
        "the target policy never takes any of the logged actions: all importance weights are zero. "
        "Check the target probabilities, or collect logs that cover the target policy");
  }
  fitted.evidence.cells_history = test_history(cells, problem, cells.gap(), options.threads);
  fitted.scores.push_back(cells_family(FamilyKind::cells, cells));

  const std::vector<std::vector<std::int64_t>> one_group{whole.episodes};
  whole.waves = fit_waves(whole.features, problem, {.draws = draws_for(n), .seed = options.seed},
                          n > 1 ? whole.splits.groups() : one_group, options.threads);
  const std::vector<WaveModel> models = wave_models(*whole.waves, all_groups(*whole.waves), solving(problem, true));
  const CrossSides sides = waves_by_cells(whole.waves->rows, models, cells.bag, cells.tables);
  fitted.scores.front().off = moved_by_waves(cells, problem, whole, models, options.threads);
  fitted.scores.push_back(waves_family(problem, whole, sides, options.threads));

  AnchorScores anchor = anchor_scores(sides.basis, sides.values, problem, whole.episodes, options.threads);
  fitted.evidence.anchor_ess = anchor.ess;
  fitted.evidence.anchor_healthy = anchor.healthy();
  fitted.scores.push_back({.kind = FamilyKind::anchor, .scores = std::move(anchor.scores)});

  if (options.history != History::off) {
    whole.traces =
        fit_cells(traced_bag(whole.features, problem, options, ladder), problem, whole.episodes, options.threads);
    fitted.evidence.traces_history = test_history(*whole.traces, problem, cells.gap(), options.threads);
    fitted.scores.push_back(cells_family(FamilyKind::traces, *whole.traces));
    if (!fitted.evidence.cells_history.markov || options.history != History::automatic) {
      whole.lags =
          fit_cells(make_bag(with_history(whole.features, problem), problem,
                             {.ladder = ladder, .seeds = options.seeds, .seed = options.seed, .which = lags_bag},
                             options.threads),
                    problem, whole.episodes, options.threads);
      fitted.scores.push_back(lags_family(*whole.lags, problem, options.threads));
    }
  }
  if (std::optional<Bag> other = other_bag(plain, reference, cells, problem, options)) {
    whole.other = fit_cells(std::move(*other), problem, whole.episodes, options.threads);
    fitted.scores.push_back(cells_family(FamilyKind::other_cells, *whole.other));
    fitted.scores.back().off = moved_by_waves(*whole.other, problem, whole, models, options.threads);
  }
  add_halves(fitted, whole, options.threads);
  add_learning_curve(fitted, options);
  return fitted;
}

}  // namespace starope
