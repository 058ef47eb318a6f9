#include "starope/auto/families.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "starope/auto/action_model.hpp"
#include "starope/auto/anchor.hpp"
#include "starope/auto/cross_scores.hpp"
#include "starope/auto/half_splits.hpp"
#include "starope/auto/pooled_parts.hpp"
#include "starope/auto/wave_family.hpp"
#include "starope/auto/wave_scores.hpp"
#include "starope/auto/windowed_scores.hpp"
#include "starope/error.hpp"
#include "starope/parallel/parallel_for.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

constexpr std::int64_t lag_ratios = 3;
constexpr std::array<std::int64_t, 2> window_ratios{4, 8};  // of the evidence of longer windows

int splits_for(std::int64_t episodes) {
  if (episodes >= 5000) return 2;
  return episodes >= 400 ? 3 : 6;
}
int draws_for(std::int64_t episodes) {
  return episodes >= 400 ? 3 : 5;
}

std::vector<std::int64_t> all_episodes(const Problem& problem) {
  std::vector<std::int64_t> all(problem.episodes());
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return all;
}

// What the logged policy earns, as far as the logs show it.
double logged_return(const Problem& problem) {
  double sum = 0.0;
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    double discount = 1.0;
    for (const double reward : problem.episode(i).rewards) {
      sum += discount * reward;
      discount *= problem.discount().gamma();
    }
  }
  return sum / static_cast<double>(problem.episodes());
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

ActionSolve solving_actions(const Problem& problem) {
  return {.gamma = problem.discount().gamma(), .horizon = problem.horizon()->steps()};
}

WaveSolve solving(const Problem& problem, bool occupancy) {
  return {.gamma = problem.discount().gamma(), .horizon = problem.horizon()->steps(), .occupancy = occupancy};
}

// Everything that is fitted once to all episodes.
struct Whole {
  std::vector<std::int64_t> episodes{};
  HalfSplits splits;
  std::optional<Waves> waves{};
  std::optional<ActionValues> actions{};
  std::optional<CellFamily> traces{};  // this one and the lags without labels, once everything was asked of them
  std::optional<CellFamily> other{};
  std::optional<CellFamily> lags{};
  Views traced{}, others{}, lagged{};                            // of these,
  std::vector<double> half_traces{}, half_other{}, half_lags{};  // and what they say of the halves
  std::optional<FamilyScores> lag_scores{};
  std::optional<StepTables> lag_tables{};

  SmoothRows rows() const { return {&waves->rows, actions ? &actions->rows : nullptr}; }
  SmoothModels models(const Problem& problem) const {
    const std::vector<std::size_t> all = all_groups(*waves);
    SmoothModels result{.waves = wave_models(*waves, all, solving(problem, true))};
    if (actions) result.actions = action_models(*actions, all, solving_actions(problem));
    return result;
  }
  // Of a half, the first draw alone: what it shifts is told by the whole.
  SmoothModels models_of_half(std::span<const std::size_t> groups, const Problem& problem) const {
    SmoothModels result{.waves = wave_models(*waves, groups, solving(problem, false), 1)};
    if (actions) result.actions = action_models(*actions, groups, solving_actions(problem), 1);
    return result;
  }
};

// Values that are coupled with the occupancies of the cells, several draws of them.
FamilyScores smooth_family(FamilyKind kind, const CrossScores& draws) {
  FamilyScores family{.kind = kind, .scores = mean_over_draws(draws.scores)};
  const std::vector<double> of_draw = means(draws.scores);
  if (of_draw.size() > 1) family.draws = moments(of_draw).variance() / static_cast<double>(of_draw.size());
  family.off = paired_shift(mean_over_draws(draws.start), family.scores);
  return family;
}

FamilyScores cells_family(FamilyKind kind, const CellFamily& cells) {
  return {
      .kind = kind, .scores = cells.scores.whole(), .ladder = cells.ladder_error(), .seeds = cells.seeds_variance()};
}

// The state and the step before it, with windows of three ratios (docs/auto-math.md 4.2): for states that hide
// something that the last step shows.
FamilyScores lags_family(const CellFamily& lags, const Problem& problem, Threads threads) {
  constexpr std::array<std::int64_t, 2> lengths{lag_ratios, lag_ratios - 1};
  std::vector<std::vector<double>> by_window =
      windowed_scores(lags.bag, lags.tables, problem, lengths, model_steps, threads);
  FamilyScores family{.kind = FamilyKind::lags,
                      .scores = std::move(by_window.front()),
                      .ladder = lags.ladder_error(),
                      .seeds = lags.seeds_variance()};
  const double moves = moments(family.scores).mean() - moments(by_window.back()).mean();
  family.moving = moves * moves;
  return family;
}

