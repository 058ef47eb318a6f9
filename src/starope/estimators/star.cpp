#include "starope/estimators/star.hpp"

#include <algorithm>
#include <utility>

#include "starope/arp/influence.hpp"
#include "starope/base/assert.hpp"
#include "starope/base/error.hpp"
#include "starope/estimators/effective_size.hpp"
#include "starope/fold/fold.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

ArpOptions options_of(const Star& star) {
  return {.clip = star.clip, .truncation = star.truncation, .time = star.time};
}

// The problem up to the horizon of the star.
Problem seen_by(const Star& star, const Problem& whole) {
  const std::optional<Horizon> horizon = horizon_of(star, whole);
  return horizon ? whole.with_horizon(horizon) : whole;
}

// The number of steps after which all episodes terminate, if that is the clock's doing: the states in which they do
// mostly go on when they are met earlier. A model for all steps then lets episodes end at any time.
std::optional<std::int64_t> ended_by_the_clock(const Problem& problem, const ArpModel& model) {
  const std::int64_t length = problem.longest();
  if (problem.episodes() < 2) return std::nullopt;
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const LoggedEpisode episode = problem.episode(i);
    if (episode.length() != length || episode.end != EpisodeEnd::terminated) return std::nullopt;
  }
  double exits = 0.0, seen = 0.0;
  for (std::size_t z = 0; z < model.exit.size(); ++z) {
    if (model.exit[z] == 0.0) continue;
    exits += model.exit[z] * model.seen[z];
    seen += model.seen[z];
  }
  return exits < 0.5 * seen ? std::optional(length) : std::nullopt;
}

void add_findings(const Star& star, const Problem& problem, const StarFit& fit, std::vector<Finding>& findings) {
  if (fit.solution.unsupported > 0.0) {
    findings.push_back({fit.solution.unsupported > 0.05 ? Severity::critical : Severity::warning,
                        "unsupported_state",
                        {{"probability", std::min(1.0, fit.solution.unsupported)},
                         {"cells", static_cast<std::int64_t>(fit.solution.unsupported_cells.size())}}});
  }
  if (star.time == TimeModel::pooled) {
    if (const auto length = ended_by_the_clock(problem, fit.model)) {
      findings.push_back({Severity::warning, "fixed_length", {{"steps", *length}, {"ends", "kept"}}});
    }
  }
  const std::int64_t cut = truncated_lengths(problem).episodes;
  if (cut > 0 && star.truncation == TruncationRule::end) {
    findings.push_back({Severity::info, "truncation_as_end", {{"cut", cut}, {"episodes", problem.episodes()}}});
  }
  if (const auto finding = low_ess(*fit.estimate.ess, problem.episodes())) findings.push_back(*finding);
}

}  // namespace

TruncatedLengths truncated_lengths(const Problem& problem) {
  TruncatedLengths cut;
  bool differ = false;
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const LoggedEpisode episode = problem.episode(i);
    if (episode.end != EpisodeEnd::truncated) continue;
    differ = differ || (cut.common && *cut.common != episode.length());
    cut.common = episode.length();
    ++cut.episodes;
  }
  if (differ) cut.common.reset();
  return cut;
}

std::optional<Horizon> horizon_of(const Star& star, const Problem& problem) {
  std::optional<Horizon> horizon = star.horizon ? *star.horizon : problem.horizon();
  if (horizon && problem.horizon() && horizon->steps() > problem.horizon()->steps()) horizon = problem.horizon();
  if (horizon || star.truncation == TruncationRule::end) return horizon;
  const TruncatedLengths cut = truncated_lengths(problem);
  if (cut.episodes == 0) return horizon;
  if (star.horizon) {
    throw InvalidArgument(
        "truncation=censor needs a horizon: without one the value of episodes that were cut off is not defined. "
        "Leave horizon=none out, or use truncation=end");
  }
  if (!cut.common) {
    throw InvalidArgument(
        "truncation=censor needs a horizon: the truncated episodes have different lengths, so none can be inferred. "
        "Give --horizon H, or horizon=H inside star(...)");
  }
  return Horizon{*cut.common};
}

StarFit fit(const Star& star, const Problem& problem, const EstimateOptions& options) {
  return fit(star, fit_abstraction(star.phi, seen_by(star, problem), options.threads), problem, options);
}

StarFit fit(const Star& star, FittedAbstraction fitted, const Problem& problem, const EstimateOptions& options) {
  const std::vector<ArpStatistic> statistics = collect({&star, 1}, fitted.labels, problem, options);
  return fit(star, std::move(fitted), statistics.front(), problem, options);
}

std::vector<ArpStatistic> collect(std::span<const Star> stars, const Labels& labels, const Problem& whole,
                                  const EstimateOptions& options) {
  if (stars.empty()) return {};
  const Problem problem = seen_by(stars.front(), whole);
  FoldTogether<ArpFold> recipes;
  for (const Star& star : stars) {
    const Problem seen = seen_by(star, whole);
    STAROPE_ASSERT(seen.steps() == problem.steps());  // horizons that no episode reaches may differ
    recipes.ops.emplace_back(labels, seen, options_of(star));
  }
  return fold(recipes, problem, {.threads = options.threads}).of;
}

StarFit fit(const Star& star, FittedAbstraction fitted, const ArpStatistic& statistic, const Problem& whole,
            const EstimateOptions& options) {
  StarFit result;
  result.horizon = horizon_of(star, whole);
  const Problem problem = seen_by(star, whole);
  const FoldOptions folding{.threads = options.threads};
  const ArpFold recipe(fitted.labels, problem, options_of(star));
  result.model = make_model(statistic);
  if (std::all_of(result.model.visit.begin(), result.model.visit.end(), [](double w) { return w == 0.0; })) {
    throw DegenerateModel(
        "the target policy never takes any of the logged actions: all importance weights are zero. "
        "Check the target probabilities, or collect logs that cover the target policy");
  }
  // A time-indexed process ends by itself: its cells know how far the horizon is.
  const std::optional<Horizon> steps = star.time == TimeModel::pooled ? result.horizon : std::nullopt;
  result.solution = solve(result.model, problem.discount(), steps);

  Estimate& estimate = result.estimate;
  estimate.value = result.solution.value;
  estimate.influence = influence_values(recipe, statistic, result.model, result.solution, problem, folding);
  if (problem.episodes() > 1) estimate.std_error = moments(estimate.influence).standard_error();
  estimate.ess = effective_episodes(problem, star.clip, options.threads);
  estimate.findings = std::move(fitted.findings);
  add_findings(star, problem, result, estimate.findings);
  result.labels = std::move(fitted.labels);
  return result;
}

Estimate estimate(const Star& star, const Problem& problem, const EstimateOptions& options) {
  return fit(star, problem, options).estimate;
}

}  // namespace starope
