#include "starope/auto/auto_report.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "starope/estimators/effective_size.hpp"

namespace starope {
namespace {

std::string why(const FamilyMix& mix) {
  switch (mix.reason) {
    case MixReason::late_steps:
      return "time-pooled only: too much of the target policy's weight is at steps that few logged episodes reach";
    case MixReason::unstable:
      return "time-pooled only: the time-indexed estimate changes too much between halves of the episodes";
    case MixReason::disagree:
      return "the middle: time-pooled and time-indexed estimates differ by more than noise";
    case MixReason::weighted:
      break;
  }
  return "weighted by how exact and how stable each family is";
}

std::vector<double> as_numbers(const std::vector<std::int64_t>& whole) {
  return {whole.begin(), whole.end()};
}

class Details {
 public:
  template <class Value>
  void add(const char* name, Value value, const char* meaning) {
    list_.push_back({.name = name, .value = std::move(value), .meaning = meaning});
  }
  std::vector<Detail> take() { return std::move(list_); }

 private:
  std::vector<Detail> list_;
};

void add_markov(const AutoFit& fit, Details& details) {
  const MarkovTest& test = fit.markov;
  details.add("markov", test.markov, "whether one state at a time seems to say enough");
  details.add("markov_delta", test.delta, "how far a window of two ratios moves the estimate");
  details.add("markov_delta_std_error", test.delta_se, "standard error of that shift");
  details.add("markov_gap", test.gap, "how far the coupling of abstractions moved their plain values");
  details.add("markov_threshold", test.threshold, "shifts beyond this count as a sign of hidden history");
  details.add("history_used", fit.history_used, "whether the abstractions saw the previous step");
}

void add_families(const FamilyMix& mix, Details& details) {
  details.add("pooled_value", mix.pooled.value, "estimate of the family with one model for all steps");
  details.add("pooled_std_error", mix.pooled.std_error, "spread of its scores");
  details.add("pooled_instability", mix.pooled.instability, "mean shift on half of the episodes");
  details.add("indexed_value", mix.indexed.value, "estimate of the family with a model per step");
  details.add("indexed_std_error", mix.indexed.std_error, "spread of its scores");
  details.add("indexed_instability", mix.indexed.instability, "mean shift on half of the episodes");
  details.add("indexed_share", mix.indexed_share, "share of the time-indexed family in the answer");
  details.add("indexed_share_why", why(mix), "why this share");
}

void add_errors(const ErrorTerms& errors, Details& details) {
  const auto root = [](double variance) { return std::sqrt(variance); };
  details.add("error_score", root(errors.score), "standard error: spread of the scores");
  details.add("error_half", root(errors.half),
              "standard error: spread between halves (the larger of these two counts)");
  details.add("error_seeds", root(errors.seeds), "standard error: spread over the seeds of the abstractions");
  details.add("error_instability", root(errors.instability), "standard error: mean shift on half of the episodes");
  details.add("error_ladder", root(errors.ladder), "standard error: distance of the finest abstractions' estimate");
  details.add("error_families", root(errors.families), "standard error: disagreement of the two families");
  details.add("error_history", root(errors.history), "standard error: what a further ratio moves, beyond noise");
}

}  // namespace

void limit_to_possible_values(AutoFit& fit, const Problem& problem) {
  double lowest = 0.0, highest = 0.0;
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    for (const double r : problem.episode(i).rewards) {
      lowest = std::min(lowest, r);
      highest = std::max(highest, r);
    }
  }
  double steps = 0.0, discount = 1.0;
  for (std::int64_t t = 0; t < fit.horizon.steps; ++t, discount *= problem.discount().gamma()) steps += discount;
  const ValueRange range{.lower = lowest * steps, .upper = highest * steps};
  const double value = std::clamp(fit.estimate.value, range.lower, range.upper);
  if (value != fit.estimate.value) {
    fit.estimate.findings.push_back({Severity::critical, "impossible_value", {{"value", fit.estimate.value}}});
  }
  fit.estimate.value = value;
  fit.estimate.range = range;
}