// One half of the episodes, models refitted to it; cells, waves and traces stay.
struct Half {
  SmoothModels models{};
  std::optional<CrossSides> sides{};  // values of the waves, of the cells and of actions
  std::vector<double> plain{};        // values of the members of the cells
};

std::vector<Half> fit_halves(const FittedFamilies& fitted, const Whole& whole, Threads threads) {
  const Problem& problem = fitted.problem;
  const Bag& bag = fitted.cells.bag;
  const std::vector<std::vector<std::int64_t>> episodes = whole.splits.halves();
  std::vector<Half> halves(episodes.size());
  for_tables_of_parts(bag, problem, episodes, threads, [&](std::size_t at, const PooledTables& tables) {
    Half& half = halves[at];
    half.plain = tables.plain;
    half.models = whole.models_of_half(whole.splits.groups_of(at / 2, at % 2), problem);
    half.sides = make_sides(step_tables(bag, tables, half.models, CellValues::yes, coarse_steps), bag, whole.rows(),
                            Draws::mean);
  });
  return halves;
}

// The answer of a family whose halves have the first draw alone, by that draw.
std::optional<double> value_of_first(const FamilyScores& family, const WaveAnswers& answers) {
  if (family.kind == FamilyKind::waves) return moments(answers.waves.scores.front()).mean();
  if (family.kind == FamilyKind::actions) return moments(answers.actions.scores.front()).mean();
  if (family.kind == FamilyKind::anchor) return answers.anchor_of_first;
  return std::nullopt;
}

void add_halves(FittedFamilies& fitted, const Whole& whole, const std::vector<Half>& halves,
                const WaveAnswers& answers) {
  for (FamilyScores& family : fitted.scores) {
    if (family.kind == FamilyKind::waves) family.halves = answers.halves;
    if (family.kind == FamilyKind::anchor) family.halves = answers.anchors;
    if (family.kind == FamilyKind::actions) family.halves = answers.of_actions;
    if (const auto first = value_of_first(family, answers)) {
      // Further draws move the halves as they move the whole.
      const double moved = moments(family.scores).mean() - *first;
      for (auto& half : family.halves) {
        for (double& value : half) value += moved;
      }
      continue;
    }
    family.halves.resize(whole.splits.size());
    for (std::size_t job = 0; job < halves.size(); ++job) {
      double& value = family.halves[job / 2][job % 2];
      if (family.kind == FamilyKind::cells)
        value = without_own_pairs(answers.cells[job / 2][job % 2], halves[job].plain);
      if (family.kind == FamilyKind::traces) value = whole.half_traces[job];
      if (family.kind == FamilyKind::other_cells) value = whole.half_other[job];
      // Further ratios move the halves as they move the whole.
      if (family.kind == FamilyKind::lags)
        value = whole.half_lags[job] + moments(family.scores).mean() - whole.lags->value();
    }
  }
}

// Longer windows of ratios (docs/auto-math.md 4.9).
bool windows_fit(const Problem& problem) {
  return window_ratios.back() < problem.horizon()->steps();
}

WindowShifts window_shifts(const std::vector<double>& scores, const std::vector<std::vector<double>>& by_window) {
  return {.shorter = paired_shift(scores, by_window.front()), .longer = paired_shift(scores, by_window.back())};
}

WindowShifts window_shifts(const CellFamily& cells, const Problem& problem, Threads threads) {
  return window_shifts(cells.raw.whole(),
                       windowed_scores(cells.bag, cells.tables, problem, window_ratios, coarse_steps, threads));
}

void add_windows(FittedFamilies& fitted, const Whole& whole, const WaveAnswers& answers, Threads threads) {
  if (!windows_fit(fitted.problem)) return;
  for (FamilyScores& family : fitted.scores) {
    if (family.kind == FamilyKind::cells)
      family.windows = window_shifts(fitted.cells.raw.whole(), answers.cells_by_window);
    if (family.kind == FamilyKind::other_cells) family.windows = window_shifts(*whole.other, fitted.problem, threads);
    if (family.kind == FamilyKind::waves) family.windows = window_shifts(family.scores, answers.waves_by_window);
    if (family.kind == FamilyKind::actions) family.windows = window_shifts(family.scores, answers.actions_by_window);
  }
}

