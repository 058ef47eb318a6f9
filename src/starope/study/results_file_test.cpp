#include "starope/study/results_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/error.hpp"
#include "starope/study.hpp"
#include "starope/study/plan.hpp"
#include "starope/study/results.hpp"
#include "starope/study/testing.hpp"

namespace starope {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::vector<StudyResult> cell_results(const StudySpec& spec, const StudyCell& cell) {
  std::vector<StudyResult> results;
  for (const std::string& estimator : spec.domains[cell.domain].estimators) {
    results.push_back(make_result(spec.domains[cell.domain], cell, estimator, {.result = Estimate{.value = 0.5}}));
  }
  return results;
}

TEST(ResultsFile, CutAtEveryByteItLosesAtMostTheLastCell) {
  const testing::StudyFolder folder;
  const StudySpec spec = testing::small_study();
  const StudyCell first{0, 20, 0}, second{1, 8, 0};
  {
    ResultsFile file(folder.path("whole"), spec);
    file.append(StudyTruth{.domain = "path", .value = 12.0});
    file.append(first, cell_results(spec, first));
    file.append(second, cell_results(spec, second));
  }
  const std::string whole = folder.read("whole");
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    const std::string path = folder.write("cut", whole.substr(0, cut));
    std::set<StudyCell> left;
    {
      const ResultsFile file(path, spec);
      left = file.finished();
    }
    // What is left is a prefix of what was there, and ends with a whole cell.
    const std::string kept = folder.read("cut");
    if (cut > 200) {
      EXPECT_EQ(whole.substr(0, kept.size()), kept) << cut;
    }
    EXPECT_EQ(left.count(second), cut == whole.size() ? 1U : 0U) << cut;
    if (left.count(second) == 0) {
      ResultsFile file(path, spec);
      if (file.truths().empty()) file.append(StudyTruth{.domain = "path", .value = 12.0});
      for (const StudyCell& cell : {first, second}) {
        if (file.finished().count(cell) == 0) file.append(cell, cell_results(spec, cell));
      }
    }
    EXPECT_EQ(folder.read("cut"), whole) << cut;
  }
}

TEST(ResultsFile, OneWriterAtATime) {
  const testing::StudyFolder folder;
  const StudySpec spec = testing::small_study();
  const ResultsFile file(folder.path("r"), spec);
  EXPECT_THAT([&] { ResultsFile(folder.path("r"), spec); }, ThrowsMessage<FileError>(HasSubstr("another process")));
}

TEST(ResultsFile, RefusesStrangers) {
  const testing::StudyFolder folder;
  const StudySpec spec = testing::small_study();
  StudySpec other = spec;
  other.seed = Seed{99};
  { const ResultsFile file(folder.path("r"), other); }
  EXPECT_THAT([&] { ResultsFile(folder.path("r"), spec); }, ThrowsMessage<DataError>(HasSubstr("another study")));
  folder.write("text", "hello\n");
  EXPECT_THROW(ResultsFile(folder.path("text"), spec), DataError);
}

TEST(ResultsFile, AGapInTheMiddleIsAnError) {
  const testing::StudyFolder folder;
  const StudySpec spec = testing::small_study();
  const StudyCell a{0, 20, 0}, b{1, 8, 0};
  {
    ResultsFile file(folder.path("r"), spec);
    std::vector<StudyResult> part = cell_results(spec, a);
    part.pop_back();
    file.append(a, part);
    file.append(b, cell_results(spec, b));
  }
  EXPECT_THAT([&] { ResultsFile(folder.path("r"), spec); }, ThrowsMessage<DataError>(HasSubstr("not complete")));
}

TEST(ResultsFile, CountsFailures) {
  const testing::StudyFolder folder;
  const StudySpec spec = testing::small_study();
  const StudyCell cell{1, 8, 0};
  std::vector<StudyResult> results = cell_results(spec, cell);
  results[0].answer = Failure{.code = "c", .message = "m"};
  { ResultsFile(folder.path("r"), spec).append(cell, results); }
  EXPECT_EQ(ResultsFile(folder.path("r"), spec).failures(), 1);
}

TEST(ResultsFile, WhatTheStudyDoesNotPlanIsRefused) {
  const testing::StudyFolder folder;
  const StudySpec spec = testing::small_study();
  const StudyCell cell{0, 20, 0};
  const auto refused = [&](const std::vector<StudyResult>& results, const std::string& why) {
    folder.write("r", "");
    { ResultsFile(folder.path("r"), spec).append(cell, results); }
    EXPECT_THAT([&] { ResultsFile(folder.path("r"), spec); }, ThrowsMessage<DataError>(HasSubstr(why)));
  };
  std::vector<StudyResult> results = cell_results(spec, cell);
  for (StudyResult& result : results) result.trial = 3;  // of trials 0 to 2
  refused(results, "which the study does not have");
  for (StudyResult& result : results) result.trial = -1;
  refused(results, "which the study does not have");
  results = cell_results(spec, cell);
  for (StudyResult& result : results) result.size = 21;
  refused(results, "which the study does not have");
  results = cell_results(spec, cell);
  std::swap(results[0], results[1]);
  refused(results, "have 'wpdis' where the study has 'naive'");
}

// A failure of the moment: the cell is there, but not finished, and what comes later counts.
TEST(ResultsFile, CellsThatRanOutOfMemoryAreComputedAgain) {
  const testing::StudyFolder folder;
  const StudySpec spec = testing::small_study();
  const StudyCell cell{1, 8, 0};
  std::vector<StudyResult> without = cell_results(spec, cell);
  without[0].answer = Failure{.code = "out_of_memory", .message = "m"};
  { ResultsFile(folder.path("r"), spec).append(cell, without); }
  {
    ResultsFile file(folder.path("r"), spec);
    EXPECT_EQ(file.finished().count(cell), 0U);
    EXPECT_EQ(file.failures(), 0);
    file.append(cell, without);  // once more without luck
  }
  EXPECT_EQ(read_results(folder.path("r")).results.size(), 2U);
  ResultsFile(folder.path("r"), spec).append(cell, cell_results(spec, cell));
  const ResultsFile file(folder.path("r"), spec);
  EXPECT_EQ(file.finished().count(cell), 1U);
  const StudyResults read = read_results(folder.path("r"));
  EXPECT_EQ(read.results.size(), 2U);
  for (const StudyResult& result : read.results) {
    EXPECT_TRUE(std::holds_alternative<StudyAnswer>(result.answer));
  }
}

}  // namespace
}  // namespace starope
