#pragma once

#include <array>

#include "starope/base/finding_catalog.hpp"

// Usual mistakes in the columns of probabilities, as phrases that several sentences share. Macros, because literals
// join only with literals.
#define STAROPE_MISTAKES_OF_COLUMNS                                                                             \
  "swapped -> With behavior and target exchanged everything fits: the two columns are swapped.|base10 -> "      \
  "Everything fits if both columns hold logarithms in base 10: multiply them by 2.302585.|behavior_base10 -> "  \
  "Everything fits if the behavior column holds logarithms in base 10: multiply them by "                       \
  "2.302585.|target_base10 -> Everything fits if the target column holds logarithms in base 10: multiply them " \
  "by 2.302585."
#define STAROPE_MISTAKES_OF_MEANS                                                                                \
  "unknown -> Check that both probabilities are of the logged action in the logged "                             \
  "state.|" STAROPE_MISTAKES_OF_COLUMNS                                                                          \
  "|behavior_factor -> Everything fits if all behavior probabilities share one wrong factor, the reciprocal of " \
  "this number: remove it.|target_sum -> The behavior probabilities fit the logged actions, so it is the "       \
  "target probabilities that are wrong: over all actions they seem to sum to this mean."

namespace starope {

// What the checks of logs say (the room `checks`); a part of the catalog.
inline constexpr std::array log_findings = std::to_array<FindingKind>({
    {.code = "behavior_calibration",
     .severity = "warning critical",
     .when = "actions of some probability are taken more or less often than the logged distributions of the behavior "
             "policy say; critical above 2 % of the steps",
     .sentence = "Actions with a behavior probability of {least:.1} to {most:.1} should be taken in {expected:%} of "
                 "the steps that have such actions, and are taken in {observed:%}, {errors:.2} standard errors away: "
                 "behavior_probs_* are not the distributions from which the logged actions were drawn. Log the "
                 "probabilities with which they were chosen."},
    {.code = "behavior_frequency",
     .severity = "warning critical",
     .when = "an action is taken more or less often than the logged distributions of the behavior policy say, over "
             "all, at some steps or in a region of the states; critical above 2 % of the steps",
     .sentence = "In {where}, {action} is taken {direction:more -> more|fewer -> less} often than behavior_probs_* "
                 "say, by {difference:%} of the steps and {errors:.2} standard errors. Either these are not the "
                 "distributions from which the logged actions were drawn, or the states are in the wrong rows."},
    {.code = "behavior_prob_wrong",
     .severity = "warning critical",
     .when = "1 / behavior_prob, which counts how often an action was possible, counts more than all steps; critical "
             "above 2 % too many",
     .sentence =
         "behavior_prob is too small for how often {action} is taken: in {where}, the mean of 1 / behavior_prob where "
         "it is taken, and 0 elsewhere, is {count:.3}, {errors:.2} standard errors above 1, where at most 1 is "
         "possible. {mistake:" STAROPE_MISTAKES_OF_MEANS "}"},
    {.code = "copied_episodes",
     .severity = "warning critical",
     .when = "episodes repeat others step by step, more often than chance allows; critical above 5 %",
     .sentence =
         "{copies} of {counted:# episode} that chance would hardly produce twice repeat another episode step by step: "
         "the same states, actions and rewards. Standard errors are too small by a factor of about {shrink:.3}. Remove "
         "the copies."},
    {.code = "gaps_in_t",
     .severity = "warning",
     .when = "t counts the steps, but some are not there",
     .sentence = "t counts steps, but {rows:# step is|# steps are} missing in {episodes:# episode}. What they earned "
                 "is missing in every estimate. Restore these rows, or number the decisions one by one if nothing was "
                 "decided in between."},
    {.code = "ids_as_numbers",
     .severity = "warning",
     .when = "actions were read as real numbers, but are a few whole numbers that come again and again",
     .sentence = "The actions were read as real numbers, and their probabilities as densities, but they are only "
                 "{distinct:# whole number|# whole numbers}: ids that were written like 1.0? Most checks of the "
                 "probabilities were left out. Pass --action-kind discrete."},
    {.code = "inconsistent_probabilities",
     .severity = "warning",
     .when = "rows with the same action and the same, or nearly the same, state have different probabilities",
     .sentence =
         "{column:behavior -> behavior_prob|target -> target_prob} is not a function of state and action: {left:%} of "
         "its variance remains between rows with the same action and nearly the same state. Either the policy looks at "
         "more than the logged state, or some of these probabilities belong to another action or row."},
    {.code = "probabilities_shifted",
     .severity = "warning",
     .when = "a column of probabilities fits state and action of a neighboring row better than its own",
     .sentence = "{column:behavior -> behavior_prob|target -> target_prob} seems to be one row too {row:before -> "
                 "late|behind -> early}: state and action of the {row:before -> previous|behind -> next} row explain "
                 "{other:%} of its variance, those of its own row {own:%}."},
    {.code = "ratio_mean",
     .severity = "warning critical",
     .when = "the mean ratio, 1 in expectation, is far from 1, over all, at some steps or in a region of the states; "
             "critical where it is certain that the probabilities are wrong by more than 2 %",
     .sentence =
         "In {where}, the mean ratio of target to behavior probability is {mean:.4}, {errors:.2} standard errors from "
         "1, where it must be near 1. {sure:yes -> The probabilities do not belong to the logged actions.|no -> Either "
         "they do not belong to the logged actions, or the target policy takes actions that the behavior policy never "
         "takes.} {mistake:" STAROPE_MISTAKES_OF_MEANS "}"},
    {.code = "repeated_rows",
     .severity = "warning",
     .when = "rows are equal to the previous row more often than the logged probabilities allow",
     .sentence =
         "Of {rows:# step} in the state of the previous step, {repeats} {repeats:repeats|repeat} it in action, reward "
         "and probabilities; by the logged probabilities at most {expected:.4} should ({errors:.2} standard errors). "
         "Either a join or a merge doubled rows, or actions are held longer than their probabilities say. Remove the "
         "duplicates."},
    {.code = "reward_outliers",
     .severity = "warning",
     .when = "a few rewards are more than a hundred times as large as nearly all others, and decide the variance",
     .sentence =
         "{rewards:# reward} of {rows} {rewards:has|have} sizes up to {largest:.2}, more than a hundred times as large "
         "as 99.5 % of the others (up to {usual:.2}). If they stand for missing values, replace them."},
    {.code = "reward_units",
     .severity = "warning",
     .when =
         "the sizes of the rewards form two groups of the same shape, one a multiple of the other; few sizes: which "
         "of the two it is depends on nothing that is logged, or on the episode only",
     .sentence = "The sizes of the rewards form two groups of the same shape, one about {factor:.2} times as large as "
                 "the other ({share:%} of the rewards): two units seem to be mixed. Bring them to one."},
    {.code = "recordings_cut",
     .severity = "info",
     .when = "episodes were cut off before the horizon or, where there is none, before the length of the longest",
     .sentence =
         "{cut} of {episodes:# recording} {cut:was cut off|were cut off, some of them} after fewer than the {steps:# "
         "step} that count: what would have followed was not recorded, and the estimators is, pdis, wis, wpdis, dr, "
         "wdr, magic, qreg and mrdr count it as zero. auto does not. To compare with the logged policy, give its "
         "probabilities as one of the targets of starope compare."},
    {.code = "rewards_early",
     .severity = "critical",
     .when = "a reward depends on the action of the next row, which was not chosen yet",
     .sentence =
         "The rewards depend on the action of the next row, which was not chosen yet: {action} follows high and low "
         "rewards in other proportions than its probability says, by {errors:.2} standard errors. They seem to be one "
         "row too early."},
    {.code = "rewards_fit_next",
     .severity = "warning",
     .when = "the action of the next row explains the rewards",
     .sentence = "The rewards seem to be one row too early: with the action of the next row {other:%} of their "
                 "variance is explained, with the states around them and their own action {own:%}."},
    {.code = "rewards_late",
     .severity = "warning",
     .when = "state and action of the previous row explain the rewards better than those of their own row",
     .sentence = "The rewards seem to be one row too late: state and action of the previous row explain {other:%} of "
                 "their variance, those of their own row {own:%}. If they are paid a step later, nothing is wrong."},
    {.code = "rounded_probabilities",
     .severity = "info",
     .when = "probabilities exceed 1 by no more than rounding to single precision",
     .sentence =
         "{probabilities:# probability exceeds|# probabilities exceed} 1 by at most a millionth: taken as rounding."},
    {.code = "same_policy",
     .severity = "info",
     .when = "all ratios are 1",
     .sentence =
         "Both policies gave every logged action the same probability, so there is nothing to correct: where no "
         "recording was cut, the mean return of the log is the answer."},
    {.code = "shuffled_rows",
     .severity = "warning",
     .when = "consecutive states of an episode are as far apart as any two states of it",
     .sentence = "The rows of an episode seem to be in random order: the squared distance of consecutive states is "
                 "{roughness:.3} times that of any two states of the same episode. If the rows were shuffled, restore "
                 "their order, or name the column of times with --t and pass --sort."},
    {.code = "states_shifted",
     .severity = "warning",
     .when = "the probabilities fit the state of a neighboring row better than their own",
     .sentence = "The states seem to be one row too {row:before -> early|behind -> late}: the state of the {row:before "
                 "-> previous|behind -> next} row explains {other:%} of the variance of {column:behavior -> "
                 "behavior_prob|target -> target_prob}, that of its own row {own:%}."},
    {.code = "target_likelier",
     .severity = "critical",
     .when = "the logged actions are far likelier under the target policy than under the logged behavior probabilities",
     .sentence =
         "By the logged probabilities, the logged actions are 10^{digits:.3} times likelier under the target policy "
         "than under the behavior policy that took them. If the probabilities were right, that would happen by chance "
         "in at most one of 10^{digits:.3} logs. {mistake:unknown -> Check that behavior_prob is of the policy that "
         "chose the logged actions.|" STAROPE_MISTAKES_OF_COLUMNS
         "|behavior_factor -> Everything fits if all behavior probabilities share one wrong factor: remove "
         "it.|target_sum -> The behavior probabilities fit the logged actions; the target probabilities of a state "
         "seem not to sum to 1.}"},
});

}  // namespace starope

#undef STAROPE_MISTAKES_OF_MEANS
#undef STAROPE_MISTAKES_OF_COLUMNS