// All that is asked of the waves, in one pass over the episodes.
WaveAnswers ask_waves(const FittedFamilies& fitted, const Whole& whole, const SmoothModels& models,
                      std::vector<Half>& halves, Threads threads) {
  const WaveRows& rows = whole.waves->rows;
  const CrossSides values =
      values_by_cells(whole.rows(), models, fitted.cells.bag, fitted.cells.tables, model_steps, CellValues::yes);
  // Scores are linear in occupancies, and of their draws the mean is all that is asked.
  const auto by_waves = [&](const CellFamily& family) {
    CrossSides sides = cells_by_waves(family.bag, family.tables, rows, models.waves, coarse_steps);
    sides.mass = sides.mass.averaged();
    return sides;
  };
  const CrossSides moved = by_waves(fitted.cells);
  std::optional<CrossSides> other;
  if (whole.other) other = by_waves(*whole.other);
  std::vector<std::array<CrossSides, 2>> of_halves;
  WaveQuestions questions{.values = values, .by_waves = {&moved}, .halves = of_halves};
  if (windows_fit(fitted.problem)) {
    for (const std::int64_t length : window_ratios) {
      questions.windows.push_back(
          {length, window_mass(fitted.cells.bag, fitted.cells.tables, fitted.problem, length, values.basis, threads)});
    }
  }
  if (other) questions.by_waves.push_back(&*other);
  for (std::size_t split = 0; split < whole.splits.size(); ++split) {
    of_halves.push_back({std::move(*halves[2 * split].sides), std::move(*halves[2 * split + 1].sides)});
    auto& side_of = questions.side_of.emplace_back(whole.episodes.size(), std::uint8_t{0});
    for (const std::int64_t i : whole.splits.episodes_of(split, 1)) side_of[i] = 1;
  }
  return answer(questions, fitted.problem, threads);
}

template <class Basis, class Rows>
std::vector<Basis> draws_of(const Rows& rows, std::size_t most = std::numeric_limits<std::size_t>::max()) {
  std::vector<Basis> draws;
  for (std::size_t draw = 0; draw < std::min(most, rows.draws()); ++draw) draws.push_back(rows.basis(draw));
  return draws;
}

// What cells, waves and actions would say if half of the episodes were all there are: with cells of their own, the
// ladder by their own number of steps. The metric and the waves stay; slow features of ids do not.
struct CoreValues {
  double cells = 0.0, waves = 0.0, actions = 0.0;
};

CoreValues core_values(Problem problem, const Reference& reference, const Whole& whole, const SmoothModels& models,
                       const FamilyOptions& options, bool finest_only) {
  const Threads threads = options.threads;
  const BagFeatures states = reference.map.apply(problem.data(), threads);
  Views views = reference.views;
  constexpr int seeds = 3;
  views.front().seeds = views.size() == 1 ? seeds : seeds - 1;
  if (views.size() == 2) views.back().seeds = 1;
  // Slow features are learned as well: half of the data learns its own. (Both number points as these logs show them.)
  const bool learns = !states.point_of_row.empty();
  BagFeatures own;
  const BagFeatures& features = views.front().view.look(states, problem.data(), own);
  const KnownFeatures known{views.front().view.metric, features};
  if (!learns) problem = problem.without_states();
  Bag bag = learns ? make_bag(views, bag_features(problem, threads), problem, options)
                   : make_bag(views, states, problem, options, &known);
  if (finest_only) bag = finest_of(std::move(bag));
  const std::vector<std::int64_t> episodes = all_episodes(problem);
  const PooledTables tables = pooled_tables(bag, problem, episodes, threads);
  const WaveRows waves(draws_of<WaveBasis>(whole.waves->rows, 1), features, threads);
  std::optional<ActionRows> actions;
  if (whole.actions) actions.emplace(draws_of<ActionBasis>(whole.actions->rows, 1), features, problem);
  const StepTables steps = step_tables(bag, tables, models, CellValues::yes, coarse_steps);
  const CrossScores all = cross_scores(make_sides(steps, bag, {&waves, actions ? &*actions : nullptr}, Draws::mean),
                                       problem, episodes, threads);
  return {.cells = without_own_pairs(moments(all.scores[1]).mean(), tables.plain),
          .waves = moments(all.scores[0]).mean(),
          .actions = actions ? moments(all.scores[2]).mean() : 0.0};
}

