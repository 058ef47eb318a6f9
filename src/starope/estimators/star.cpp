#include "starope/estimators/star.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "starope/arp/influence.hpp"
#include "starope/arp/rollout.hpp"
#include "starope/base/assert.hpp"
#include "starope/error.hpp"
#include "starope/estimators/effective_size.hpp"
#include "starope/fold/fold.hpp"
#include "starope/q/q_logs.hpp"
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
std::optional<std::int64_t> ended_by_the_clock(const SeenLogs& logs, const ArpModel& model) {
  const std::int64_t length = logs.survey.longest;
  if (logs.survey.episodes < 2 || logs.cut.episodes > 0) return std::nullopt;
  if (logs.survey.steps != logs.survey.episodes * length) return std::nullopt;
  double exits = 0.0, seen = 0.0;
  for (std::size_t z = 0; z < model.exit.size(); ++z) {
    if (model.exit[z] == 0.0) continue;
    exits += model.exit[z] * model.seen[z];
    seen += model.seen[z];
  }
  return exits < 0.5 * seen ? std::optional(length) : std::nullopt;
}

void add_findings(const Star& star, const SeenLogs& logs, const StarFit& fit, std::vector<Finding>& findings) {
  if (fit.solution.unsupported > 0.0) {
    findings.push_back({fit.solution.unsupported > 0.05 ? Severity::critical : Severity::warning,
                        "unsupported_state",
                        {{"probability", std::min(1.0, fit.solution.unsupported)},
                         {"cells", static_cast<std::int64_t>(fit.solution.unsupported_cells.size())}}});
  }
  if (star.time == TimeModel::pooled) {
    if (const auto length = ended_by_the_clock(logs, fit.model)) {
      findings.push_back({Severity::warning, "fixed_length", {{"steps", *length}, {"ends", "kept"}}});
    }
  }
  if (const auto finding = cuts_as_ends(star, logs)) findings.push_back(*finding);
  if (const auto finding = low_ess(*fit.estimate.ess, logs.survey.episodes)) findings.push_back(*finding);
}

// A time-indexed process ends by itself: its cells know how far the horizon is.
std::optional<Horizon> steps_of_model(const Star& star, std::optional<Horizon> horizon) {
  return star.time == TimeModel::pooled ? horizon : std::nullopt;
}

// The paper's way to the value: rollouts instead of the solution, whose derivatives still tell the sampling error.
void roll_out(const Star& star, Discount discount, Threads threads, StarFit& fit) {
  if (star.rollouts == 0) return;
  const Moments returns = roll_out(fit.model, discount, steps_of_model(star, fit.horizon),
                                   {.rollouts = star.rollouts, .seed = star.seed, .threads = threads});
  Estimate& estimate = fit.estimate;
  estimate.value = returns.mean();
  if (star.rollouts == 1) estimate.std_error.reset();  // one return says nothing about its own error
  if (estimate.std_error) estimate.std_error = std::hypot(*estimate.std_error, returns.standard_error());
  estimate.details.push_back(
      {.name = "rollouts", .value = static_cast<double>(star.rollouts), .meaning = "of the abstract process"});
  estimate.details.push_back({.name = "exact_value",
                              .value = fit.solution.value,
                              .meaning = "that the rollouts approximate: the solution of the process"});
}

// `lengths()`: those of the truncated episodes, looked at only where they matter.
template <class Lengths>
std::optional<Horizon> choose_horizon(const Star& star, std::optional<Horizon> asked, const Lengths& lengths) {
  std::optional<Horizon> horizon = star.horizon ? *star.horizon : asked;
  if (horizon && asked && horizon->steps() > asked->steps()) horizon = asked;
  if (horizon || star.truncation == TruncationRule::end) return horizon;
  const TruncatedLengths cut = lengths();
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

}  // namespace

std::optional<Finding> cuts_as_ends(const Star& star, const SeenLogs& logs) {
  const std::int64_t cut = logs.cut.episodes;
  if (cut == 0 || star.truncation != TruncationRule::end) return std::nullopt;
  Finding finding = cuts_as_ends(cut, logs.survey.episodes);
  // A process that knows the time ends there and nowhere else: after the last step that counts, nothing is lost.
  const std::optional<Horizon> horizon = logs.recipe.question.horizon;
  const std::int64_t last = horizon ? horizon->steps() : logs.survey.longest;
  if (star.time == TimeModel::indexed && logs.cut.common == last) finding.severity = Severity::info;
  return finding;
}

