#include "starope/evaluate/advice.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace starope {
namespace {

constexpr double many_errors = 4.0;  // standard errors: beyond any reasonable doubt, with many numbers looked at
constexpr double enough_scores = 30.0;

class Advice {
 public:
  explicit Advice(const Inspection& inspection) : seen_(inspection), findings_(inspection.findings) {}

  std::vector<Finding> give() {
    probabilities();
    if (seen_.ratios) {
      logged_probabilities_wrong();
      support();
      concentration();
    }
    ends();
    states();
    history();
    if (seen_.episodes == 1) add(Severity::warning, "single_episode");
    // What may be most wrong comes first: by severity, then by how much of an answer is at stake.
    std::stable_sort(findings_.begin(), findings_.end(), [this](const Finding& a, const Finding& b) {
      return std::pair(a.severity, at_stake(a)) > std::pair(b.severity, at_stake(b));
    });
    return std::move(findings_);
  }

 private:
  void add(Severity severity, const char* code, std::vector<FindingParameter> parameters = {}) {
    findings_.push_back({severity, code, std::move(parameters)});
  }

  // The share of an answer that a finding is about, roughly: 1 where all of it is.
  double at_stake(const Finding& finding) const {
    const std::string& code = finding.code;
    const auto number = [&](const char* name) { return number_of(finding, name).value_or(0.0); };
    if (code == "unsupported_actions") return 1.0 - std::pow(1.0 - std::min(1.0, number("share")), seen_.lengths.mean);
    if (code == "weights_collapse") return beyond(number("steps"));
    if (code == "uneven_truncation") return number("episodes") / static_cast<double>(seen_.episodes);
    if (code == "row_before_helps") return number("gain");
    if (code == "zero_ratios") return number("share");
    if (code == "rare_states") return number("once") / std::max(1.0, number("distinct"));
    if (code == "missing_flags" || code == "natural_horizon") return 0.5;
    if (code == "constant_features" || code == "rounded_probabilities" || code == "no_states") return 0.0;
    return 1.0;  // probabilities, rewards or rows that are wrong
  }
  static std::optional<double> number_of(const Finding& finding, const char* name) {
    for (const FindingParameter& parameter : finding.parameters) {
      if (parameter.name != name) continue;
      if (const auto* real = std::get_if<double>(&parameter.value)) return *real;
      if (const auto* whole = std::get_if<std::int64_t>(&parameter.value)) return static_cast<double>(*whole);
    }
    return std::nullopt;
  }
  // The share of the steps that come after so many, if all episodes were as long as the mean.
  double beyond(double steps) const { return std::clamp(1.0 - (steps - 1.0) / seen_.lengths.mean, 0.05, 1.0); }

  void history() {
    if (!seen_.history || !seen_.history->matters) return;
    const std::string what = seen_.history->of == "state" ? "the next state" : seen_.history->of;
    add(Severity::warning, "row_before_helps",
        {{"what", what}, {"gain", seen_.history->gain}, {"errors", seen_.history->errors}});
  }

  void probabilities() {
    if (!seen_.behavior_probability) add(Severity::warning, "no_behavior_probability");
    if (!seen_.target_probability) add(Severity::warning, "no_target_probability");
  }

  // The mean is 1 in expectation whatever the policies are, if the probabilities belong to the logged actions.
  void logged_probabilities_wrong() {
    const auto& found = seen_.findings;  // of the checks: single ratios are the sharper evidence
    if (std::any_of(found.begin(), found.end(), [](const Finding& finding) { return finding.code == "ratio_mean"; }) ||
        std::any_of(found.begin(), found.end(),
                    [](const Finding& finding) { return finding.code.starts_with("behavior_"); }))
      return;
    for (const WeightsAt& at : seen_.weights) {
      if (!far_from_one(at.mean, at.std_error)) continue;
      // Where the few episodes of large weight are missing, the mean is low and its standard error is too small to show
      // it: that is no evidence against the probabilities. A mean that is too high has no such excuse.
      if (at.mean < 1.0 && at.scores < enough_scores) {
        add(Severity::warning, "weights_missing", {{"steps", at.t}, {"mean", at.mean}});
      } else {
        add(Severity::warning, "weight_mean",
            {{"steps", at.t}, {"mean", at.mean}, {"errors", errors_from_one(at.mean, at.std_error)}});
      }
      return;
    }
  }

  static bool far_from_one(double mean, double std_error) {
    return std::abs(mean - 1.0) > many_errors * std_error + 1e-6;  // probabilities are written with few digits
  }
  // A thousand stands for any larger number: the standard error may be zero.
  static double errors_from_one(double mean, double std_error) {
    return std::min(std::abs(mean - 1.0) / std_error, 1000.0);
  }

  void support() {
    if (seen_.unsupported_target && *seen_.unsupported_target > 0.0)
      add(Severity::warning, "unsupported_actions", {{"share", *seen_.unsupported_target}});
    if (seen_.ratios->zero_share > 0.0) add(Severity::info, "zero_ratios", {{"share", seen_.ratios->zero_share}});
  }

  void concentration() {
    const Inspection::Range& ratio = seen_.ratios->range;
    if (ratio.min == 1.0 && ratio.max == 1.0) return;  // the checks say so
    if (seen_.weights_fail_at) {
      add(Severity::warning, "weights_collapse",
          {{"steps", *seen_.weights_fail_at},
           {"few", few_episodes(seen_.episodes)},
           {"episodes", seen_.episodes},
           {"example", seen_.discrete_state ? "star(phi=identity,clip=1)" : "star(clusters=32,clip=2)"}});
    } else {
      add(Severity::info, "weights_hold", {{"ess", seen_.weights.back().ess}, {"episodes", seen_.episodes}});
    }
  }

  void ends() {
    if (!seen_.ends_logged) add(Severity::info, "ends_not_logged");
    if (!seen_.truncated_lengths) return;
    const auto [shortest, longest] = *seen_.truncated_lengths;
    if (shortest == longest && longest == seen_.lengths.max) {
      add(Severity::info, "natural_horizon", {{"steps", longest}});
    } else {
      add(Severity::warning, "uneven_truncation",
          {{"episodes", seen_.truncated}, {"shortest", shortest}, {"longest", longest}});
    }
  }

  void states() {
    if (!seen_.discrete_state && seen_.features.empty()) add(Severity::info, "no_states");
    std::string names;
    std::int64_t constants = 0;
    for (const auto& feature : seen_.features) {
      if (feature.range.min != feature.range.max) continue;
      if (++constants <= 5) names += (names.empty() ? "" : ", ") + feature.name;
    }
    if (constants > 5) names += ", ...";
    if (constants > 0) add(Severity::info, "constant_features", {{"features", constants}, {"names", names}});
    const auto& discrete = seen_.discrete_state;
    if (discrete && 5 * discrete->visited_once > discrete->distinct && discrete->distinct > 10) {
      add(Severity::info, "rare_states", {{"once", discrete->visited_once}, {"distinct", discrete->distinct}});
    }
  }

  const Inspection& seen_;
  std::vector<Finding> findings_{};
};

}  // namespace

std::vector<Finding> advice(const Inspection& inspection) {
  return Advice(inspection).give();
}

}  // namespace starope
