#include "starope/evaluate/answer_text.hpp"

#include <gtest/gtest.h>

namespace starope {
namespace {

Evaluation answered() {
  Evaluation evaluation;
  evaluation.estimates = {
      {.estimator = "auto",
       .result =
           Estimate{.value = 39.0834, .std_error = 0.68, .interval = Interval{37.744, 40.429, 0.95, "influence"}}}};
  evaluation.answer = 0;
  evaluation.difference = Difference{.value = 17.0684,
                                     .std_error = 0.68,
                                     .interval = Interval{15.734, 18.402, 0.95, "influence"},
                                     .probability_better = 0.99999,
                                     .logged = 22.015,
                                     .logged_std_error = 0.33};
  evaluation.verdict = Verdict{.grade = Grade::supported,
                               .reasons = {{.code = "nothing_against", .reason = "nothing was found against it"}}};
  return evaluation;
}

TEST(AnswerText, IsWhatPeopleAskFirst) {
  EXPECT_EQ(
      answer_text(answered(), {.width = 200}),
      "The target policy earns 39.08 per episode (95 % interval 37.74 to 40.43), says auto.\n"
      "That is 17.07 more than the 22.02 of the logged policy (difference 15.73 to 18.40); the probability that it "
      "is better is above 99.9 %.\n"
      "Supported: nothing was found against it.\n\n");
}

TEST(AnswerText, SaysWhenTheLogsDoNotTellPoliciesApart) {
  Evaluation evaluation = answered();
  evaluation.difference = Difference{.value = -0.31,
                                     .std_error = 0.4,
                                     .interval = Interval{-1.1, 0.5, 0.95, "influence"},
                                     .probability_better = 0.22,
                                     .logged = 22.0,
                                     .logged_std_error = 0.33};
  EXPECT_EQ(answer_sentences(evaluation).difference,
            "That is 0.31 less than the 22.00 of the logged policy (difference -1.10 to 0.50); these logs do not tell "
            "them apart: the probability that it is better is 22 %.");
  evaluation.difference = Difference{.value = 0.0, .std_error = 0.0, .logged = 3.5};
  EXPECT_EQ(answer_sentences(evaluation).difference,
            "That is what the logged policy earned (3.5), episode by episode.");
}

TEST(AnswerText, ReasonsEndWithWhatToDo) {
  Evaluation evaluation = answered();
  evaluation.verdict =
      Verdict{.grade = Grade::not_answerable,
              .reasons = {{"a", "the weights are gone", "Log more."}, {"b", "All is lost.", "Log more."}}};
  const AnswerSentences sentences = answer_sentences(evaluation);
  EXPECT_EQ(sentences.grade, "Not answerable from these logs");
  EXPECT_EQ(sentences.reasons, "the weights are gone; All is lost. Log more.");
}

// Who reads one line must not take along a number that is none.
TEST(AnswerText, BeginsWithTheVerdictWhereTheseLogsCannotAnswer) {
  Evaluation evaluation = answered();
  evaluation.verdict = Verdict{.grade = Grade::not_answerable, .reasons = {{"a", "the weights are gone", "Log more."}}};
  EXPECT_EQ(answer_text(evaluation, {.width = 200}),
            "Not answerable from these logs: the weights are gone. Log more.\n"
            "This number is not an answer: 39.08 per episode (95 % interval 37.74 to 40.43), says auto.\n"
            "It would be 17.07 more than the 22.02 of the logged policy (difference 15.73 to 18.40).\n\n");
  evaluation.verdict->grade = Grade::doubtful;
  EXPECT_TRUE(answer_text(evaluation, {.width = 200}).starts_with("The target policy earns 39.08 "));
}

TEST(AnswerText, GroupsAreATableAndTooFewIsSaid) {
  Evaluation evaluation = answered();
  evaluation.level = 0.95;
  evaluation.by = "age";
  const Difference difference{.value = 2.0, .std_error = 0.5, .interval = Interval{0.875, 3.125, 0.95, ""}};
  evaluation.groups = {{.group = "age < 65",
                        .episodes = 1200,
                        .value = 7.0,
                        .std_error = 0.5,
                        .interval = Interval{6.0, 8.0, 0.95, ""},
                        .difference = difference},
                       {.group = "age >= 65", .episodes = 7, .too_few = true, .value = 3.0, .std_error = 2.0}};
  EXPECT_EQ(groups_text(evaluation, {.width = 100}),
            "\nFor whom: the value of the target policy by age, says auto. Intervals hold for all groups at once.\n\n"
            "                                       more than\n"
            "age    episodes  value  95 % interval     logged  95 % interval\n"
            "---------------------------------------------------------------\n"
            "< 65      1,200   7.00   6.00 to 8.00       2.00   0.88 to 3.12\n"
            ">= 65         7   3.0         too few       0           too few\n");
}

// Recordings that were cut before the horizon are no returns of the logged policy.
TEST(AnswerText, SaysWhyThereIsNoDifference) {
  Evaluation evaluation = answered();
  evaluation.difference.reset();
  EXPECT_EQ(answer_sentences(evaluation).difference, "");
  evaluation.data.horizon = 50;
  evaluation.data.findings = {
      {Severity::info,
       "recordings_cut",
       {{"cut", std::int64_t{9}}, {"episodes", std::int64_t{100}}, {"steps", std::int64_t{50}}}}};
  EXPECT_EQ(answer_sentences(evaluation).difference,
            "How much more or less that is than the logged policy is not known: recordings were cut before 50 steps.");
  evaluation.by = "age";
  evaluation.groups = {{.group = "age < 65", .episodes = 70, .value = 2.0}};
  EXPECT_EQ(groups_text(evaluation, {}).find("logged"), std::string::npos);
}

// A bound of the value promises more than the interval of the difference keeps.
TEST(AnswerText, SaysByWhichMethodTheDifferenceIsIfNotByThatOfTheValue) {
  Evaluation evaluation = answered();
  auto& interval = std::get<Estimate>(evaluation.estimates[0].result).interval;
  interval->method = "hoeffding";
  EXPECT_NE(answer_sentences(evaluation).difference.find("(difference 15.73 to 18.40, by influence)"),
            std::string::npos);
  interval.reset();
  EXPECT_NE(answer_sentences(evaluation).difference.find(", by influence)"), std::string::npos);
}

TEST(AnswerText, NoProbabilityIsCertain) {
  EXPECT_EQ(probability_text(1.0), "above 99.9 %");
  EXPECT_EQ(probability_text(0.0), "below 0.1 %");
  EXPECT_EQ(probability_text(0.25), "25 %");
}

TEST(AnswerText, NothingWithoutADecision) {
  EXPECT_EQ(answer_text(Evaluation{}, {}), "");
}

}  // namespace
}  // namespace starope
