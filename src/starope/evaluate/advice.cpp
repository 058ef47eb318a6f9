#include "starope/evaluate/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "starope/base/numbers.hpp"
#include "starope/base/text.hpp"

namespace starope {
namespace {

constexpr double many_errors = 4.0;  // standard errors: beyond any reasonable doubt, with many numbers looked at
constexpr double enough_scores = 30.0;

class Advice {
 public:
  explicit Advice(const Inspection& inspection) : seen_(inspection) {}

  std::vector<Finding> give() {
    probabilities();
    if (seen_.ratios) {
      logged_probabilities_wrong();
      support();
      concentration();
    }
    ends();
    states();
    if (seen_.episodes == 1) {
      add(Severity::warning, "single_episode", "There is only one episode: no estimate can have a standard error.");
    }
    std::stable_sort(findings_.begin(), findings_.end(),
                     [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
    return std::move(findings_);
  }

 private:
  void add(Severity severity, const char* code, std::string message) {
    findings_.push_back({.severity = severity, .code = code, .message = std::move(message)});
  }

  void probabilities() {
    if (!seen_.behavior_probability) {
      add(Severity::warning, "no_behavior_probability",
          "There are no behaviour probabilities, and evaluate needs them. Log behavior_prob, the "
          "probability with which each action was chosen, or name its column with --behavior-prob.");
    }
    if (!seen_.target_probability) {
      add(Severity::warning, "no_target_probability",
          "There are no target probabilities. Add target_prob, the probability with which the policy in question would "
          "take the logged action, or name its column with --target-prob.");
    }
  }

  // Both means are 1 in expectation whatever the policies are, if the probabilities belong to the logged actions.
  void logged_probabilities_wrong() {
    const auto& ratios = *seen_.ratios;
    if (ratios.std_error && far_from_one(ratios.range.mean, *ratios.std_error)) {
      add(Severity::warning, "ratio_mean",
          fmt::format("The mean ratio of target to behaviour probability is {}, {} standard errors from 1, where it "
                      "must be near 1. Either behavior_prob is not the probability with which the logged actions were "
                      "chosen, or the target policy takes actions that the behaviour policy never takes.",
                      format_number(ratios.range.mean, 4), errors_from_one(ratios.range.mean, *ratios.std_error)));
      return;
    }
    for (const WeightsAt& at : seen_.weights) {
      if (!far_from_one(at.mean, at.std_error)) continue;
      // Where the few episodes of large weight are missing, the mean is low and its standard error is too small to show
      // it: that says nothing about the probabilities. A mean that is too high has no such excuse.
      if (at.mean < 1.0 && at.scores < enough_scores) {
        add(Severity::warning, "weights_missing",
            fmt::format(
                "After {} the weights have mean {} instead of 1: the rare episodes that should carry most of the "
                "weight are not in the log. The effective sample size from there on is overstated, and wis and "
                "wpdis lean towards naive.",
                counted(at.t, "step"), format_number(at.mean, 2)));
        return;
      }
      add(Severity::warning, "weight_mean",
          fmt::format("The mean weight after {} is {}, {} standard errors from 1, where it must be near 1. Check that "
                      "behavior_prob and target_prob belong to the logged actions.",
                      counted(at.t, "step"), format_number(at.mean, 4), errors_from_one(at.mean, at.std_error)));
      return;
    }
  }

  static bool far_from_one(double mean, double std_error) {
    return std::abs(mean - 1.0) > many_errors * std_error + 1e-6;  // probabilities are written with few digits
  }
  static std::string errors_from_one(double mean, double std_error) {
    const double distance = std::abs(mean - 1.0) / std_error;
    return distance < 1000.0 ? format_number(distance, 2) : "more than 1,000";
  }

  void support() {
    if (seen_.unsupported_target && *seen_.unsupported_target > 0.0) {
      add(Severity::warning, "unsupported_actions",
          fmt::format("The target policy spends {} of its probability on actions that the behaviour policy never takes "
                      "in the same state. No log of this behaviour policy says what they earn; importance sampling "
                      "counts them as if they earned nothing.",
                      format_share(*seen_.unsupported_target)));
    }
    if (seen_.ratios->zero_share > 0.0) {
      add(Severity::info, "zero_ratios",
          fmt::format("In {} of the steps the target policy would never take the logged action; from there on the "
                      "episode has weight 0 in full importance sampling.",
                      format_share(seen_.ratios->zero_share)));
    }
  }

  void concentration() {
    const Inspection::Range& ratio = seen_.ratios->range;
    if (ratio.min == 1.0 && ratio.max == 1.0) {
      add(Severity::info, "same_policy",
          "Both policies gave every logged action the same probability: the mean return of the log is the answer.");
      return;
    }
    if (seen_.weights_fail_at) {
      const double few = few_episodes(seen_.episodes);
      add(Severity::warning, "weights_collapse",
          fmt::format("After {} steps, fewer than {} of {} carry the weights: importance sampling over whole episodes "
                      "(is, wis, pdis, wpdis) cannot be trusted. Use auto, or star with a small clip, such as {}.",
                      with_thousands(*seen_.weights_fail_at), format_number(few, 3), counted(seen_.episodes, "episode"),
                      star_example()));
      return;
    }
    const WeightsAt& last = seen_.weights.back();
    add(Severity::info, "weights_hold",
        fmt::format("Even at full length the weights are worth {} of {}: importance sampling can be used.",
                    format_ess(last.ess), counted(seen_.episodes, "episode")));
  }

  std::string star_example() const {
    return seen_.discrete_state ? "star(phi=identity,clip=1)" : "star(clusters=32,clip=2)";
  }

  void ends() {
    if (!seen_.ends_logged) {
      add(Severity::info, "ends_not_logged",
          "There are no terminated or truncated columns: every last row is taken as a termination. If recordings were "
          "cut while the process went on, mark them in a column truncated.");
    }
    if (!seen_.truncated_lengths) return;
    const auto [shortest, longest] = *seen_.truncated_lengths;
    if (shortest == longest && longest == seen_.lengths.max) {
      add(Severity::info, "natural_horizon",
          fmt::format("All truncated episodes have {}: {} is the natural --horizon. With truncation=censor, star takes "
                      "what follows a cut as unknown; by default the cut counts as an end.",
                      counted(longest, "step"), longest));
    } else {
      add(Severity::warning, "uneven_truncation",
          fmt::format("{} {} cut after {} steps while others ran longer, and what would have followed is unknown. With "
                      "--horizon {} or less no estimate depends on it.",
                      counted(seen_.truncated, "episode"), seen_.truncated == 1 ? "was" : "were",
                      shortest == longest ? with_thousands(shortest)
                                          : with_thousands(shortest) + " to " + with_thousands(longest),
                      shortest));
    }
  }

  void states() {
    if (!seen_.discrete_state && seen_.features.empty()) {
      add(Severity::info, "no_states",
          "There are no state columns: star and the model-based estimators need them, the others do not.");
    }
    std::string constant;
    std::int64_t constants = 0;
    for (const auto& feature : seen_.features) {
      if (feature.range.min != feature.range.max) continue;
      if (++constants <= 5) constant += (constant.empty() ? "" : ", ") + feature.name;
    }
    if (constants > 0) {
      add(Severity::info, "constant_features",
          fmt::format("{} never {}: {}{}.", counted(constants, "state feature"), constants == 1 ? "changes" : "change",
                      constant, constants > 5 ? ", ..." : ""));
    }
    if (seen_.discrete_state && 5 * seen_.discrete_state->visited_once > seen_.discrete_state->distinct &&
        seen_.discrete_state->distinct > 10) {
      add(Severity::info, "rare_states",
          fmt::format("{} of {} states were seen in a single step: what a model over all states says about them rests "
                      "on one observation each. auto, or a lookup table that groups states, star(lookup=FILE.csv), is "
                      "steadier.",
                      with_thousands(seen_.discrete_state->visited_once),
                      with_thousands(seen_.discrete_state->distinct)));
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
