#include "starope/evaluate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "starope/layout/layout.hpp"

namespace starope {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

Answer answer(const std::string& name, double value, double se, std::vector<Finding> findings = {}) {
  return {.estimator = name,
          .result = Estimate{.estimator = name,
                             .value = value,
                             .std_error = se,
                             .interval = Interval{.lower = value - 2 * se, .upper = value + 2 * se},
                             .ess = 17.25,
                             .findings = std::move(findings)}};
}

Evaluation example() {
  const Finding few{Severity::warning, "low_ess", {{"ess", 9.5}, {"episodes", 1000}}};
  Evaluation evaluation;
  evaluation.data = {
      .file = "logs.csv", .episodes = 1000, .steps = 21130, .truncated = 30, .gamma = 0.99, .ess = 17.25};
  evaluation.level = 0.95;
  evaluation.estimates = {answer("naive", 21.1349, 0.3712),
                          answer("is", 31.4159, 14.2, {few}),
                          answer("wis", 29.7, 4.25, {few}),
                          answer("star(clusters=32,clip=none,init=random,seed=3)", 39.27491, 0.0234),
                          {.estimator = "star(phi=one)", .result = Failure{"degenerate_model", "No exit."}}};
  return evaluation;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

std::string line_with(const std::string& text, const std::string& start) {
  for (const std::string& line : lines(text)) {
    if (line.rfind(start, 0) == 0) return line;
  }
  return "no line starts with " + start;
}

TEST(EvaluationText, StandardErrorDecidesTheDigits) {
  const std::string text = starope::text(example(), {.width = 120});
  EXPECT_THAT(line_with(text, "naive"), HasSubstr("21.13 "));
  EXPECT_THAT(line_with(text, "naive"), HasSubstr("0.37 "));
  EXPECT_THAT(line_with(text, "naive"), HasSubstr("20.39"));
  EXPECT_THAT(line_with(text, "is "), HasSubstr("31 "));
  EXPECT_THAT(line_with(text, "star(clusters"), HasSubstr("39.275 "));
}

TEST(EvaluationText, SameRemarkIsListedOnceForAllItsEstimators) {
  const std::string text = starope::text(example(), {.width = 120});
  EXPECT_THAT(line_with(text, "is "), EndsWith("  1"));
  EXPECT_THAT(line_with(text, "wis "), EndsWith("  1"));
  EXPECT_THAT(line_with(text, "[1]"),
              HasSubstr("Warning, is, wis: The weights of 1,000 episodes carry the information of only 9.5"));
  EXPECT_THAT(line_with(text, "naive "), EndsWith(" 17.2"));
}

TEST(EvaluationText, RemarksThatDifferInFiguresBecomeOneWithARange) {
  Evaluation evaluation = example();
  const auto rests_on = [](double scores) {
    return Finding{Severity::warning, "fragile_standard_error", {{"scores", scores}, {"episodes", 300}}};
  };
  evaluation.estimates = {answer("is", 1.0, 0.5, {rests_on(1.5)}), answer("wis", 1.0, 0.5, {rests_on(1.2)})};
  EXPECT_THAT(text(evaluation, {.width = 120}),
              HasSubstr("[1] Warning, is, wis: The standard error rests on about 1.2 to 1.5 of 300 episodes"));
}

TEST(EvaluationText, IntervalsStandBelowEachOther) {
  const std::string text = starope::text(example(), {.width = 120});
  EXPECT_EQ(line_with(text, "naive").find(" to "), line_with(text, "is ").find(" to "));
}

TEST(EvaluationText, TheSameFailureIsListedOnce) {
  Evaluation evaluation = example();
  for (const char* message : {"No exit.", "No exit in 3 cells."})
    evaluation.estimates.push_back({.estimator = "mb", .result = Failure{"degenerate_model", message}});
  const std::string text = starope::text(evaluation, {.width = 120});
  EXPECT_THAT(line_with(text, "[2]"), HasSubstr("Failed, star(phi=one), mb: No exit."));
  EXPECT_THAT(line_with(text, "[3]"), HasSubstr("Failed, mb: No exit in 3 cells."));
}

TEST(EvaluationText, AFailureIsSaidInWords) {
  const std::string text = starope::text(example(), {.width = 120});
  EXPECT_THAT(line_with(text, "star(phi=one)"), HasSubstr("failed"));
  EXPECT_THAT(line_with(text, "star(phi=one)"), EndsWith("  2"));
  EXPECT_THAT(line_with(text, "[2]"), HasSubstr("Failed, star(phi=one): No exit."));
}

TEST(EvaluationText, FitsEveryUsualTerminal) {
  for (const std::size_t width : {80U, 100U, 120U}) {
    for (const std::string& line : lines(text(example(), {.width = width}))) {
      EXPECT_LE(display_width(line), width) << line;
      EXPECT_TRUE(line.empty() || line.back() != ' ') << line;
    }
  }
}

TEST(EvaluationText, HeaderSaysWhatWasRead) {
  const std::string text = starope::text(example(), {.width = 200});
  EXPECT_THAT(text, HasSubstr("logs.csv: 1,000 episodes, 21,130 steps\n"));
  EXPECT_THAT(text, HasSubstr("Mean length 21.1; 970 terminated, 30 truncated. Discount 0.99, no horizon."));
  EXPECT_THAT(text, HasSubstr("1,000 episodes of the log are worth about 17.2 of the target policy itself."));
  EXPECT_THAT(text, HasSubstr("full-episode weights: 17.2."));
  Evaluation with_horizon = example();
  with_horizon.data.horizon = 50;
  EXPECT_THAT(starope::text(with_horizon, {.width = 200}), HasSubstr("Discount 0.99, horizon 50."));
}

TEST(EvaluationText, ClosingLineFitsTheRows) {
  Evaluation evaluation = example();
  EXPECT_THAT(text(evaluation, {.width = 200}), HasSubstr("naive is what the logged policy earned"));
  evaluation.estimates.erase(evaluation.estimates.begin());
  EXPECT_THAT(text(evaluation, {.width = 200}), Not(HasSubstr("naive")));
}

TEST(EvaluationText, ExactAnswersKeepTheirDigits) {
  Evaluation evaluation = example();
  evaluation.estimates = {answer("naive", 0.5, 0.0)};
  const std::string text = starope::text(evaluation, {.width = 80});
  EXPECT_THAT(line_with(text, "naive"), HasSubstr("0.5"));
  EXPECT_THAT(text, Not(HasSubstr("notes")));
}

TEST(EvaluationText, NoIntervalColumnWhereNoneWasAskedFor) {
  Evaluation evaluation = example();
  evaluation.level.reset();
  EXPECT_THAT(text(evaluation, {.width = 80}), Not(HasSubstr("interval")));
}

TEST(EvaluationText, ColorChangesNothingButColor) {
  const std::string plain = text(example(), {.width = 80});
  std::string colored = starope::text(example(), {.width = 80, .color = true});
  EXPECT_NE(plain, colored);
  for (std::size_t at = colored.find('\x1b'); at != std::string::npos; at = colored.find('\x1b')) {
    colored.erase(at, colored.find('m', at) - at + 1);
  }
  EXPECT_EQ(plain, colored);
}

}  // namespace
}  // namespace starope
