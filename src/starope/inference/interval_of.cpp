#include "starope/inference/interval_of.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "starope/estimators/estimate.hpp"
#include "starope/estimators/importance_sums.hpp"
#include "starope/inference/bounds.hpp"
#include "starope/inference/influence_interval.hpp"
#include "starope/stats/quantile.hpp"

namespace starope {
namespace {

Finding refused(IntervalMethod method, const char* reason) {
  return {Severity::warning, "no_interval", {{"method", name(method)}, {"reason", reason}}};
}

bool leaves_out_the_fit(const Estimate& estimate) {
  return std::any_of(estimate.findings.begin(), estimate.findings.end(),
                     [](const Finding& finding) { return finding.code == "fit_not_in_error"; });
}

// What an estimator is the mean of; none if it is no mean of independent values.
std::optional<ReturnWeight> mean_of(const Estimator& estimator) {
  if (std::holds_alternative<Naive>(estimator)) return ReturnWeight::none;
  const auto* sampling = std::get_if<ImportanceSampling>(&estimator);
  if (sampling == nullptr || sampling->weighted) return std::nullopt;
  return sampling->per_decision ? ReturnWeight::per_decision : ReturnWeight::whole;
}

// The range of the values: products of ratios lie between 0 and `weight`.
ValueRange range_of(const ReturnRange& range, ReturnWeight weight) {
  if (weight == ReturnWeight::none) return {range.lower, range.upper};
  return {std::min(0.0, *range.weight * range.lower), std::max(0.0, *range.weight * range.upper)};
}

// The largest product of ratios that a reward of the episode is multiplied with.
double largest_weight(const LoggedEpisode& episode, ReturnWeight weight) {
  double product = 1.0, largest = 0.0;
  for (const double ratio : episode.ratios) {
    product *= ratio;
    largest = std::max(largest, product);
  }
  return weight == ReturnWeight::whole ? product : largest;
}

// What an episode says against the range that was given: a return or a weight outside of it, or their product.
struct Offence {
  const char* of;
  double value, lower, upper;
};
std::optional<Offence> offence(const LoggedEpisode& episode, double value, ReturnWeight weight, ReturnScore returned,
                               const ReturnRange& given, const ValueRange& range) {
  returned.weight = ReturnWeight::none;
  const double earned = returned(episode);
  if (!(earned >= given.lower && earned <= given.upper)) return Offence{"return", earned, given.lower, given.upper};
  if (weight == ReturnWeight::none) return std::nullopt;
  if (const double most = largest_weight(episode, weight); !(most <= *given.weight))
    return Offence{"weight", most, 0.0, *given.weight};
  if (!(value >= range.lower && value <= range.upper)) return Offence{"weighted", value, range.lower, range.upper};
  return std::nullopt;
}

// No policy earns less than the least or more than the most that an episode may earn. Where the bound contradicts that,
// the logs lack what the target policy does, and it stays as it is.
Interval within(Interval interval, const ReturnRange& given) {
  if (interval.upper < given.lower || interval.lower > given.upper) return interval;
  interval.lower = std::max(interval.lower, given.lower);
  interval.upper = std::min(interval.upper, given.upper);
  return interval;
}

}  // namespace

bool is_bootstrap(IntervalMethod method) noexcept {
  return method == IntervalMethod::bootstrap_percentile || method == IntervalMethod::bootstrap_bca ||
         method == IntervalMethod::bootstrap_studentized;
}

bool is_bound(IntervalMethod method) noexcept {
  return method == IntervalMethod::hoeffding || method == IntervalMethod::empirical_bernstein ||
         method == IntervalMethod::anderson;
}

MadeInterval interval_from_error(const Estimate& estimate, IntervalMethod method, Level level) {
  if (leaves_out_the_fit(estimate)) return {.interval = {}, .findings = {refused(method, "network")}};
  MadeInterval made{.interval = influence_interval(estimate, level), .findings = {}};
  if (method == IntervalMethod::influence || !made.interval) return made;
  const double freedom = std::max(1.0, static_cast<double>(scored_episodes(estimate)) - 1.0);
  const double reach = student_t_quantile(0.5 + 0.5 * level.probability(), freedom) * *estimate.std_error;
  made.interval->lower = estimate.value - reach;
  made.interval->upper = estimate.value + reach;
  made.interval->method = name(method);
  if (estimate.range) {
    made.interval->lower = std::max(made.interval->lower, estimate.range->lower);
    made.interval->upper = std::min(made.interval->upper, estimate.range->upper);
  }
  return made;
}

MadeInterval interval_from_bound(const Estimator& estimator, const Problem& problem, const IntervalRecipe& recipe,
                                 Level level) {
  const auto none = [&](const char* reason) {
    return MadeInterval{.interval = {}, .findings = {refused(recipe.method, reason)}};
  };
  const auto weight = mean_of(estimator);
  if (!weight) return none("no_mean");
  if (!recipe.range) return none("no_range");
  if (*weight != ReturnWeight::none && !recipe.range->weight) return none("no_weight");
  const ValueRange range = range_of(*recipe.range, *weight);
  const ReturnScore score = make_return_fold(*weight, problem.options()).score;
  std::vector<double> values;
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const LoggedEpisode episode = problem.episode(i);
    values.push_back(score(episode));
    const auto against = offence(episode, values.back(), *weight, score, *recipe.range, range);
    if (!against) continue;
    MadeInterval made = none("outside");
    made.findings.front() = {Severity::warning,
                             "outside_range",
                             {{"method", name(recipe.method)},
                              {"of", against->of},
                              {"episode", problem.data().episode_name(i)},
                              {"value", against->value},
                              {"lower", against->lower},
                              {"upper", against->upper}}};
    return made;
  }
  const Interval bound = recipe.method == IntervalMethod::hoeffding ? hoeffding_interval(values, range, level)
                         : recipe.method == IntervalMethod::anderson
                             ? anderson_interval(values, range, level)
                             : empirical_bernstein_interval(values, range, level);
  return {within(bound, *recipe.range), {}};
}

MadeInterval interval_from_replicates(const Estimate& estimate, const Replicated& replicated,
                                      const IntervalRecipe& recipe, std::int64_t usual_replicates, Level level,
                                      Threads threads) {
  const Replicates found = replicated({.replicates = recipe.replicates.value_or(usual_replicates),
                                       .seed = recipe.seed,
                                       .errors = recipe.method == IntervalMethod::bootstrap_studentized,
                                       .threads = threads});
  const auto answered = static_cast<std::int64_t>(found.values.size());
  // What has no answer in many resamples has a tail that the others do not show.
  constexpr std::int64_t most_failures = 20;  // one in so many
  if (found.failed * most_failures > answered + found.failed) {
    return {.interval = {},
            .findings = {{Severity::warning,
                          "failed_replicates",
                          {{"failed", found.failed}, {"replicates", answered + found.failed}, {"interval", "none"}}}}};
  }
  MadeInterval made{.interval = bootstrap_interval(estimate, found, recipe.method, level), .findings = {}};
  if (!made.interval) made.findings.push_back(refused(recipe.method, "no_spread"));
  if (made.interval && found.failed > 0) {
    made.findings.push_back(
        {Severity::warning,
         "failed_replicates",
         {{"failed", found.failed}, {"replicates", answered + found.failed}, {"interval", "kept"}}});
  }
  return made;
}

}  // namespace starope
