#include "starope/study/spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/error.hpp"
#include "starope/study.hpp"
#include "starope/study/testing.hpp"

namespace starope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(StudySpec, CompletingSpellsOutWhatTheDomainImplies) {
  StudySpec spec{.name = "s"};
  spec.domains.push_back({.name = "", .domain = "CartPole", .sizes = {5}, .trials = 1, .estimators = {"naive"}});
  const StudyDomain domain = complete_study(spec).domains.front();
  EXPECT_EQ(domain.name, "cartpole");
  EXPECT_EQ(domain.behavior, "uniform");
  EXPECT_EQ(domain.target, "follow");
  EXPECT_EQ(domain.horizon, Horizon{50});
  EXPECT_EQ(domain.discount, Discount{1.0});
}

TEST(StudySpec, JsonRoundTrip) {
  StudySpec spec = testing::small_study();
  spec.domains.push_back({.name = "own",
                          .discount = Discount{0.9},
                          .file = "logs.csv",
                          .checksum = "00ff",
                          .truth = 0.1,
                          .sizes = {3},
                          .trials = 1,
                          .estimators = {"naive"}});
  const std::string text = study_json(spec);
  EXPECT_EQ(study_json(parse_study_json(text, "study.json")), text);
  EXPECT_THAT(text, HasSubstr("\"schema\": \"starope.study/1\""));
}

TEST(StudySpec, RefusesJsonThatIsNone) {
  EXPECT_THAT([] { parse_study_json("{\"schema\": \"starope.study/9\"}", "x.json"); },
              ThrowsMessage<DataError>(HasSubstr("starope.study/9")));
  EXPECT_THAT([] { parse_study_json("{", "x.json"); }, ThrowsMessage<DataError>(HasSubstr("x.json")));
}

TEST(StudySpec, DifferencesNameWhatChanged) {
  const StudySpec stored = testing::small_study();
  EXPECT_TRUE(study_differences(stored, stored).empty());
  StudySpec given = stored;
  given.seed = Seed{8};
  given.domains[0].sizes[1] = 30;
  given.domains[1].estimators.emplace_back("is");
  EXPECT_THAT(study_differences(stored, given),
              ElementsAre("seed: 7, now 8", "domains[model-fail].sizes[1]: 20, now 30",
                          "domains[path].estimators[2]: new, \"is\""));
}

TEST(StudySpec, WhereAFileLiesIsNoDifferenceButWhatIsInItIs) {
  const testing::StudyFolder folder;
  StudySpec spec{.name = "own"};
  spec.domains.push_back({.name = "logs", .sizes = {1}, .trials = 1, .estimators = {"naive"}});
  spec.domains[0].file = folder.write("a.csv", "x");
  const StudySpec here = complete_study(spec);
  spec.domains[0].file = folder.write("b.csv", "x");
  EXPECT_TRUE(study_differences(here, complete_study(spec)).empty());
  EXPECT_EQ(study_checksum(here), study_checksum(complete_study(spec)));
  spec.domains[0].file = folder.write("b.csv", "y");
  EXPECT_EQ(study_differences(here, complete_study(spec)).size(), 1U);
  EXPECT_NE(study_checksum(here), study_checksum(complete_study(spec)));
}

TEST(StudySpec, WhatColumnsAreCalledIsPartOfTheStudy) {
  const testing::StudyFolder folder;
  StudySpec spec{.name = "own"};
  spec.domains.push_back({.name = "logs", .sizes = {1}, .trials = 1, .estimators = {"naive"}});
  spec.domains[0].file = folder.write("a.csv", "x");
  const StudySpec plain = complete_study(spec);
  EXPECT_EQ(study_json(plain).find("columns"), std::string::npos);  // studies of before have the same checksum
  spec.domains[0].columns.state = {"x", "y"};
  spec.domains[0].columns.reward = "gain";
  spec.domains[0].columns.duckdb_library = "here.so";
  const StudySpec named = complete_study(spec);
  EXPECT_THAT(study_differences(plain, named),
              ElementsAre("domains[logs].columns.state[0]: new, \"x\"", "domains[logs].columns.state[1]: new, \"y\"",
                          "domains[logs].columns.reward[0]: new, \"gain\""));
  const StudySpec again = parse_study_json(study_json(named), "study.json");
  EXPECT_TRUE(study_differences(named, again).empty());
  EXPECT_EQ(again.domains[0].columns.duckdb_library, "here.so");
  std::string edited = study_json(named);
  edited.replace(edited.find("\"reward\""), 8, "\"rewrad\"");
  EXPECT_THAT([&] { parse_study_json(edited, "study.json"); }, ThrowsMessage<DataError>(HasSubstr("rewrad")));
}

TEST(StudySpec, ChecksumIsFnv1a) {
  const testing::StudyFolder folder;
  EXPECT_EQ(file_checksum(folder.write("a", "a")), "af63dc4c8601ec8c");  // the published value for "a"
  EXPECT_THROW(file_checksum(folder.path("missing")), FileError);
}

TEST(StudySpec, ChecksSayWhatIsWrong) {
  const auto broken = [](auto change) {
    StudySpec spec = testing::small_study();
    change(spec);
    return [spec] { check_study(spec); };
  };
  EXPECT_THAT(broken([](StudySpec& s) { s.domains.clear(); }), ThrowsMessage<InvalidArgument>(HasSubstr("no domains")));
  EXPECT_THAT(broken([](StudySpec& s) { s.domains[1].name = "model-fail"; }),
              ThrowsMessage<InvalidArgument>(HasSubstr("two domains are named 'model-fail'")));
  EXPECT_THAT(broken([](StudySpec& s) {
                s.domains[0].sizes = {5, 5};
              }),
              ThrowsMessage<InvalidArgument>(HasSubstr("size 5 is given twice")));
  EXPECT_THAT(broken([](StudySpec& s) { s.domains[0].sizes = {0}; }),
              ThrowsMessage<InvalidArgument>(HasSubstr("at least 1")));
  // Before the first trial, not as an error of each.
  EXPECT_THAT(broken([](StudySpec& s) {
                s.domains[0].sizes = {10, 1'000'000'000'000};
              }),
              ThrowsMessage<TooMuchWork>(HasSubstr("a data set of 1,000,000,000,000 episodes")));
  EXPECT_THAT(broken([](StudySpec& s) { s.domains[0].estimators.emplace_back("naive"); }),
              ThrowsMessage<InvalidArgument>(HasSubstr("'naive' is given twice")));
  EXPECT_THAT(broken([](StudySpec& s) { s.domains[0].estimators.emplace_back("naiv"); }),
              ThrowsMessage<InvalidArgument>(HasSubstr("did you mean 'naive'")));
  EXPECT_THAT(broken([](StudySpec& s) { s.domains[0].trials = 0; }),
              ThrowsMessage<InvalidArgument>(HasSubstr("trials")));
  EXPECT_THAT(broken([](StudySpec& s) { s.domains[0].truth = 1.0; }),
              ThrowsMessage<InvalidArgument>(HasSubstr("computed")));
}

}  // namespace
}  // namespace starope