// On the halves of the first splits, whose models of waves are there already.
void add_learning_curve(FittedFamilies& fitted, const Reference& reference, const Whole& whole,
                        const std::vector<Half>& halves, const WaveAnswers& answers, const FamilyOptions& options) {
  const std::size_t cuts = std::min<std::size_t>(2, whole.splits.size());
  if (cuts == 0) return;
  std::vector<CoreValues> values(2 * cuts);
  // Large halves one after the other, each on all threads: one at a time is held.
  constexpr std::int64_t many_steps = 100'000;
  const bool large = fitted.problem.steps() > many_steps;
  FamilyOptions inside = options;
  if (!large) inside.threads = Threads{1};
  parallel_for(static_cast<std::int64_t>(values.size()), large ? Threads{1} : options.threads, [&](std::int64_t job) {
    const auto at = static_cast<std::size_t>(job);
    values[at] = core_values(fitted.problem.take(whole.splits.episodes_of(at / 2, at % 2)), reference, whole,
                             halves[at].models, inside, fitted.cells.drift.significant);
  });
  for (const CoreValues& v : values) {
    fitted.curve.cells += v.cells / static_cast<double>(values.size());
    fitted.curve.waves += v.waves / static_cast<double>(values.size());
    fitted.curve.actions += v.actions / static_cast<double>(values.size());
  }
  for (FamilyScores& family : fitted.scores) {
    double* of_family = shift_of(fitted.curve, family.kind);
    if (of_family == nullptr) continue;
    double& shift = *of_family;
    shift -= value_of_first(family, answers).value_or(moments(family.scores).mean());
    family.learning = foretold(family, shift);
  }
  if (!reference.features->point_of_row.empty()) learn_as_cells(fitted.scores);
}

CellModel model_of(const CellFamily& family, const Views& views, StepTables tables) {
  return {.views = views,
          .ladder = family.bag.ladder,
          .rules = family.bag.rules,
          .tables = std::move(tables),
          .shift = family.value() - moments(family.raw.whole()).mean()};
}

FamilyModels models_of(const FittedFamilies& fitted, const Reference& reference, const Whole& whole,
                       const SmoothModels& models) {
  const auto own = [&](const std::optional<CellFamily>& family, const Views& views) -> std::optional<CellModel> {
    if (!family) return std::nullopt;
    return model_of(*family, views, step_tables(family->bag, family->tables, {}, CellValues::yes, model_steps));
  };
  FamilyModels result;
  result.question = fitted.problem.options();
  result.states = reference.map;
  result.wave_view = reference.views.front().view;
  result.cells = model_of(fitted.cells, reference.views,
                          step_tables(fitted.cells.bag, fitted.cells.tables, models, CellValues::yes, model_steps));
  result.traces = own(whole.traces, whole.traced);
  result.other = own(whole.other, whole.others);
  result.waves = draws_of<WaveBasis>(whole.waves->rows);
  if (whole.actions) result.actions = draws_of<ActionBasis>(whole.actions->rows);
  if (whole.lags) {
    result.lags = model_of(*whole.lags, whole.lagged, *whole.lag_tables);
    result.lags->shift = 0.0;
    result.lags->window = lag_ratios;
  }
  return result;
}

}  // namespace