std::vector<Detail> auto_details(const AutoFit& fit) {
  Details details;
  details.add("horizon", static_cast<double>(fit.horizon.steps), "steps that count");
  details.add("ends_hidden", static_cast<double>(fit.ends.mislead() ? fit.ends.ended : 0),
              "episodes whose end at the last step that counts was taken as a cut");
  details.add("ladder", as_numbers(fit.ladder), "numbers of cells of the abstractions, by level");
  details.add("seeds", static_cast<double>(fit.seeds), "abstractions per level");
  details.add("drift", fit.drift.drift, "how far the two finest levels are from all of them");
  details.add("drift_std_error", fit.drift.drift_se, "standard error of that distance");
  details.add("drift_significant", fit.drift.significant, "whether the coarser levels were left out for it");
  add_markov(fit, details);
  if (fit.families) add_families(*fit.families, details);
  details.add("late_share", fit.late.share, "share of the target's weight at steps fewer than 10 episodes reach");
  details.add("unsupported", fit.unsupported, "expected visits of cells whose outcome the logs do not show");
  details.add("neff", fit.scores, "how many episodes the spread of the scores rests on");
  add_errors(fit.errors, details);
  details.add("plain_of_level", fit.plain_of_level, "mean value of the single abstractions, by level");
  details.add("value_of_finest_levels", fit.by_levels, "estimate from the finest level, the two finest, ...");
  details.add("value_of_seed", fit.by_seed, "estimate from each seed's abstractions alone");
  return details.take();
}

std::vector<Finding> auto_findings(const AutoFit& fit, const Auto& automatic, const Problem& problem) {
  std::vector<Finding> findings = fit.estimate.findings;
  const auto direction = [](double shift) { return shift > 0.0 ? "up" : "down"; };
  const bool ended_by_the_clock = fit.ends.ended == problem.episodes() && fit.ends.mislead();
  if (fit.horizon.assumed && !ended_by_the_clock) {
    findings.push_back({Severity::info, "horizon_assumed", {{"steps", fit.horizon.steps}}});
  }
  if (ended_by_the_clock) {
    findings.push_back({Severity::info, "fixed_length", {{"steps", fit.horizon.steps}, {"ends", "hidden"}}});
  }
  if (!fit.markov.markov) {
    const char* seen_by = fit.history_used ? "all" : automatic.history == History::off ? "none" : "half";
    findings.push_back({fit.history_used ? Severity::info : Severity::warning,
                        "history_matters",
                        {{"shift", fit.markov.delta}, {"seen_by", seen_by}}});
  }
  // Not significant, but then a larger doubt than that of sampling.
  if (fit.markov.markov && fit.errors.history > std::max(fit.errors.score, fit.errors.half)) {
    findings.push_back({Severity::info,
                        "history_possible",
                        {{"shift", fit.markov.delta},
                         {"std_error", fit.markov.delta_se},
                         {"direction", direction(fit.markov.delta)}}});
  }
  if (fit.drift.significant) {
    findings.push_back({Severity::critical,
                        "ladder_drift",
                        {{"distance", std::abs(fit.drift.drift)},
                         {"levels", fit.history_used ? "all" : "finest"},
                         {"direction", direction(fit.drift.drift)}}});
  }
  if (fit.late.share > 0.01 &&
      fit.late.from.value_or(0) > 0) {  // from the first step on: there are few episodes at all
    findings.push_back({fit.late.share > 0.1 ? Severity::warning : Severity::info,
                        "late_steps",
                        {{"share", fit.late.share}, {"step", *fit.late.from}}});
  }
  if (fit.unsupported > 0.005) {
    findings.push_back({fit.unsupported > 0.05 ? Severity::critical : Severity::warning,
                        "unsupported_steps",
                        {{"steps", fit.unsupported}}});
  }
  if (fit.families && fit.families->reason == MixReason::disagree) {
    findings.push_back({Severity::warning,
                        "families_disagree",
                        {{"pooled", fit.families->pooled.value}, {"indexed", fit.families->indexed.value}}});
  }
  if (const auto finding = low_ess(*fit.estimate.ess, problem.episodes())) findings.push_back(*finding);
  return findings;
}

}  // namespace starope
