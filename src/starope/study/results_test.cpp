#include "starope/study/results.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/error.hpp"

namespace starope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::string again(const std::string& line) {
  return result_line(parse_result_line(line, "f", 1));
}

TEST(StudyResults, LinesKeepEveryDigit) {
  StudyResult result{.domain = "a\n\"b", .size = 50, .trial = 3, .estimator = "star(clusters=2,clip=1)"};
  result.answer = StudyAnswer{.value = 0.1 + 0.2,
                              .std_error = 1.0 / 3.0,
                              .interval = Interval{.lower = -1e-300, .upper = 2.0, .level = 0.95, .method = "m"},
                              .findings = {"low_ess"}};
  result.seconds = 0.25;
  const std::string line = result_line(result);
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
  EXPECT_EQ(again(line), line);
  const auto read = std::get<StudyResult>(parse_result_line(line, "f", 1));
  EXPECT_EQ(std::get<StudyAnswer>(read.answer).value, 0.1 + 0.2);
  EXPECT_EQ(read.domain, "a\n\"b");
}

TEST(StudyResults, OtherKindsOfLines) {
  StudyResult failed{.domain = "d", .size = 1, .trial = 0, .estimator = "is"};
  failed.answer = Failure{.code = "degenerate_model", .message = "no exit"};
  for (const StudyLine& line : std::vector<StudyLine>{
           failed, StudyHeader{.study = "s", .domains = {"a", "b"}, .checksum = "00"},
           StudyTruth{.domain = "d", .value = 1.5, .std_error = 0.1, .episodes = 7, .seed = Seed{~0ULL}}}) {
    EXPECT_EQ(again(result_line(line)), result_line(line));
  }
  EXPECT_THAT(result_line(failed), HasSubstr("\"error\":{\"code\":\"degenerate_model\""));
}

TEST(StudyResults, NumbersThatAreNoneAreLeftOut) {
  Estimate estimate{.value = 1.0, .std_error = 1.0 / 0.0};
  estimate.interval = Interval{.lower = 0.0, .upper = 1.0 / 0.0, .level = 0.95, .method = "m"};
  const StudyResult result =
      make_result({.name = "d"}, {.domain = 0, .size = 2, .trial = 1}, "is", {.result = estimate});
  const auto& answer = std::get<StudyAnswer>(result.answer);
  EXPECT_FALSE(answer.std_error);
  EXPECT_FALSE(answer.interval);
}

TEST(StudyResults, WrongLinesNameFileAndRow) {
  for (const char* text : {"", "{}", "{\"kind\":\"other\"}", "{\"kind\":\"result\"}", "nonsense"}) {
    EXPECT_THAT([&] { parse_result_line(text, "r.jsonl", 12); },
                ThrowsMessage<DataError>(AllOf(HasSubstr("r.jsonl"), HasSubstr("12"))));
  }
  EXPECT_THAT([] { parse_result_line("{\"kind\":\"study\",\"schema\":\"starope.study/2\"}", "r", 1); },
              ThrowsMessage<DataError>(HasSubstr("starope.study/2")));
}

TEST(StudyResults, ALineThatWasChangedIsRefused) {
  StudyResult result{.domain = "d", .size = 5, .trial = 1, .estimator = "is"};
  result.answer = StudyAnswer{.value = 1.25, .std_error = 0.5, .interval = {}, .findings = {}};
  result.seconds = 0.5;
  const std::string line = result_line(result);
  EXPECT_TRUE(has_check(line));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = line;
    changed.replace(changed.find(from), from.size(), to);
    return changed;
  };
  for (const auto& [from, to] : {std::pair{"1.25", "1.26"},
                                 {"\"is\"", "\"wis\""},
                                 {"\"trial\":1", "\"trial\":2"},
                                 {"\"std_error\":0.5", "\"std_error\":0.4"},
                                 {"\"check\":\"", "\"check\":\"0"}}) {
    const std::string changed = with(from, to);
    EXPECT_THAT([&] { parse_result_line(changed, "r.jsonl", 3); },
                ThrowsMessage<DataError>(AllOf(HasSubstr("r.jsonl, row 3"), HasSubstr("changed after it was written"))))
        << from;
  }
  EXPECT_NO_THROW(parse_result_line(with("\"seconds\":0.5", "\"seconds\":0.75"), "r", 1));
  // Lines of before there were checks.
  const std::string old = line.substr(0, line.find(",\"check\"")) + "}";
  EXPECT_NO_THROW(parse_result_line(old, "r", 1));
  EXPECT_THAT([&] { parse_result_line(old, "r", 1, true); }, ThrowsMessage<DataError>(HasSubstr("has no check")));
}

TEST(StudyResults, WholeNumbersAreThoseThatFit) {
  EXPECT_THROW(parse_result_line(
                   "{\"kind\":\"result\",\"domain\":\"d\",\"size\":1e300,\"trial\":0,\"estimator\":\"is\"}", "r", 1),
               DataError);
}

}  // namespace
}  // namespace starope
