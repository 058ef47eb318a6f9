#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "starope/io/testing_files.hpp"
#include "starope/starope.hpp"
#include "starope/study.hpp"
#include "support/test_data.hpp"

namespace starope {
namespace {

namespace fs = std::filesystem;

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Bytes read_bytes(const std::string& path) {
  const std::string text = read_file(path);
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

class Release : public ::testing::TestWithParam<const char*> {
 protected:
  std::string file(const std::string& name) const {
    return testing::committed_file(std::string(GetParam()) + "/" + name);
  }
  Evaluation evaluation() const { return evaluation_from_json(read_file(file("evaluation.json")), "evaluation.json"); }
  static double value_of(const Evaluation& evaluation, const std::string& estimator) {
    for (const Answer& answer : evaluation.estimates) {
      if (answer.estimator == estimator) return std::get<Estimate>(answer.result).value;
    }
    throw std::out_of_range(estimator);
  }

  ProblemOptions question_{.discount = Discount{0.9}};
};

TEST_P(Release, ItsEvaluationIsReadAndItsNumbersAreThoseOfTheLogs) {
  const Evaluation stored = evaluation();
  EXPECT_EQ(stored.data.episodes, 20);
  EXPECT_EQ(stored.data.gamma, 0.9);
  EXPECT_EQ(stored.estimates.size(), 6U);
  EXPECT_FALSE(stored.ess_by_step.empty());
  EXPECT_EQ(stored.processes.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<Failure>(stored.estimates.back().result));
  for (const char* name : {"logs.csv", "logs.npz"}) {
    const Problem problem = make_problem(io::read(file(name)).data, question_);
    const Evaluation now = evaluate(problem, parse_estimators("naive,wis,wpdis,star(phi=identity,clip=2)"));
    for (const Answer& answer : now.estimates) {
      EXPECT_NEAR(std::get<Estimate>(answer.result).value, value_of(stored, answer.estimator), 1e-9)
          << answer.estimator;
    }
  }
}

TEST_P(Release, ItsStatisticsMergeIntoItsAnswer) {
  const Phi phi = Phi::from_bytes(read_bytes(file("phi.bin")));
  Statistic total = Statistic::from_bytes(read_bytes(file("statistic-1.bin")));
  total += Statistic::from_bytes(read_bytes(file("statistic-2.bin")));
  EXPECT_EQ(total.episodes(), 20.0);
  EXPECT_EQ(total.recipe().phi, phi.fingerprint());
  const Dataset logs = io::read(file("logs.csv")).data;
  const ArpCount count{.phi = phi,
                       .options = {.clip = Clip::last(2)},
                       .question = question_,
                       .whole = survey(dataset_source(logs), question_)};
  EXPECT_NEAR(finish(count, total).value, value_of(evaluation(), "star(phi=identity,clip=2)"), 1e-9);
  EXPECT_EQ(fold(count, dataset_source(logs)).recipe(), total.recipe());  // so that old and new parts merge
}

TEST_P(Release, ItsStudyIsReadSummarizedAndContinued) {
  const starope::testing::TemporaryFolder folder;
  const fs::path copy = folder.path();
  for (const char* name : {"study.json", "results.jsonl"}) {
    fs::copy_file(file(std::string("study/") + name), copy / name);
  }
  const StudySummary summary = summarize(read_results((copy / "results.jsonl").string()));
  EXPECT_EQ(summary.results, 12);
  EXPECT_EQ(summary.failures, 4);
  EXPECT_EQ(summary.cases.size(), 2U);
  EXPECT_TRUE(summary.cases.front().truth.has_value());
  const StoredStudy stored = read_study(copy.string());
  const StudyProgress end = run_study(stored.spec, {.folder = copy.string(), .resume = true});
  EXPECT_EQ(end.done, 4);
  EXPECT_EQ(read_file((copy / "results.jsonl").string()),
            read_file(file("study/results.jsonl")));  // nothing was left to do
}

// What versions from 0.2 on also write.
class LaterRelease : public Release {};

TEST_P(LaterRelease, ItsInspectionAndItsComparisonAreRead) {
  const std::string inspection = read_file(file("inspection.json")), comparison = read_file(file("comparison.json"));
  EXPECT_EQ(inspection_from_json(inspection, "inspection.json").episodes, 20);
  const Comparison compared = comparison_from_json(comparison, "comparison.json");
  ASSERT_EQ(compared.policies.size(), 3U);
  EXPECT_EQ(compared.policies[1].policy, "one");
  EXPECT_NEAR(std::get<Estimate>(compared.policies[2].answer.result).value, value_of(evaluation(), "wpdis"), 1e-9);
}

TEST_P(LaterRelease, ItsPartsMergeWithPartsOfThisVersion) {
  const ShardStatistics first = ShardStatistics::from_bytes(read_bytes(file("part-1.star")));
  const Dataset logs = io::read(file("logs.csv")).data;
  ShardStatistics stored = first, counted = first;
  stored += ShardStatistics::from_bytes(read_bytes(file("part-2.star")));
  counted += starope::count(dataset_source(logs.take(7, 20)), first);
  for (const ShardStatistics& total : {stored, counted}) {
    const Evaluation merged = finish(total);
    for (const char* estimator : {"naive", "wpdis", "star(phi=identity,clip=2)"}) {
      EXPECT_NEAR(value_of(merged, estimator), value_of(evaluation(), estimator), 1e-9) << estimator;
    }
  }
}

std::string name_of(const ::testing::TestParamInfo<const char*>& of) {
  std::string name = of.param;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(Files, LaterRelease, ::testing::Values("release-0.2"), name_of);
INSTANTIATE_TEST_SUITE_P(Files, Release, ::testing::Values("release-0.1", "release-0.2"), name_of);

}  // namespace
}  // namespace starope
