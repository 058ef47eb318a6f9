#pragma once

#include <array>

#include "starope/base/finding_catalog.hpp"

namespace starope {

// The part of the catalog that speaks of intervals, estimated behavior policies, distributions of returns and history.
inline constexpr std::array inference_findings = std::to_array<FindingKind>({
    {.code = "behavior_estimated",
     .severity = "info",
     .when = "`--behavior estimate`: the behavior probabilities were fitted to the logged actions",
     .sentence = "The behavior probabilities are estimates, by {method}. Standard errors take them as exact; evaluate "
                 "--interval "
                 "bootstrap-percentile estimates them anew in every replicate, and compare has no such interval."},
    {.code = "behavior_filled",
     .severity = "info",
     .when = "`--behavior fill`: behavior probabilities that were not logged were fitted to the logged actions",
     .sentence = "{rows:# behavior probability was|# behavior probabilities were} not logged ({share:%} of the steps) "
                 "and {rows:is|are} estimated, by {method}; the others are as logged. Standard errors take them as "
                 "exact; evaluate --interval bootstrap-percentile estimates them anew in every replicate, and compare "
                 "has no such interval."},
    {.code = "failed_replicates",
     .severity = "warning",
     .when = "a bootstrap: the estimator has no value in some of the replicates; above 5 % no interval is made",
     .sentence = "In {failed} of {replicates:# bootstrap replicate} the estimator has no value. {interval:kept -> The "
                 "interval is made of the others and may be too short.|none -> Without these an interval would be too "
                 "short, so none is made.}"},
    {.code = "few_for_risk",
     .severity = "warning critical",
     .when = "questions about risk: fewer than ten effective episodes decide an answer by weighted episodes; critical "
             "below two",
     .sentence = "Only {ess:ess} effective episodes lie on one side of the quantile or threshold: weighted episodes do "
                 "not tell how single returns of the target policy are distributed."},
    {.code = "few_for_process",
     .severity = "warning critical",
     .when = "questions about risk: of the effective episodes behind an abstract process, fewer than ten belong on one "
             "side of what was asked; critical where it is a quantile or a worst share, and below two",
     .sentence = "Of the effective episodes behind the abstract process, about {ess:ess} belong on one side of the "
                 "quantile or threshold. {answer:short -> Its interval there may be too short.|none -> That is too few "
                 "for an answer.}"},
    {.code = "returns_cut",
     .severity = "warning",
     .when =
         "questions about risk: recordings were cut off before the last step that counts, so that their returns lack "
         "what would have followed",
     .sentence = "{cut:# recording|# recordings} of {episodes:# episode} {cut:was|were} cut off before the last step "
                 "that counts, and what would have followed is missing in {cut:its return|their returns}: weighted "
                 "episodes do not answer this question. Shorten it with --horizon."},
    {.code = "process_misses_returns",
     .severity = "warning critical",
     .when = "questions about risk: an abstract process, asked about the logged policy, does not have the logged "
             "returns; critical where it may be wrong by more than a quarter of the episodes",
     .sentence =
         "The abstract process does not reproduce the logged returns of the logged policy: probabilities may be "
         "wrong by {error:%}. {answer:wide -> Its intervals allow for that.|none -> That is too much for an answer.}"},
    {.code = "process_tried_elsewhere",
     .severity = "warning critical",
     .when = "questions about risk: fewer than 40 % of the logged episodes return what the middle 80 % of the target "
             "policy's would, so that an abstract process was tried on returns that do not matter; critical where it "
             "may be wrong by more than a quarter of the episodes",
     .sentence = "Only {share:%} of the logged returns lie where most of the target policy's would lie: the logged "
                 "returns hardly test the abstract process there, and its probabilities may be wrong by {error:%}. "
                 "{answer:wide -> Its intervals allow for that.|none -> That is too much for an answer.}"},
    {.code = "no_distribution",
     .severity = "info",
     .when = "risks were asked for, and the distribution of returns cannot be estimated",
     .sentence = "The distribution of returns is not known: {why}."},
    {.code = "no_interval",
     .severity = "warning",
     .when = "the method of --interval has no interval for this estimator",
     .sentence = "There is no interval by {method}: {reason:network -> the standard error takes a fitted network as "
                 "exact, and such intervals contain the truth far less often than stated. --interval "
                 "bootstrap-percentile fits it anew in every replicate.|no_mean -> it bounds the mean of independent "
                 "values, which this estimator is not. Use naive, is or pdis.|no_range -> it needs the range of "
                 "returns, which logs cannot prove: give lower=, upper= and, for is and pdis, weight=.|no_weight -> it "
                 "needs the largest product of ratios that the policies allow: give weight=.|no_spread -> the "
                 "replicates do not differ, or have no standard errors.|blocks -> it needs all logs in memory.}"},
    {.code = "row_before_helps",
     .severity = "warning",
     .when =
         "`inspect`: the previous row helps to predict what state and action do not predict, so that the state is not "
         "Markov",
     .sentence =
         "The previous row explains {gain:%} of the variance of {what} that state and action do not explain "
         "({errors:.2} standard errors): the state is not Markov. Add what was seen or done before to the state "
         "columns, or use auto, which has models with memory, or star with a clip of 2 or more."},
    {.code = "outside_range",
     .severity = "warning",
     .when = "a bound by --interval: an episode lies outside the range that was given",
     .sentence =
         "There is no interval by {method}: {of:return -> the return|weighted -> the weighted return|weight -> the "
         "product of ratios} of episode {episode} is {value:.4}, outside the range from {lower:.4} to {upper:.4} that "
         "was given. Give a range that holds for all episodes that are "
         "possible, not only for logged ones."},
    {.code = "fragile_standard_error",
     .severity = "info warning",
     .when = "fewer than ten episodes decide the standard error; no more than a note for `auto`, whose error counts "
             "what its families disagree about as well",
     .sentence = "The standard error rests on about {scores:ess} of {episodes:# episode} and is unreliable; the "
                 "interval by influence is widened for that, but may still be too short."},
    {.code = "fragile_grouped_error",
     .severity = "warning",
     .when = "statistics of parts: fewer than ten of the groups in which their episodes are counted decide the "
             "standard error",
     .sentence = "The standard error rests on about {scores:ess} of the {groups:# group} in which the episodes are "
                 "counted and is unreliable; the interval is widened for that, but may still be too short."},
    {.code = "no_spread",
     .severity = "warning",
     .when = "the standard error is zero",
     .sentence =
         "All episodes look alike to this estimator, so its standard error is zero; that says nothing about its "
         "accuracy."},
    {.code = "no_standard_error",
     .severity = "warning",
     .when = "an estimate has no standard error, as with a single episode",
     .sentence =
         "This estimate has no standard error, and so no interval. A standard error needs at least two episodes, "
         "and an estimator that has one."},
});

}  // namespace starope
