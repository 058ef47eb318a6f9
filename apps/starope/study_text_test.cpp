#include "study_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/study.hpp"

namespace starope::cli {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

StudySummary example() {
  StudyResults all;
  all.header = {.study = "s", .domains = {"cartpole"}, .checksum = ""};
  all.truths["cartpole"] = {.domain = "cartpole", .value = 39.31, .std_error = 0.005, .episodes = 100};
  const std::vector<std::pair<std::string, double>> errors{{"naive", 17.0},
                                                           {"star(clusters=2,clip=1)", 3.0},
                                                           {"star(clusters=4,clip=1)", 2.0},
                                                           {"star(clusters=8,clip=1)", 5.0},
                                                           {"star(clusters=16,clip=1)", 4.0}};
  for (const auto& [name, error] : errors) {
    StudyResult result{.domain = "cartpole", .size = 50, .trial = 0, .estimator = name};
    result.answer = StudyAnswer{.value = 39.31 + error};
    all.results.push_back(result);
  }
  StudyResult failed{.domain = "cartpole", .size = 50, .trial = 0, .estimator = "is"};
  failed.answer = Failure{.code = "c", .message = "m"};
  all.results.push_back(failed);
  return summarize(all);
}

TEST(StudyText, ShowsBestAndMedianOfAGridAndEverythingElse) {
  const std::string text = study_text(example(), {});
  EXPECT_THAT(text, HasSubstr("cartpole, 50 episodes: true value 39.3100 +- 0.0050, 1 trial"));
  EXPECT_THAT(text, HasSubstr("best of 4"));
  EXPECT_THAT(text, HasSubstr("median of 4"));
  EXPECT_THAT(text, HasSubstr("star(clusters=2,clip=1)"));  // the lower median: 2, 3, 4, 5
  EXPECT_THAT(text, Not(HasSubstr("clusters=8")));
  EXPECT_LT(text.find("star(clusters=4,clip=1)"), text.find("naive"));
  EXPECT_THAT(text, HasSubstr("1 of 1 failed"));
  EXPECT_THAT(text, HasSubstr("1 of 6 results are errors"));
}

TEST(StudyText, ComparesWithThePaper) {
  const std::string text = study_text(example(), {});
  EXPECT_THAT(text, HasSubstr("Who wins"));
  EXPECT_THAT(text, HasSubstr("77"));
  EXPECT_THAT(text, HasSubstr("WPDIS"));
}

TEST(StudyText, AnUnknownTruthHasNoWinner) {
  StudySummary summary = example();
  for (CaseSummary& of : summary.cases) {
    of.truth.reset();
    of.winner.reset();
    of.paper.reset();
    for (EstimatorSummary& each : of.estimators) each.mse = each.mse_std_error = each.bias = std::nullopt;
  }
  const std::string text = study_text(summary, {});
  EXPECT_THAT(text, HasSubstr("true value unknown"));
  EXPECT_THAT(text, Not(HasSubstr("Who wins")));
  // What there is instead: every estimator with its mean; of a grid none is called the best.
  EXPECT_THAT(text, HasSubstr("mean"));
  EXPECT_THAT(text, Not(AnyOf(HasSubstr("MSE"), HasSubstr("covers"), HasSubstr("best of"), HasSubstr("median of"))));
  for (const char* shown : {"clusters=2", "42.31", "clusters=4", "41.31", "clusters=8", "44.31", "clusters=16", "43.31",
                            "naive", "56.31", "1 of 1 failed"})
    EXPECT_THAT(text, HasSubstr(shown));
}

}  // namespace
}  // namespace starope::cli
