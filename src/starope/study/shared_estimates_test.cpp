#include "starope/study/shared_estimates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/data/random_logs.hpp"
#include "starope/inference/influence_interval.hpp"
#include "starope/study/case_data.hpp"
#include "starope/study/testing.hpp"

namespace starope {
namespace {

Problem dense_problem() {
  testing::RandomLogsOptions options;
  options.episodes = 60;
  return testing::random_problem(options, Seed{5});
}

TEST(SharedEstimates, EqualTheEstimatesMadeOneByOne) {
  const Problem problem = dense_problem();
  const std::vector<NamedEstimator> estimators = parse_estimators(
      "wpdis,star(clusters=3,clip=1),star(clusters=5,clip=2),star(clusters=3,clip=2),naive,"
      "star(clusters=3,clip=1,horizon=2),star(clusters=3,clip=1,seed=9),star(phi=random,clusters=3),"
      "star(clusters=3,clip=1,horizon=2,truncation=censor),star(clusters=3,time=indexed),star(clusters=3,init=kmeans++"
      ")",
      {}, Seed{11});
  const std::vector<TimedEstimate> shared = shared_estimates(estimators, problem, Level{0.9});
  ASSERT_EQ(shared.size(), estimators.size());
  for (std::size_t i = 0; i < shared.size(); ++i) {
    const Estimate alone = estimate(estimators[i].estimator, problem);
    const auto* made = std::get_if<Estimate>(&shared[i].result);
    ASSERT_NE(made, nullptr) << estimators[i].text;
    EXPECT_EQ(made->value, alone.value) << estimators[i].text;
    EXPECT_EQ(made->std_error, alone.std_error) << estimators[i].text;
    EXPECT_EQ(made->interval->lower, influence_interval(alone, Level{0.9})->lower);
    EXPECT_EQ(made->findings, alone.findings);
    EXPECT_EQ(made->estimator, estimators[i].text);
    EXPECT_GE(shared[i].seconds, 0.0);
  }
}

Problem small_cartpole() {
  StudySpec spec = testing::small_study();
  spec.domains[0] = {.name = "c", .domain = "cartpole", .sizes = {30}, .trials = 1, .estimators = {"naive"}};
  return StudyData(complete_study(spec)).problem({0, 30, 0});
}

void expect_as_alone(const std::vector<NamedEstimator>& estimators, const Problem& problem) {
  const std::vector<TimedEstimate> shared = shared_estimates(estimators, problem, Level{0.95});
  ASSERT_EQ(shared.size(), estimators.size());
  for (std::size_t i = 0; i < shared.size(); ++i) {
    const Estimate alone = estimate(estimators[i].estimator, problem);
    const auto* made = std::get_if<Estimate>(&shared[i].result);
    ASSERT_NE(made, nullptr) << estimators[i].text;
    EXPECT_EQ(made->value, alone.value) << estimators[i].text;
    EXPECT_EQ(made->std_error, alone.std_error) << estimators[i].text;
    EXPECT_EQ(made->findings, alone.findings) << estimators[i].text;
    EXPECT_GE(shared[i].seconds, 0.0);
  }
}

TEST(SharedEstimates, OneFitOfAQFunctionServesAll) {
  const Problem problem = small_cartpole();
  const std::vector<NamedEstimator> estimators = parse_estimators(
      "mb(clusters=4),dr(q=mb,clusters=4),wdr(q=mb(clusters=4)),magic(q=mb,clusters=4),dr(q=mb,clusters=4,folds=2),"
      "qreg(features=linear),dr(q=qreg,features=linear),dr(q=qreg,features=linear,seed=5)",
      {}, Seed{3});
  expect_as_alone(estimators, problem);
}

// A model over clusters uses the labels of a star, whoever comes first, and regressions use one another's features.
TEST(SharedEstimates, OneLabellingServesStarsAndModels) {
  const Problem problem = small_cartpole();
  const std::vector<NamedEstimator> estimators = parse_estimators(
      "star(clusters=4,clip=1,horizon=none),mb(clusters=4),star(clusters=4,clip=2,seed=8),dr(q=mb,clusters=4,seed=8),"
      "fqe(features=rbf),qreg(features=rbf),mrdr(features=rbf),wdr(q=mrdr,features=rbf,seed=8)",
      {}, Seed{3});
  expect_as_alone(estimators, problem);
}

TEST(SharedEstimates, AFailureLeavesTheOthersAlone) {
  const Problem problem = dense_problem();
  // Real-valued states have no table of ids.
  const std::vector<NamedEstimator> estimators =
      parse_estimators("star(lookup=t.csv,clip=1),naive,star(lookup=t.csv,clip=2)",
                       {.centroids = {}, .lookup = [](const std::string&) { return LookupTable{}; }});
  const std::vector<TimedEstimate> shared = shared_estimates(estimators, problem, Level{0.95});
  for (const std::size_t i : {0U, 2U}) {
    const auto* failure = std::get_if<EstimateFailure>(&shared[i].result);
    ASSERT_NE(failure, nullptr);
    EXPECT_FALSE(failure->code.empty());
    EXPECT_FALSE(failure->message.empty());
  }
  EXPECT_TRUE(std::holds_alternative<Estimate>(shared[1].result));
}

}  // namespace
}  // namespace starope
