#include "starope/estimators/direct_method.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"
#include "starope/estimators/importance_sampling.hpp"
#include "starope/q/testing.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

Estimate with(QMethod method, const Problem& problem, QFeatures features = QFeatures::automatic) {
  return estimate(DirectMethod{QRecipe{.method = method, .features = features}}, problem);
}

TEST(DirectMethod, FittedQEvaluationOnATableIsTheModel) {
  for (const std::optional<Horizon> horizon : {std::optional<Horizon>{}, std::optional<Horizon>{Horizon{5}}}) {
    const Problem problem =
        testing::tabular_problem({.longest = 7, .cut = 0.05}, Seed{1}, {.discount = Discount{0.9}, .horizon = horizon});
    const Estimate fqe = with(QMethod::fqe, problem), mb = with(QMethod::mb, problem);
    EXPECT_NEAR(fqe.value, mb.value, 1e-11);
    EXPECT_NEAR(*fqe.std_error, *mb.std_error, 1e-9);
    EXPECT_EQ(fqe.findings, mb.findings);
  }
}

// On-policy, with one state and one action and no cuts, every method is the mean return, and its error that of a mean.
TEST(DirectMethod, InfluenceSumsToZeroAndGivesTheStandardError) {
  const Problem problem = testing::tabular_problem({.states = 3}, Seed{2}, {.discount = Discount{0.9}});
  for (const QMethod method : {QMethod::fqe, QMethod::mb, QMethod::qreg, QMethod::mrdr}) {
    const Estimate e = with(method, problem);
    ASSERT_EQ(e.influence.size(), 60u);
    double sum = 0.0;
    for (const double x : e.influence) sum += x;
    EXPECT_NEAR(sum, 0.0, 1e-9);
    EXPECT_NEAR(*e.std_error, moments(e.influence).standard_error(), 1e-14);
    EXPECT_GT(*e.std_error, 0.0);
  }
}

TEST(DirectMethod, OneStateOneActionOneStepIsTheMeanReward) {
  const Problem problem = testing::tabular_problem({.states = 1, .actions = 1, .longest = 1, .exit = 1.0}, Seed{3});
  const Estimate naive = estimate(Naive{}, problem);
  for (const QMethod method : {QMethod::fqe, QMethod::mb, QMethod::qreg}) {
    const Estimate e = with(method, problem);
    EXPECT_NEAR(e.value, naive.value, 1e-12);
    EXPECT_NEAR(*e.std_error, *naive.std_error, 1e-12);
  }
}

TEST(DirectMethod, ANetworkSaysThatItsOwnUncertaintyIsMissing) {
  const Problem problem = testing::tabular_problem({.longest = 3, .dense = true}, Seed{4});
  const auto codes = [](const Estimate& e) {
    std::vector<std::string> all;
    for (const Finding& f : e.findings) all.push_back(f.code);
    return all;
  };
  EXPECT_THAT(codes(with(QMethod::fqe, problem)), ::testing::Contains("fit_not_in_error"));
  EXPECT_THAT(codes(with(QMethod::fqe, problem, QFeatures::linear)),
              ::testing::Not(::testing::Contains("fit_not_in_error")));
}

TEST(DirectMethod, AsksForTheColumnsItNeeds) {
  try {
    with(QMethod::mrdr, testing::random_problem({.discrete_states = 3}, Seed{1}));
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("mrdr needs the target policy's probabilities"));
  }
}

}  // namespace
}  // namespace starope
