#include "starope/auto/auto_report.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "starope/estimators/effective_size.hpp"

namespace starope {
namespace {

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

void add_drift(const AutoFit& fit, Details& details) {
  details.add("drift", fit.drift.drift, "how far the two finest levels of cells are from all of them");
  details.add("drift_std_error", fit.drift.drift_se, "standard error of that distance");
  details.add("drift_significant", fit.drift.significant, "whether the coarser levels were left out for it");
  if (!fit.drift.significant) return;
  details.add("finest_shift", fit.finest.mean, "how far the finest level is from the two finest");
  details.add("finest_shift_std_error", fit.finest.std_error, "standard error of that distance");
}

void add_markov(const AutoFit& fit, Details& details) {
  const MarkovTest& test = fit.evidence.cells_history;
  details.add("markov", test.markov, "whether one state at a time seems to say enough");
  details.add("markov_delta", test.delta, "how far a window of two ratios moves the answer of the cells");
  details.add("markov_delta_std_error", test.delta_se, "standard error of that shift");
  details.add("markov_gap", test.gap, "how far the coupling of abstractions moved their plain values");
  details.add("markov_threshold", test.threshold, "shifts beyond this count as a sign of hidden history");
  if (!fit.evidence.traces_history) return;
  details.add("traces_delta", fit.evidence.traces_history->delta,
              "how far a window of two ratios moves the answer of the traces");
}

void add_errors(const AnswerErrors& errors, Details& details) {
  const auto root = [](double variance) { return std::sqrt(variance); };
  details.add("error_score", root(errors.score), "standard error: spread of the mixed scores");
  details.add("error_half", root(errors.half),
              "standard error: spread between halves (the larger of these two counts)");
  details.add("error_instability", root(errors.instability), "standard error: mean shift on half of the episodes");
  details.add("error_families", root(errors.spread), "standard error: spread between families");
  details.add("error_doubts", root(errors.doubts), "standard error: what speaks against the families beyond noise");
  details.add("error_seeds", root(errors.seeds), "standard error: spread over the seeds of the abstractions");
  details.add("error_draws", root(errors.draws), "standard error: spread over the draws of the waves");
}

const char* direction(double shift) {
  return shift > 0.0 ? "up" : "down";
}

double sampling_error(const AutoFit& fit) {
  return std::max(fit.answer.errors.score, fit.answer.errors.half);
}

void add_history_findings(const AutoFit& fit, const Auto& automatic, std::vector<Finding>& findings) {
  const MarkovTest& test = fit.evidence.cells_history;
  const double share = fit.answer.remembering();
  if (!test.markov || share > 0.5) {
    const bool ignored = automatic.history == History::off;
    findings.push_back({ignored ? Severity::warning : Severity::info,
                        "history_matters",
                        {{"shift", test.delta}, {"share", share}, {"ignored", ignored ? "yes" : "no"}}});
  } else if (fit.answer.hidden_history > sampling_error(fit)) {
    // Not significant, but then a larger doubt than that of sampling; whether it is within the interval decides.
    const double shift = fit.answer.hidden_shift, half_width = 2.0 * std::sqrt(fit.answer.errors.total());
    if (std::abs(shift) > half_width) {
      findings.push_back(
          {Severity::warning, "memory_disagrees", {{"distance", std::abs(shift)}, {"direction", direction(shift)}}});
    } else {
      findings.push_back(
          {Severity::info, "history_possible", {{"distance", std::abs(shift)}, {"direction", direction(shift)}}});
    }
  }
}

// Whether both windows see more of the effect than the answer, or another sign of it, beyond noise and by more than a
// third of the interval's half width.
bool moved_by_windows(const WindowShifts& windows, double effect, double variance) {
  const double least = 0.35 * 2.0 * std::sqrt(variance);
  const auto moves = [&](const PairedShift& shift, double errors) {
    return std::abs(shift.mean) > std::max(errors * shift.std_error, least);
  };
  return windows.contradict(effect) && moves(windows.shorter, 1.2) && moves(windows.longer, 1.0);
}

// Models that do not agree, and models that are not done learning. Each speaks where it decides about the answer: what
// the interval holds anyway needs no warning.
void add_model_findings(const AutoFit& fit, std::vector<Finding>& findings) {
  constexpr double clearly = 4.0;
  const WeighedAnswer& answer = fit.answer;
  const double cells = answer.weight_of(FamilyKind::cells), waves = answer.weight_of(FamilyKind::waves);
  const double variance = answer.errors.total();
  // Where only the two finest levels are used and even they differ, cells that are finer still would say another thing.
  const double drift = std::abs(fit.finest.mean);
  if (fit.drift.significant && drift > clearly * fit.finest.std_error && drift * cells > 0.5 * std::sqrt(variance)) {
    findings.push_back({Severity::critical,
                        "ladder_drift",
                        {{"distance", drift}, {"weight", cells}, {"direction", direction(fit.finest.mean)}}});
  }
  constexpr double much = 0.375;  // of the variance
  if (answer.classes_apart > 0.0 && answer.classes_spread > much * variance) {
    findings.push_back(
        {Severity::warning,
         "classes_disagree",
         {{"cells", answer.find(FamilyKind::cells)->value}, {"waves", answer.find(FamilyKind::waves)->value}}});
  }
  double learning = 0.0, anchored = 0.0, windowed = 0.0;
  for (const WeighedFamily& family : answer.families) {
    windowed += family.weight * family.counted(DoubtKind::windows);
    learning += family.weight * family.counted(DoubtKind::learning_curve);
    anchored += family.weight * family.counted(DoubtKind::anchor);
  }
  if (anchored > 0.5 * variance) {
    findings.push_back({Severity::warning,
                        "anchor_disagrees",
                        {{"anchor", answer.find(FamilyKind::anchor)->value}, {"value", answer.value}}});
  }
  const double windows = answer.windows.longer.mean;
  if (moved_by_windows(answer.windows, answer.value - fit.evidence.logged, variance)) {
    findings.push_back(
        {Severity::warning, "windows_disagree", {{"shift", std::abs(windows)}, {"direction", direction(windows)}}});
  } else if (windowed > 0.5 * variance) {
    findings.push_back(
        {Severity::info, "windows_counted", {{"shift", std::abs(windows)}, {"direction", direction(windows)}}});
  }
  if (learning > 0.75 * variance) {
    const double actions = answer.weight_of(FamilyKind::actions), share = cells + waves + actions;
    const double sum = cells * fit.curve.cells + waves * fit.curve.waves + actions * fit.curve.actions;
    const double shift = share > 0.0 ? sum / share : 0.0;
    findings.push_back(
        {Severity::info, "learning_curve", {{"shift", std::abs(shift)}, {"direction", direction(-shift)}}});
  }
}

}  // namespace

void limit_to_possible_values(AutoFit& fit, const Problem& problem) {
  ValueRange of_reward;
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    for (const double r : problem.episode(i).rewards) {
      of_reward.lower = std::min(of_reward.lower, r);
      of_reward.upper = std::max(of_reward.upper, r);
    }
  }
  limit_to_possible_values(fit, of_reward, problem.discount());
}

