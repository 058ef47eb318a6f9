#include "starope/study.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <sstream>
#include <tuple>

#include "starope/error.hpp"
#include "starope/study/testing.hpp"

namespace starope {
namespace {

using ::testing::AllOf;
using testing::content_of;
using ::testing::HasSubstr;
using testing::small_study;
using testing::StudyFolder;
using ::testing::ThrowsMessage;

StudyProgress run(const StudyFolder& folder, const std::string& name, RunStudyOptions options = {}) {
  options.folder = folder.path(name);
  return run_study(small_study(), options);
}

TEST(RunStudy, SameResultsForAnyThreadsAndShards) {
  const StudyFolder folder;
  run(folder, "one", {.threads = Threads{1}});
  run(folder, "four", {.threads = Threads{4}});
  const std::vector<std::string> whole = content_of(folder.path("one/results.jsonl"));
  EXPECT_EQ(whole.size(), 1U + 2U + 6U * 4U + 2U * 2U);
  EXPECT_EQ(content_of(folder.path("four/results.jsonl")), whole);

  std::vector<std::string> parts;
  for (std::int64_t i = 1; i <= 3; ++i) {
    parts.push_back(folder.path("shard" + std::to_string(i)));
    run(folder, "shard" + std::to_string(i), {.shard = Shard(i, 3), .threads = Threads{2}});
  }
  const MergedStudy merged = merge_studies(parts, folder.path("merged"));
  EXPECT_EQ(merged.cells, 8);
  EXPECT_EQ(merged.total, 8);
  EXPECT_EQ(content_of(folder.path("merged/results.jsonl")), whole);
  // A merged study is a study: there is nothing left to do.
  EXPECT_EQ(run(folder, "merged", {.resume = true}).done, 8);
}

TEST(RunStudy, StopsBetweenCellsAndResumesWithoutRepeating) {
  const StudyFolder folder;
  run(folder, "whole");
  int calls = 0;
  const StudyProgress stopped = run(folder, "r", {.threads = Threads{1}, .stop = [&] { return ++calls > 5; }});
  EXPECT_GT(stopped.done, 0);
  EXPECT_LT(stopped.done, stopped.total);
  const std::string before = folder.read("r/results.jsonl");
  const StudyProgress rest = run(folder, "r", {.resume = true});
  EXPECT_EQ(rest.done, 8);
  EXPECT_EQ(folder.read("r/results.jsonl").substr(0, before.size()), before);
  EXPECT_EQ(content_of(folder.path("r/results.jsonl")), content_of(folder.path("whole/results.jsonl")));
}

TEST(RunStudy, AFolderIsContinuedOnlyOnPurposeAndWithTheSameStudy) {
  const StudyFolder folder;
  run(folder, "r");
  EXPECT_THAT([&] { run(folder, "r"); }, ThrowsMessage<InvalidArgument>(HasSubstr("--resume")));
  StudySpec changed = small_study();
  changed.domains[0].trials = 5;
  EXPECT_THAT([&] { run_study(changed, {.folder = folder.path("r"), .resume = true}); },
              ThrowsMessage<InvalidArgument>(
                  AllOf(HasSubstr("another specification"), HasSubstr("domains[model-fail].trials: 3, now 5"))));
  EXPECT_THAT([&] { run(folder, "r", {.shard = Shard(1, 2), .resume = true}); },
              ThrowsMessage<InvalidArgument>(HasSubstr("shard 1/1")));
}

TEST(RunStudy, MergeRefusesStrangersAndContradictions) {
  const StudyFolder folder;
  run(folder, "a", {.shard = Shard(1, 2)});
  StudySpec other = small_study();
  other.seed = Seed{8};
  run_study(other, {.folder = folder.path("b"), .shard = Shard(2, 2)});
  EXPECT_THAT(
      [&] {
        merge_studies({folder.path("a"), folder.path("b")}, folder.path("m"));
      },
      ThrowsMessage<InvalidArgument>(HasSubstr("seed")));
  EXPECT_FALSE(std::filesystem::exists(folder.path("m")));

  // The same shard twice is no contradiction, a changed number is.
  std::filesystem::copy(folder.path("a"), folder.path("c"));
  EXPECT_EQ(merge_studies({folder.path("a"), folder.path("c")}, folder.path("twice")).cells, 4);
  std::string text = folder.read("c/results.jsonl");
  const std::size_t from = text.find("{\"kind\":\"result\""), to = text.find('\n', from) + 1;
  StudyLine changed = parse_result_line(text.substr(from, to - from), "r", 1);
  std::get<StudyAnswer>(std::get<StudyResult>(changed).answer).value += 1.0;
  folder.write("c/results.jsonl", text.replace(from, to - from, result_line(changed)));
  EXPECT_THAT(
      [&] {
        merge_studies({folder.path("a"), folder.path("c")}, folder.path("m"));
      },
      ThrowsMessage<InvalidArgument>(HasSubstr("differ")));
  EXPECT_THROW(merge_studies({folder.path("a")}, folder.path("a")), InvalidArgument);
}

TEST(RunStudy, AnEstimatorThatFailsIsRecorded) {
  const StudyFolder folder;
  StudySpec spec = small_study();
  spec.domains.resize(1);
  spec.domains[0].estimators = {"naive", "star(phi=grid)"};  // a grid needs numbers, not ids
  const StudyProgress progress = run_study(spec, {.folder = folder.path("r")});
  EXPECT_EQ(progress.failures, 6);
  EXPECT_EQ(progress.done, 6);
  int errors = 0;
  for (const StudyResult& result : read_results(folder.path("r/results.jsonl")).results) {
    errors += std::holds_alternative<Failure>(result.answer) ? 1 : 0;
  }
  EXPECT_EQ(errors, 6);
}

TEST(RunStudy, MissingTablesStopTheStudy) {
  const StudyFolder folder;
  StudySpec spec = small_study();
  spec.domains[0].domain = "icu-sepsis";
  spec.domains[0].behavior = spec.domains[0].target = "expert";
  EXPECT_THROW(run_study(spec, {.folder = folder.path("r")}), FileError);
}

TEST(RunStudy, TellsProgress) {
  const StudyFolder folder;
  std::vector<std::int64_t> done;
  std::string notes;
  run(folder, "r", {.threads = Threads{2}, .progress = [&](const StudyProgress& p) {
                      EXPECT_EQ(p.total, 8);
                      if (p.note.empty()) done.push_back(p.done);
                      notes += p.note;
                    }});
  EXPECT_EQ(done, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_THAT(notes, HasSubstr("true value of path"));
}

// A disk, a machine or a limit that had too little memory: --resume computes what it took, and nothing else.
TEST(RunStudy, WhatRanOutOfMemoryIsComputedAgain) {
  const StudyFolder folder;
  run(folder, "r");
  const std::vector<std::string> whole = content_of(folder.path("r/results.jsonl"));
  std::string text;
  std::istringstream lines(folder.read("r/results.jsonl"));
  int failed = 0;
  for (std::string line; std::getline(lines, line);) {
    StudyLine parsed = parse_result_line(line, "r", 1);
    auto* result = std::get_if<StudyResult>(&parsed);
    if (result != nullptr && result->domain == "path") {
      result->answer = Failure{.code = "out_of_memory", .message = "m"};
      ++failed;
    }
    text += result_line(parsed);
  }
  EXPECT_EQ(failed, 4);
  folder.write("r/results.jsonl", text);
  EXPECT_EQ(run(folder, "r", {.resume = true}).failures, 0);
  EXPECT_EQ(content_of(folder.path("r/results.jsonl")), whole);
  EXPECT_EQ(folder.read("r/results.jsonl").substr(0, text.size()), text);  // appended
  EXPECT_EQ(run(folder, "r", {.resume = true}).done, 8);
}

TEST(RunStudy, MergingTakesTheAnswerWhereAnotherPartHadNoMemoryAndLeavesOutWhatIsUnfinished) {
  const StudyFolder folder;
  run(folder, "a");
  std::filesystem::copy(folder.path("a"), folder.path("b"));
  std::string text;
  std::istringstream lines(folder.read("a/results.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    StudyLine parsed = parse_result_line(line, "r", 1);
    auto* result = std::get_if<StudyResult>(&parsed);
    if (result != nullptr && result->domain == "path")
      result->answer = Failure{.code = "out_of_memory", .message = "m"};
    text += result_line(parsed);
  }
  const std::size_t last = text.rfind("{\"kind\"");
  folder.write("b/results.jsonl", text.substr(0, last));  // and its last cell is not complete
  const std::vector<std::string> whole = content_of(folder.path("a/results.jsonl"));
  for (const auto& [first, second, into] : {std::tuple{"a", "b", "m1"}, {"b", "a", "m2"}}) {
    EXPECT_EQ(merge_studies({folder.path(first), folder.path(second)}, folder.path(into)).cells, 8);
    EXPECT_EQ(content_of(folder.path(std::string(into) + "/results.jsonl")), whole);
  }
}

TEST(RunStudy, WhatCannotWorkIsFoundBeforeAnythingIsWritten) {
  const StudyFolder folder;
  folder.write("logs.csv", "episode,reward,behavior_prob,target_prob\n0,1,0.5,0.5\n1,2,0.5,0.5\n");
  StudySpec spec{.name = "s"};
  spec.domains.push_back(
      {.name = "own", .file = folder.path("logs.csv"), .sizes = {2}, .trials = 1, .estimators = {"naive"}});
  const auto fails = [&](const StudySpec& wrong) {
    const bool thrown = [&] {
      try {
        run_study(wrong, {.folder = folder.path("r"), .files = estimator_files()});
        return false;
      } catch (const Error&) {
        return true;
      }
    }();
    return thrown && !std::filesystem::exists(folder.path("r"));
  };
  StudySpec changed = spec;
  changed.domains[0].sizes = {3};
  EXPECT_TRUE(fails(changed));
  changed = spec;
  changed.domains[0].truth = std::nan("");
  EXPECT_TRUE(fails(changed));
  changed = spec;
  changed.domains[0].estimators = {"star(centroids=/no/such/file.csv)"};
  EXPECT_TRUE(fails(changed));
  changed = spec;
  changed.domains[0].trials = 1'000'000'000'000;
  EXPECT_TRUE(fails(changed));
  EXPECT_EQ(run_study(spec, {.folder = folder.path("r")}).done, 1);
}

}  // namespace
}  // namespace starope
