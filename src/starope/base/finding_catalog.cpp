#include "starope/base/finding_catalog.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "starope/base/finding_sentence.hpp"
#include "starope/base/inference_findings.hpp"
#include "starope/base/log_findings.hpp"
#include "starope/base/model_findings.hpp"

namespace starope {
namespace {

constexpr std::array catalog = std::to_array<FindingKind>({
    {.code = "constant_features",
     .severity = "info",
     .when = "`inspect`: a state feature has one value in all steps",
     .sentence = "{features:# state feature never changes|# state features never change}: {names}."},
    {.code = "ends_not_logged",
     .severity = "info",
     .when = "`inspect`: the log has neither a column terminated nor a column truncated",
     .sentence =
         "There are no terminated or truncated columns: every last row is taken as a termination. If recordings "
         "were cut while the process continued, mark them in a column truncated."},
    {.code = "fewer_clusters",
     .severity = "info",
     .when = "k-means was asked for more clusters than there are distinct states",
     .sentence = "The logs hold only {distinct:# distinct state}: {distinct:# cluster is|# clusters are} used instead "
                 "of {asked}."},
    {.code = "fewer_groups",
     .severity = "info",
     .when = "`star(phi=value)` was asked for more clusters than value and occupancy distinguish",
     .sentence = "Value and occupancy distinguish only {groups:# group} of states, instead of {asked}."},
    {.code = "final_state_unused",
     .severity = "info",
     .when = "the log has a state after the last step of a terminated episode",
     .sentence = "{states:# state} after the last step of a terminated episode {states:is|are} not used. If such an "
                 "episode was only cut off there, mark it with truncated = 1."},
    {.code = "fit_not_in_error",
     .severity = "warning",
     .when = "the Q-function is a network, whose fit is not differentiated",
     .sentence = "The standard error takes the fitted network as exact: it does not include the uncertainty of the "
                 "network, and is too small."},
    {.code = "fixed_length",
     .severity = "info warning",
     .when = "all episodes terminate after the same number of steps, in states that usually continue; a warning for "
             "`star`, which keeps these ends",
     .sentence = "All episodes end after {steps:# step}, in states that usually continue, so a time limit seems to end "
                 "them. {ends:kept -> A model for all steps does not know the time: use time=indexed, or auto, which "
                 "takes such ends as the end of the recording.|hidden -> Their ends are taken as the end of the "
                 "recording.}"},
    {.code = "history_matters",
     .severity = "info warning",
     .when = "`auto`: what happened before a state changes the estimate significantly; a warning where `history=off` "
             "ignores that",
     .sentence = "History changes the estimate: the state is not Markov, or the abstractions are too coarse. (A second "
                 "ratio moves the answer of the cells by {shift:.3}.) Models with memory have {share:%} of the "
                 "weight{ignored:no -> .|yes ->  because history=off leaves them out; the answer may be biased.}"},
    {.code = "history_possible",
     .severity = "info",
     .when = "`auto`: what happened before a state may change the estimate by more than noise explains, but not "
             "surely, and that is a larger doubt than sampling; it stays within the interval",
     .sentence = "With a memory of what happened before, the answer may lie {distance:.3} further {direction}: not "
                 "enough to be sure that the state hides something, but more than noise explains. The interval is "
                 "wider because of this."},
    {.code = "horizon_assumed",
     .severity = "info",
     .when = "`auto`: no episode is cut off and no horizon is given",
     .sentence = "No episode is cut off and no horizon is given: {steps:# step counts|# steps count}, the length of "
                 "the longest episode. Give --horizon H to ask about another number of steps."},
    {.code = "horizon_short",
     .severity = "warning critical",
     .when = "`auto`: no horizon is given, and more than 5 % of the target policy's episodes would be longer than any "
             "that was logged; critical above 50 %",
     .sentence = "About {share:%} of the target policy's episodes would go on after {steps:# step}, the length of the "
                 "longest logged episode, and what they earn from there on is left out. Give --horizon H, the number "
                 "of steps that count."},
    {.code = "impossible_value",
     .severity = "critical",
     .when = "`auto`: the value is outside what the logged rewards allow",
     .sentence = "The estimate came out as {value:.4}, which no policy can earn with the logged rewards; the nearest "
                 "possible value is shown. Do not use it."},
    {.code = "kmeans_not_converged",
     .severity = "info",
     .when = "k-means stopped at its largest number of iterations",
     .sentence = "k-means had not converged after {iterations:# iteration}. The clusters are valid cells, but more "
                 "iterations would give tighter ones."},
    {.code = "low_ess",
     .severity = "warning critical",
     .when = "the weights leave fewer than ten effective episodes; critical below two",
     .sentence =
         "The weights of {episodes:# episode} carry the information of only {ess:ess}: very few episodes decide "
         "this estimate, and its standard error is probably too small."},
    {.code = "many_cells",
     .severity = "warning",
     .when = "an abstraction has more than one cell for four logged states",
     .sentence = "The abstraction has {cells:# cell} for {states:# logged state}: fewer than {fewest} visits each on "
                 "average, so most of what the model says about a cell is noise. Group the states more coarsely: "
                 "clusters=K, or phi=grid with fewer bins."},
    {.code = "missing_flags",
     .severity = "warning",
     .when =
         "`auto`: episodes of different lengths all count as terminated, but neither states nor actions nor rewards "
         "explain which of them end, or some end by the clock where nothing else speaks for an end",
     .sentence =
         "Episodes end at different steps, and neither states nor actions nor rewards explain where: they look like "
         "recordings that were cut off, but they count as ended. If they were cut off, the answer is about {value:.4}; "
         "the interval allows for both. Mark cut episodes in a column truncated, and give --horizon. If all of them "
         "really ended, ask for auto(ends=real)."},
    {.code = "missing_weight",
     .severity = "critical",
     .when = "the mean weight of an episode, 1 in expectation, is below a tenth",
     .sentence = "The mean weight of an episode is {mean:.2}; it would be near 1 if the logs contained what the target "
                 "policy does. Most of that is missing, and no weighting can recover it."},
    {.code = "natural_horizon",
     .severity = "info",
     .when = "all truncated episodes have the length of the longest one, and no horizon is given",
     .sentence =
         "All truncated episodes have {steps:# step}: {steps:d} is the natural --horizon. If the question is what "
         "{steps:# step earns|# steps earn}, add --horizon {steps:d}; for star, truncation=censor takes what "
         "follows a cut as unknown."},
    {.code = "no_answer",
     .severity = "critical",
     .when = "the verdict: no estimator that corrects for the difference of the policies has answered",
     .sentence = "No estimator that corrects for the difference of the policies has an answer."},
    {.code = "no_behavior_probability",
     .severity = "warning",
     .when = "`inspect`: the log has no probabilities of the behavior policy",
     .sentence =
         "There are no behavior probabilities, and evaluate needs them. Log behavior_prob, the probability with "
         "which each action was chosen, or name its column with --behavior-prob."},
    {.code = "no_states",
     .severity = "info",
     .when = "`inspect`: the log has no states",
     .sentence = "There are no state columns: star and the model-based estimators need them, the others do not."},
    {.code = "no_support",
     .severity = "critical",
     .when = "from some step on all weights are zero (`wpdis`, `wdr`)",
     .sentence =
         "From step {step} on no logged episode could have come from the target policy; nothing is added to the "
         "estimate from there on."},
    {.code = "no_target_probability",
     .severity = "warning",
     .when = "`inspect`: the log has no probabilities of the target policy",
     .sentence =
         "There are no target probabilities. Add target_prob, the probability with which the policy in question "
         "would take the logged action, or name its column with --target-prob."},
    {.code = "not_converged",
     .severity = "critical",
     .when = "fitted Q evaluation stopped before it converged",
     .sentence = "Fitted Q evaluation did not converge in {iterations:# iteration}. Give a horizon or a discount below "
                 "1, or use mb."},
    {.code = "not_finite_error",
     .severity = "critical",
     .when = "the standard error or the interval is infinite or undefined",
     .sentence =
         "The uncertainty of this estimate exceeds the range of double precision and is not shown: the accuracy "
         "of the value is unknown. Use an estimator with smaller weights, such as wpdis or star with a clip."},
    {.code = "one_hot_clusters",
     .severity = "warning",
     .when = "k-means was asked to cluster states that are ids",
     .sentence =
         "The states are ids without features: all of them are equally far apart, so their clusters are nearly "
         "arbitrary (the largest of {clusters} holds {share:%} of the visits). Use phi=identity, a lookup table "
         "(lookup=FILE), or state features."},
    {.code = "rare_states",
     .severity = "info",
     .when = "`inspect`: more than a fifth of the discrete states occur in a single step",
     .sentence =
         "{once} of {distinct:# state} were seen in a single step: what a model over all states says about them "
         "rests on one observation each. auto, or a lookup table that groups states, star(lookup=FILE.csv), is "
         "more stable."},
    {.code = "single_episode",
     .severity = "warning",
     .when = "`inspect`: the log has one episode",
     .sentence = "There is only one episode: no estimate can have a standard error."},
    {.code = "truncation_as_end",
     .severity = "info warning",
     .when =
         "episodes were cut off, and the estimator takes the cuts as ends; a warning if that is 1 % of the episodes "
         "or more",
     .sentence = "{cut} of {episodes:# episode} {cut:was|were} cut off before the end, and the cut counts as the end. "
                 "If the process would have continued, give --horizon H and, for star and mis, truncation=censor."},
    {.code = "uneven_truncation",
     .severity = "warning",
     .when = "`inspect`: episodes were cut off before the length of the longest one",
     .sentence =
         "{episodes:# episode was|# episodes were} cut after {shortest..longest} steps while others ran longer, "
         "and what would have followed is unknown. With --horizon {shortest:d} or less no estimate depends on it."},
    {.code = "unfinished_rollouts",
     .severity = "critical",
     .when = "`mb(model=mlp)`: rollouts of the learned process did not end",
     .sentence = "Rollouts of the learned process were stopped before they ended; what they would have earned is "
                 "missing. Give a horizon or a discount below 1."},
    {.code = "unmarked_end",
     .severity = "info",
     .when = "the last row of an episode is marked neither as terminated nor as truncated",
     .sentence = "{episodes:# episode ends|# episodes end} without {columns}: taken as truncated."},
    {.code = "unseen_action",
     .severity = "warning critical",
     .when = "a table of Q-values has pairs without data that the target policy reaches; critical above 5 %",
     .sentence =
         "With probability {probability:.2} the target policy reaches one of {pairs:# pair} of {cell} and action "
         "that the logs do not show; what it earns from there on counts as zero."},
    {.code = "unsupported_actions",
     .severity = "warning",
     .when = "`inspect`: the target policy takes actions to which the behavior policy gives probability zero",
     .sentence =
         "The target policy spends {share:%} of its probability on actions that the behavior policy never takes "
         "in the same state. No log of this behavior policy shows what they earn; importance sampling counts "
         "them as if they earned nothing."},
    {.code = "unsupported_state",
     .severity = "warning critical",
     .when = "`star`: the target policy enters abstract states whose outcome the logs do not show; critical above 5 %",
     .sentence =
         "With probability {probability:.2} the target policy enters one of {cells:# abstract state} for which "
         "the logs show no outcome (every logged action there has weight zero, or the recording stops); what it "
         "earns from there on counts as zero."},
    {.code = "unsupported_steps",
     .severity = "warning critical",
     .when = "`auto`: the target policy spends steps in states whose outcome the logs do not show; critical above 0.05 "
             "steps",
     .sentence = "On average the target policy spends {steps:.2} steps in states for which the logs show no outcome "
                 "(every logged action there has weight zero, or the recording stops); what follows counts as zero."},
    {.code = "weight_mean",
     .severity = "warning",
     .when = "`inspect`: the mean weight, 1 in expectation, is more than four standard errors from 1",
     .sentence = "The mean weight after {steps:# step} is {mean:.4}, {errors:.2} standard errors from 1, where it must "
                 "be near 1. Check that behavior_prob and target_prob belong to the logged actions."},
    {.code = "weights_collapse",
     .severity = "warning",
     .when = "`inspect`: the weights of whole episodes leave too few effective episodes",
     .sentence = "After {steps:# step}, fewer than {few:.3} of {episodes:# episode} carry the weights: importance "
                 "sampling over whole episodes (is, wis, pdis, wpdis) is unreliable. Use auto, or star with a small "
                 "clip, such as {example}."},
    {.code = "weights_hold",
     .severity = "info",
     .when = "`inspect`: the weights of whole episodes leave enough effective episodes",
     .sentence = "Even at full length the weights are worth {ess:ess} of {episodes:# episode}: importance sampling can "
                 "be used."},
    {.code = "weights_missing",
     .severity = "warning",
     .when = "`inspect`: the mean weight is far below 1 and rests on few episodes",
     .sentence =
         "After {steps:# step} the weights have mean {mean:.2} instead of 1: the rare episodes that should carry "
         "most of the weight are not in the log. The effective sample size from there on is overstated, and "
         "wis and wpdis are biased towards naive."},
    {.code = "worth_few_episodes",
     .severity = "warning critical",
     .when = "the verdict: by its standard error the answer is worth fewer than ten episodes of the target policy "
             "itself; critical below one",
     .sentence = "By its standard error the answer is worth {worth:ess} episodes of the target policy itself, out of "
                 "{episodes:# logged episode}."},
    {.code = "zero_ratios",
     .severity = "info",
     .when = "`inspect`: the target policy would never take some of the logged actions",
     .sentence = "In {share:%} of the steps the target policy would never take the logged action; from there on the "
                 "episode has weight 0 in full importance sampling."},
});

bool fits(const std::variant<std::int64_t, double, std::string>& value, std::string_view format) {
  if (format.empty()) return true;
  const auto* word = std::get_if<std::string>(&value);
  if (format.find(" -> ") != std::string_view::npos) return word != nullptr && phrase_of(*word, format).has_value();
  const bool whole = format == "d" || format.find_first_of("#|") != std::string_view::npos;
  return whole ? std::holds_alternative<std::int64_t>(value) : word == nullptr;
}

std::vector<FindingKind> all_kinds() {
  std::vector<FindingKind> all(catalog.begin(), catalog.end());
  all.insert(all.end(), inference_findings.begin(), inference_findings.end());
  all.insert(all.end(), log_findings.begin(), log_findings.end());
  all.insert(all.end(), model_findings.begin(), model_findings.end());
  std::sort(all.begin(), all.end(), [](const FindingKind& a, const FindingKind& b) { return a.code < b.code; });
  return all;
}

}  // namespace

std::span<const FindingKind> finding_catalog() {
  static const std::vector<FindingKind> all = all_kinds();
  return all;
}

const FindingKind* find_kind(std::string_view code) {
  const auto all = finding_catalog();
  const auto found = std::lower_bound(all.begin(), all.end(), code,
                                      [](const FindingKind& kind, std::string_view c) { return kind.code < c; });
  return found != all.end() && found->code == code ? &*found : nullptr;
}

bool can_be_said(const Finding& finding) {
  const FindingKind* kind = find_kind(finding.code);
  if (kind == nullptr) return false;
  bool complete = true;
  const auto check = [&](std::string_view name, std::string_view format) {
    const auto& all = finding.parameters;
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& known) { return known.name == name; });
    complete = complete && found != all.end() && fits(found->value, format);
  };
  fill(kind->sentence, [&](std::string_view names, std::string_view format) {
    const std::size_t dots = names.find("..");
    check(names.substr(0, dots), format);
    if (dots != std::string_view::npos) check(names.substr(dots + 2), format);
    return std::string();
  });
  return complete;
}

}  // namespace starope
