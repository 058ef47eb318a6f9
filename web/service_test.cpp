// The service of the page beside the library and the program: the same answers, the same words.

#include "service.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "memory.hpp"
#include "starope/error.hpp"
#include "starope/evaluate/json.hpp"
#include "starope/inspect.hpp"
#include "starope/io.hpp"
#include "starope/problem.hpp"
#include "starope/report.hpp"

namespace starope::web {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Logs with a column under another name, and one that plays no role.
std::string table_text(const std::string& reward = "reward") {
  std::string text = "episode,t,state_0,state_1,action," + reward + ",behavior_prob,target_prob,terminated,ward\n";
  for (int i = 0; i < 60; ++i) {
    for (int t = 0; t < 4; ++t) {
      const int action = (i + t * t) % 2;
      text += std::to_string(i) + "," + std::to_string(t) + "," + std::to_string((i * 7 + t) % 5) + "," +
              std::to_string(t) + ".5," + std::to_string(action) + "," + std::to_string((i + t) % 3) + ",0.5," +
              (action == 1 ? "0.7" : "0.3") + "," + (t == 3 ? "1" : "0") + ",a\n";
    }
  }
  return text;
}

Json parsed(const std::string& text) {
  return Json::parse(text);
}

std::string message(const Json& json) {
  return json.at("error").at("message");
}

TEST(Service, AnswersAsTheLibrary) {
  const std::string bytes = table_text();
  std::vector<std::string> told;
  const Json result = parsed(answer({"logs.csv", bytes}, R"({"gamma": "0.9", "horizon": "3"})",
                                    [&](const EvaluateProgress& at) { told.push_back(at.estimator); }));
  io::ReadOptions columns;
  columns.need_state = false;
  const io::ReadResult read = io::read_bytes(bytes, "logs.csv", columns);
  const Problem problem = make_problem(read.data, {.discount = Discount{0.9}, .horizon = Horizon{3}});
  Evaluation expected = evaluate(problem, parse_estimators(default_estimators(read.data)),
                                 EvaluateOptions{.details = true, .file = "logs.csv", .findings = read.findings});
  EXPECT_EQ(result.at("report"), evaluation_report(expected));
  expected.ess_by_step.clear();
  expected.processes.clear();
  EXPECT_EQ(result.at("json"), to_json(expected));
  EXPECT_EQ(result.at("text"), text(expected));
  EXPECT_TRUE(result.at("answered"));
  EXPECT_THAT(told, ElementsAre("auto", "naive", "wis", "wpdis"));
}

TEST(Service, ColumnsWithOtherNamesAreAskedForAndThenFound) {
  const std::string bytes = table_text("points");
  const Table table{"logs.csv", bytes};
  for (const Json& refused : {parsed(look(table, "{}")), parsed(answer(table, "{}"))}) {
    EXPECT_THAT(message(refused), HasSubstr("Pass --reward NAME"));
    EXPECT_EQ(refused.at("error").at("column"), "reward");
    EXPECT_EQ(refused.at("error").at("code"), "missing_column");
  }
  const std::string request = R"({"columns": {"reward": ["points"]}})";
  const Json seen = parsed(look(table, request));
  EXPECT_FALSE(seen.contains("error"));
  EXPECT_EQ(seen.at("inspection").at("episodes"), 60);
  EXPECT_THAT(seen.at("inspection").at("columns").at("recognized"),
              Contains(Json{{"name", "points"}, {"role", "reward"}}));
  EXPECT_THAT(seen.at("inspection").at("columns").at("ignored"), ElementsAre("ward"));
  const Json mapped = parsed(answer(table, request));
  const std::string plain = table_text();
  EXPECT_EQ(mapped.at("json"), parsed(answer({"logs.csv", plain}, "{}")).at("json"));
  EXPECT_EQ(mapped.at("command"), "starope evaluate logs.csv --reward points --report report.html");
}

TEST(Service, WhatAnEvaluationWouldMissIsSaidBesideWhatThereIs) {
  std::string bytes = table_text();
  bytes.replace(bytes.find("target_prob"), 11, "other_prob_");
  const Json seen = parsed(look({"logs.csv", bytes}, "{}"));
  EXPECT_EQ(seen.at("inspection").at("steps"), 240);
  const std::string expected = [&] {
    try {
      io::read_bytes(bytes, "logs.csv", {});
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string();
  }();
  EXPECT_EQ(message(seen), expected);
  EXPECT_EQ(message(parsed(answer({"logs.csv", bytes}, "{}"))), expected);
}

TEST(Service, WrongCellsAreToldInTheWordsOfTheProgram) {
  std::string bytes = table_text();
  bytes.replace(bytes.find("0.5,0.3"), 3, "1.5");
  std::string expected;
  try {
    io::read_bytes(bytes, "logs.csv");
  } catch (const DataError& error) {
    expected = error.what();
  }
  ASSERT_THAT(expected, HasSubstr("1.5"));
  EXPECT_EQ(message(parsed(look({"logs.csv", bytes}, "{}"))), expected);
  EXPECT_EQ(message(parsed(answer({"logs.csv", bytes}, "{}"))), expected);
}

TEST(Service, SlipsAreToldInTheWordsOfTheProgram) {
  const std::string bytes = table_text();
  const auto said = [&](const char* request) { return message(parsed(answer({"logs.csv", bytes}, request))); };
  EXPECT_EQ(said(R"({"gamma": "1.5"})"), "--gamma 1.5: the discount must be a number from 0 to 1, for example 0.99");
  EXPECT_THAT(said(R"({"horizon": "0"})"), StartsWith("--horizon 0: the horizon"));
  EXPECT_THAT(said(R"({"estimators": "autto"})"), HasSubstr("did you mean 'auto'"));
  EXPECT_THAT(said(R"({"columns": {"rewward": ["x"]}})"), HasSubstr("did you mean 'reward'"));
}

TEST(Service, TheCommandLineQuotesWhatAShellWouldTakeApart) {
  const std::string bytes = table_text("the 'points'");
  const Json result = parsed(answer(
      {"day 1.csv", bytes},
      R"json({"columns": {"reward": ["the 'points'"], "t": [""], "sort": ["true"], "state": ["state_1", "state_0"]},)json"
      R"json( "estimators": "naive,star(clusters=2)", "gamma": "1"})json"));
  EXPECT_EQ(
      result.at("command"),
      "starope evaluate 'day 1.csv' --t '' --state state_1,state_0 --reward 'the '\\''points'\\''' --sort --gamma 1 "
      "--estimators 'naive,star(clusters=2)' --report report.html");
}

TEST(Service, OffersWhatTheMenusNeed) {
  const Json offered = parsed(offers());
  std::vector<std::string> names, kinds;
  for (const Json& each : offered.at("columns")) {
    names.push_back(each.at("name"));
    kinds.push_back(each.at("kind"));
  }
  EXPECT_THAT(names, Contains("behavior_probs"));
  EXPECT_THAT(names, ::testing::Not(Contains("sql")));
  EXPECT_EQ(names.front(), "episode");
  for (const char* kind : {"column", "columns", "prefix", "kind", "flag"}) EXPECT_THAT(kinds, Contains(kind));
  EXPECT_EQ(offered.at("columns").at(5).at("flag"), "--behavior-prob");
}

TEST(Service, TheBeginningOfATableTellsItsColumnsAndWhatItNeeds) {
  const std::string bytes = table_text();
  const std::string_view begin = std::string_view(bytes).substr(0, 2000);
  const Json expected = parsed(expectation({"logs.csv", begin}, static_cast<std::int64_t>(bytes.size()), "{}"));
  EXPECT_EQ(expected.at("names").size(), 10);
  EXPECT_GT(expected.at("memory"), std::int64_t{2} * static_cast<std::int64_t>(bytes.size()));
  const Json large = parsed(expectation({"logs.csv", begin}, 200'000'000, "{}"));
  EXPECT_LT(large.at("memory"), most_memory);  // such files work
  const Json huge = parsed(expectation({"logs.csv", begin}, 3'000'000'000, "{}"));
  EXPECT_EQ(huge.at("error").at("code"), "memory");
  EXPECT_THAT(message(huge), HasSubstr("logs.csv has 3 GB"));
  EXPECT_THAT(message(huge), HasSubstr("Use the program"));
}

TEST(Service, TabsAndNamesThatSayNothing) {
  std::string tabs = table_text();
  std::replace(tabs.begin(), tabs.end(), ',', '\t');
  const std::string commas = table_text();
  const Json expected = parsed(look({"logs.csv", commas}, "{}"));
  for (const char* name : {"pasted.tsv", "table.txt"})
    EXPECT_EQ(parsed(look({name, tabs}, "{}")).at("inspection").at("return"), expected.at("inspection").at("return"));
  EXPECT_THAT(message(parsed(look({"empty.csv", ""}, "{}"))), HasSubstr("empty.csv"));
  EXPECT_THAT(message(parsed(look({"a.npz", commas}, "{}"))), HasSubstr("a.npz"));
}

}  // namespace
}  // namespace starope::web
