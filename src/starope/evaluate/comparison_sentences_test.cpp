#include "starope/evaluate/comparison_sentences.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starope {
namespace {

using ::testing::ElementsAre;

TEST(ComparisonSentences, SayWhatIsBestAndWhatIsNotToldApart) {
  Comparison comparison;
  comparison.policies = {{.policy = "logged", .answer = {.result = Estimate{.value = 1.0}}},
                         {.policy = "new",
                          .answer = {.result = Estimate{.value = 2.0, .std_error = 0.25}},
                          .verdict = Verdict{.grade = Grade::doubtful, .reasons = {{.reason = "few episodes"}}},
                          .probability_best = 1.0},
                         {.policy = "bold", .answer = {.result = Failure{"x", "no weights"}}}};
  comparison.ranking = {1, 0};
  comparison.not_told_apart = {{1, 0}};
  EXPECT_THAT(
      comparison_sentences(comparison),
      ElementsAre("new has the largest value, 2.00 per episode; the probability that it is the best is above 99.9 %.",
                  "These logs do not tell apart: new, logged.", "bold has no answer: no weights.",
                  "The answer for new is doubtful: few episodes."));
  comparison.policies[1].verdict->grade = Grade::not_answerable;
  comparison.policies[0].probability_best = 1.0;
  comparison.not_told_apart.clear();
  comparison.ranking = {0, 1};
  EXPECT_THAT(comparison_sentences(comparison),
              ElementsAre("What new earns is not answerable from these logs: few episodes.",
                          "Of the others, logged has the largest value, 1 per episode; the probability that it is the "
                          "best of these is above 99.9 %.",
                          "bold has no answer: no weights."));
  comparison.ranking = {1};  // nothing is the best of nothing
  EXPECT_THAT(comparison_sentences(comparison), ElementsAre("What new earns is not answerable from these logs: few "
                                                            "episodes.",
                                                            "bold has no answer: no weights."));
}

}  // namespace
}  // namespace starope
