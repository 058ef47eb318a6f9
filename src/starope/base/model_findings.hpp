#pragma once

#include <array>

#include "starope/base/finding_catalog.hpp"

namespace starope {

// The part of the catalog that speaks of models: where those of `auto` disagree or are not done learning, and where
// nothing tests the model of another estimator.
inline constexpr std::array model_findings = std::to_array<FindingKind>({
    {.code = "anchor_disagrees",
     .severity = "warning",
     .when = "`auto`: cumulative ratios with values of actions contradict the models, and that is most of the error",
     .sentence = "Cumulative ratios, which need no model, give {anchor:.4} instead of {value:.4}: the models may share "
                 "an error."},
    {.code = "classes_disagree",
     .severity = "warning",
     .when = "`auto`: cells and smooth functions differ by more than noise, and what these two are spread is much of "
             "the error",
     .sentence = "Cells say {cells:.4}, smooth functions {waves:.4}: they differ by more than noise, and the logs do "
                 "not tell which is right. The answer is a weighted mean, and the standard error includes the "
                 "difference."},
    {.code = "estimators_disagree",
     .severity = "warning",
     .when = "the verdict: the interval of the answer and that of another estimator, against which nothing was found, "
             "do not overlap; a single model says nothing against auto, nor against an estimator that needs no model",
     .sentence = "{other} says {lower:.4} to {upper:.4}, which does not contain {value:.4}: the two intervals do not "
                 "overlap."},
    {.code = "ladder_drift",
     .severity = "critical",
     .when = "`auto`: even the two finest levels of cells differ by more than four standard errors, and that moves the "
             "answer by more than half of its standard error",
     .sentence = "Finer cells still change the answer: the finest level alone and the two finest levels together give "
                 "answers that differ by {distance:.3}, far more than noise, and cells have {weight:%} of the weight. "
                 "The truth may lie further {direction}."},
    {.code = "learning_curve",
     .severity = "info",
     .when =
         "`auto`: half of the data gives another answer, so that more data would move it further; three quarters of "
         "the variance are due to that",
     .sentence = "Half of the episodes give an answer that differs by {shift:.3} on average, so more data would "
                 "probably move the answer further {direction}. The interval is wider because of this."},
    {.code = "memory_disagrees",
     .severity = "warning",
     .when = "`auto`: models that remember what happened before a state would put the answer outside of the interval, "
             "by more than noise explains, though nothing shows surely that they are right (else `history_possible`)",
     .sentence = "Models that remember what happened before would put the answer {distance:.3} further {direction}, "
                 "which is outside of the interval: either the state hides something, or the models without memory "
                 "smear what matters."},
    {.code = "few_episodes",
     .severity = "warning",
     .when = "the verdict: fewer than ten episodes were logged",
     .sentence = "Only {episodes:# episode was|# episodes were} logged."},
    {.code = "only_recorded",
     .severity = "warning",
     .when = "the verdict: an estimator that adds up logged rewards answers, and recordings were cut before the last "
             "step that counts (`recordings_cut`)",
     .sentence =
         "{estimator} adds up what was recorded, and {cut:# recording was|# recordings were} cut off before the last "
         "step that counts."},
    {.code = "untested_model",
     .severity = "warning",
     .when = "the verdict: star, mis, mb, fqe, qreg, mrdr or dice answers, and no estimator without a model, with an "
             "interval at most twice as wide and no warning, confirms it",
     .sentence = "{estimator} is one model that nothing tests, and its interval takes that model as right."},
    {.code = "windows_counted",
     .severity = "info",
     .when = "`auto`: what weights over four and over eight steps say against the models is most of the error, and is "
             "within the interval (else `windows_disagree`)",
     .sentence = "Weights that follow episodes for eight steps move the answer by {shift:.3} {direction}: the models "
                 "may leave out something that lasts. Most of the interval's width is due to this."},
    {.code = "windows_disagree",
     .severity = "warning",
     .when = "`auto`: weights over four and over eight steps, which see more of what happened before, find a larger "
             "difference between the policies than the models, or one of the other sign, beyond noise and by a third "
             "of the interval's half width",
     .sentence = "Weights that follow episodes for eight steps move the answer by {shift:.3} {direction}: the models "
                 "leave out something that lasts, and the truth probably lies further in that direction. The interval "
                 "is wider because of this, but may still be too short."},
});

}  // namespace starope