void limit_to_possible_values(AutoFit& fit, const ValueRange& of_reward, Discount discount) {
  double steps = 0.0, weight = 1.0;
  for (std::int64_t t = 0; t < fit.horizon.steps; ++t, weight *= discount.gamma()) steps += weight;
  limit_to_possible_values(fit.estimate, {.lower = of_reward.lower * steps, .upper = of_reward.upper * steps});
}

// A target policy that earns all there is has its value at the edge, where sums are off by rounding.
void limit_to_possible_values(Estimate& estimate, const ValueRange& range) {
  constexpr double rounding = 1e-9;
  const double value = std::clamp(estimate.value, range.lower, range.upper);
  if (std::abs(value - estimate.value) > rounding * (range.upper - range.lower))
    estimate.findings.push_back({Severity::critical, "impossible_value", {{"value", estimate.value}}});
  estimate.value = value;
  estimate.range = range;
}

std::vector<Detail> auto_details(const AutoFit& fit) {
  Details details;
  details.add("horizon", static_cast<double>(fit.horizon.steps), "steps that count");
  details.add("ends_hidden", static_cast<double>(fit.ends.mislead() ? fit.ends.ended : 0),
              "episodes whose end at the last step that counts was taken as a cut");
  details.add("ladder", as_numbers(fit.ladder), "numbers of cells of the abstractions that were used, by level");
  details.add("seeds", static_cast<double>(fit.seeds), "abstractions per level");
  add_drift(fit, details);
  add_markov(fit, details);
  details.add("anchor_ess", fit.evidence.anchor_ess, "effective sample size of cumulative weights where it matters");
  const WindowShifts& windows = fit.answer.windows;
  details.add("windows_of_four", windows.shorter.mean, "how far windows of four ratios move the answer");
  details.add("windows_of_four_std_error", windows.shorter.std_error, "standard error of that shift");
  details.add("windows_of_eight", windows.longer.mean, "how far windows of eight ratios move the answer");
  details.add("windows_of_eight_std_error", windows.longer.std_error, "standard error of that shift");
  details.add("half_data_cells", fit.curve.cells, "how far cells of half of the episodes are from those of all");
  details.add("half_data_waves", fit.curve.waves, "how far waves of half of the episodes are from those of all");
  details.add("values_of_actions", fit.evidence.anchor_by_actions,
              "whether values of actions were fitted, which needs the target policy's probabilities of all actions");
  if (fit.evidence.anchor_by_actions) {
    details.add("half_data_actions", fit.curve.actions,
                "how far actions of half of the episodes are from those of all");
  }
  if (fit.cuts.test.ends > 0) {
    const EndsTest& test = fit.cuts.test;
    details.add("ends", static_cast<double>(test.ends), "episodes that end before others and are not marked as cut");
    details.add("ends_dependence", test.dependence,
                "how clearly they depend on states, actions or rewards, as a normal deviate");
    details.add("ends_calm", test.calm_expected > 0.0 ? test.calm_ends / test.calm_expected : 0.0,
                "how many of them come where nothing speaks for an end, as a share of what chance expects there");
    details.add("ends_clock", test.clock, "standard errors by which those depend on the number of the step");
  }
  details.add("unsupported", fit.unsupported, "expected visits of cells whose outcome the logs do not show");
  details.add("neff", fit.scores, "how many episodes the spread of the scores rests on");
  add_errors(fit.answer.errors, details);
  details.add("plain_of_level", fit.plain_of_level, "mean value of the single abstractions, by level");
  details.add("value_of_finest_levels", fit.by_levels, "answer of the cells on the finest level, the two finest, ...");
  details.add("value_of_seed", fit.by_seed, "answer of each seed's cells alone");
  return details.take();
}