std::optional<Horizon> horizon_of(const Star& star, const Problem& problem) {
  return choose_horizon(star, problem.horizon(), [&] { return truncated_lengths(problem); });
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

namespace {

ArpSolution solved(const Star& star, const ArpModel& model, Discount discount, std::optional<Horizon> horizon) {
  if (std::all_of(model.visit.begin(), model.visit.end(), [](double w) { return w == 0.0; })) {
    throw DegenerateModel(
        "the target policy never takes any of the logged actions: all importance weights are zero. "
        "Check the target probabilities, or collect logs that cover the target policy");
  }
  return solve(model, discount, steps_of_model(star, horizon));
}

// The first pass over blocks: the sums of the process, and those of its weights.
struct StarBlockFold {
  struct Statistic {
    ArpStatistic process{};
    WeightSums weights{};
    Statistic& operator+=(const Statistic& other) {
      process += other.process;
      weights += other.weights;
      return *this;
    }
  };
  const ArpBlockFold& process;
  WeightFold weights;

  Statistic identity() const { return {.process = process.identity(), .weights = weights.identity()}; }
  void add_block(Statistic& total, const Problem& block) const {
    process.add_block(total.process, block);
    for (std::int64_t i = 0; i < block.episodes(); ++i) weights.add(total.weights, block.episode(i));
  }
};

}  // namespace

StarFit fit(const Star& star, FittedAbstraction fitted, const ArpStatistic& statistic, const Problem& whole,
            const EstimateOptions& options) {
  StarFit result;
  result.horizon = horizon_of(star, whole);
  const Problem problem = seen_by(star, whole);
  const FoldOptions folding{.threads = options.threads};
  const ArpFold recipe(fitted.labels, problem, options_of(star));
  result.model = make_model(statistic);
  result.solution = solved(star, result.model, problem.discount(), result.horizon);

  Estimate& estimate = result.estimate;
  estimate.value = result.solution.value;
  estimate.influence = influence_values(recipe, statistic, result.model, result.solution, problem, folding);
  if (problem.episodes() > 1) estimate.std_error = moments(estimate.influence).standard_error();
  roll_out(star, problem.discount(), options.threads, result);
  estimate.ess = effective_episodes(problem, star.clip, options.threads);
  estimate.findings = std::move(fitted.findings);
  add_findings(star, seen_logs(problem), result, estimate.findings);
  result.labels = std::move(fitted.labels);
  return result;
}

Estimate estimate(const Star& star, const Problem& problem, const EstimateOptions& options) {
  return fit(star, problem, options).estimate;
}

SolvedStar solved_from(const Star& star, const ArpStatistic& process, const ProblemOptions& asked) {
  SolvedStar result{.model = make_model(process)};
  result.solution = solved(star, result.model, asked.discount, asked.horizon);
  return result;
}

double value_from(const Star& star, const ArpStatistic& process, const ProblemOptions& asked) {
  return solved_from(star, process, asked).solution.value;
}

Estimate estimate_from(const Star& star, const ArpStatistic& process, const WeightSums& weights, const SeenLogs& logs,
                       const ProblemOptions& asked) {
  StarFit result;
  result.horizon = asked.horizon;
  result.model = make_model(process);
  result.solution = solved(star, result.model, asked.discount, result.horizon);
  result.estimate.value = result.solution.value;
  result.estimate.ess = effective_episodes(weights, logs.survey);
  add_findings(star, logs, result, result.estimate.findings);
  return std::move(result.estimate);
}

ProblemOptions question_of(const Star& star, const SeenLogs& logs, ProblemOptions question) {
  const std::optional<Horizon> horizon = choose_horizon(star, question.horizon, [&] { return logs.cut; });
  if (horizon) question.horizon = horizon;
  return question;
}

Estimate estimate(const Star& star, const Source& source, const ProblemOptions& question,
                  const EstimateOptions& options) {
  return estimate(star, source, question, options,
                  [&](const ProblemOptions& asked) { return fit_phi(star.phi, source, asked, options.threads); });
}

Estimate estimate(const Star& star, const Source& source, const ProblemOptions& question,
                  const EstimateOptions& options, const FitPhi& fit_phi) {
  SeenLogs logs = seen_logs(source, question, options.threads);
  ProblemOptions asked = question;
  StarFit result;
  result.horizon = choose_horizon(star, question.horizon, [&] { return logs.cut; });
  if (result.horizon && result.horizon != question.horizon) {
    asked.horizon = result.horizon;
    logs = seen_logs(source, asked, options.threads);
  }
  PhiFit fitted = fit_phi(asked);
  const ArpBlockFold recipe{.phi = fitted.phi, .options = options_of(star), .whole = logs.survey, .question = asked};
  const auto sums = fold(StarBlockFold{recipe, {make_weight_rule(logs.survey, star.clip, 1.0), asked}}, source, asked,
                         options.threads);
  result.model = make_model(sums.process);
  result.solution = solved(star, result.model, asked.discount, result.horizon);

  // The second pass: the solved model is the recipe. Values are added up in the order of the episodes, as in memory.
  Estimate& estimate = result.estimate;
  estimate.value = result.solution.value;
  ScoreMoments spread;
  for_each_block(
      source, asked, options.threads,
      [&](const Problem& block) {
        const Labels labels = fitted.phi.label(block.data(), Threads{1});
        const ArpFold op(labels, block, recipe.options, logs.survey);
        return influence_values(op, sums.process, result.model, result.solution, block, {.threads = Threads{1}});
      },
      [&](const std::vector<double>& influence) {
        for (const double x : influence) spread.add(x);
        if (options.keep_influence)
          estimate.influence.insert(estimate.influence.end(), influence.begin(), influence.end());
      });
  if (logs.survey.episodes > 1) estimate.std_error = spread.plain().standard_error();
  roll_out(star, asked.discount, options.threads, result);
  if (!options.keep_influence) estimate.spread = spread_of(spread);
  estimate.ess = effective_episodes(sums.weights, logs.survey);
  estimate.findings = std::move(fitted.findings);
  add_findings(star, logs, result, estimate.findings);
  return std::move(result.estimate);
}

}  // namespace starope