FittedFamilies fit_families(const Problem& question, const FamilyOptions& options) {
  FittedFamilies fitted{.problem = question};
  const std::int64_t n = question.episodes();
  const Threads threads = options.threads;
  const FeatureMap map = fit_features(question, threads);
  BagFeatures states = map.apply(question.data(), threads);
  Reference reference = make_reference(states, question, options);
  reference.map = map;
  Whole whole{.episodes = all_episodes(question), .splits = HalfSplits(n, splits_for(n), options.seed)};
  const KnownFeatures known{reference.views.front().view.metric, *reference.features};
  Bag bag = make_bag(reference.views, states, question, options, &known);
  fitted.ends = horizon_ends(question, finest_states(bag));
  fitted.problem = without_misleading_ends(question, fitted.ends);
  const Problem& problem = fitted.problem;
  fitted.cells = fit_cells(std::move(bag), problem, whole.episodes, threads);
  const CellFamily& cells = fitted.cells;
  if (std::all_of(cells.tables.per_visit.begin(), cells.tables.per_visit.end(), [](double x) { return x == 0.0; })) {
    throw DegenerateModel(
        "the target policy never takes any of the logged actions: all importance weights are zero. "
        "Check the target probabilities, or collect logs that cover the target policy");
  }
  fitted.evidence.cells_history = test_history(cells, problem, cells.gap(), threads);
  const auto fit_views = [&](const Views& views) {
    return fit_cells(make_bag(views, states, problem, options, &known), problem, whole.episodes, threads);
  };
  if (options.history != History::off) {
    whole.traces = fit_views(whole.traced = traced_views(reference, problem));
    fitted.evidence.traces_history = test_history(*whole.traces, problem, cells.gap(), threads);
    whole.half_traces = half_values(*whole.traces, problem, whole.splits, threads);
    forget_labels(whole.traces->bag);
    if (!fitted.evidence.cells_history.markov || options.history != History::automatic) {
      const CellFamily& lags = *(whole.lags = fit_views(whole.lagged = lagged_views(reference, problem, options)));
      whole.lag_scores = lags_family(lags, problem, threads);
      whole.half_lags = half_values(lags, problem, whole.splits, threads);
      if (options.keep_models)
        whole.lag_tables = window_tables(lags.bag, lags.tables, problem, lag_ratios, model_steps, threads);
      forget_labels(whole.lags->bag);
    }
  }
  if (const auto views = other_views(states, reference, cells, problem, options)) {
    whole.other = fit_views(whole.others = *views);
  } else if (ids_are_cells(states, problem, options)) {
    whole.other = fit_cells(bag_of_points(states), problem, whole.episodes, threads);
    whole.others = views_of_ids();
  }
  if (whole.other) whole.half_other = half_values(*whole.other, problem, whole.splits, threads);
  if (reference.rotated) states = {};  // from here on they are seen as rotated
  const std::vector<std::vector<std::int64_t>> one_group{whole.episodes};
  const auto& groups = n > 1 ? whole.splits.groups() : one_group;
  whole.waves = fit_waves(*reference.features, problem, {.draws = draws_for(n), .seed = options.seed}, groups, threads);
  if (knows_all_actions(problem))
    whole.actions = fit_actions(*reference.features, problem, {.seed = options.seed}, groups, threads);
  const SmoothModels models = whole.models(problem);
  std::vector<Half> halves = fit_halves(fitted, whole, threads);
  WaveAnswers answers = ask_waves(fitted, whole, models, halves, threads);
  AnchorScores anchor =
      anchor_scores(std::exchange(answers.anchor, {}), problem.discount().gamma(), problem.horizon()->steps());
  fitted.evidence.logged = logged_return(problem);
  fitted.evidence.anchor_ess = anchor.ess;
  fitted.evidence.anchor_by_actions = whole.actions.has_value();
  fitted.evidence.anchor_healthy = anchor.healthy(whole.actions.has_value());
  // How far occupancies from waves move the answer of cells.
  const auto moved = [&](const CellFamily& family, const std::vector<double>& by_waves) {
    return paired_shift(family.raw.whole(), by_waves);
  };
  fitted.scores.push_back(cells_family(FamilyKind::cells, cells));
  fitted.scores.back().off = moved(cells, answers.by_waves[0]);
  fitted.scores.push_back(smooth_family(FamilyKind::waves, answers.waves));
  if (whole.actions) fitted.scores.push_back(smooth_family(FamilyKind::actions, answers.actions));
  fitted.scores.push_back({.kind = FamilyKind::anchor, .scores = std::move(anchor.scores)});
  if (whole.traces) fitted.scores.push_back(cells_family(FamilyKind::traces, *whole.traces));
  if (whole.lags) fitted.scores.push_back(*whole.lag_scores);
  if (whole.other) {
    fitted.scores.push_back(cells_family(FamilyKind::other_cells, *whole.other));
    fitted.scores.back().off = moved(*whole.other, answers.by_waves[1]);
  }
  add_windows(fitted, whole, answers, threads);
  add_halves(fitted, whole, halves, answers);
  if (options.keep_models) fitted.models = models_of(fitted, reference, whole, models);
  whole.other.reset();  // labels are large
  add_learning_curve(fitted, reference, whole, halves, answers, options);
  return fitted;
}

}  // namespace starope