std::vector<FamilyAnswer> auto_families(const WeighedAnswer& answer) {
  std::vector<FamilyAnswer> families;
  for (const WeighedFamily& family : answer.families) {
    families.push_back({.family = name_of(family.kind),
                        .value = family.value,
                        .error = std::sqrt(family.mean_squared_error()),
                        .weight = family.weight,
                        .reason = family.reason()});
  }
  std::stable_sort(families.begin(), families.end(),
                   [](const FamilyAnswer& a, const FamilyAnswer& b) { return a.weight > b.weight; });
  return families;
}

std::vector<Finding> auto_findings(const AutoFit& fit, const Auto& automatic, const Problem& problem) {
  std::vector<Finding> findings = fit.estimate.findings;
  const bool ended_by_the_clock = fit.ends.ended == problem.episodes() && fit.ends.mislead();
  if (fit.horizon.assumed && !ended_by_the_clock) {
    findings.push_back({Severity::info, "horizon_assumed", {{"steps", fit.horizon.steps}}});
    constexpr double some = 0.05, most = 0.5;
    if (fit.beyond > some) {
      findings.push_back({fit.beyond > most ? Severity::critical : Severity::warning,
                          "horizon_short",
                          {{"share", fit.beyond}, {"steps", fit.horizon.steps}}});
    }
  }
  if (ended_by_the_clock) {
    findings.push_back({Severity::info, "fixed_length", {{"steps", fit.horizon.steps}, {"ends", "hidden"}}});
  }
  if (fit.if_cut) findings.push_back({Severity::warning, "missing_flags", {{"value", *fit.if_cut}}});
  add_history_findings(fit, automatic, findings);
  add_model_findings(fit, findings);
  if (fit.unsupported > 0.005) {
    findings.push_back({fit.unsupported > 0.05 ? Severity::critical : Severity::warning,
                        "unsupported_steps",
                        {{"steps", fit.unsupported}}});
  }
  if (const auto finding = low_ess(*fit.estimate.ess, problem.episodes())) findings.push_back(*finding);
  return findings;
}

}  // namespace starope
