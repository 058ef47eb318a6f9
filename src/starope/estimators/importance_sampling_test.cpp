#include "starope/estimators/importance_sampling.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "starope/data/log_vectors.hpp"
#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"
#include "starope/estimators/estimate.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

constexpr ImportanceSampling is{}, wis{.weighted = true}, pdis{.per_decision = true},
    wpdis{.weighted = true, .per_decision = true};

struct Episode {
  std::vector<double> ratios, rewards;
};

// Behavior probability 1/8: ratios up to 8 are exact.
Problem problem_with(const std::vector<Episode>& episodes, double gamma = 1.0) {
  testing::LogVectors c;
  for (const Episode& e : episodes) {
    for (std::size_t t = 0; t < e.ratios.size(); ++t) {
      c.rewards.push_back(e.rewards[t]);
      c.behavior.push_back(0.125);
      c.target.push_back(0.125 * e.ratios[t]);
    }
    c.end_episode();
  }
  return make_problem(std::move(c).dataset(), {.discount = Discount{gamma}});
}

// Episode A: ratios 2, 3, rewards 1, 10. Episode B: ratio 4, reward 5. Discount 1/2.
const std::vector<Episode> two{{{2, 3}, {1, 10}}, {{4}, {5}}};

TEST(ImportanceSampling, HandComputedValues) {
  const Problem problem = problem_with(two, 0.5);
  EXPECT_DOUBLE_EQ(estimate(Naive{}, problem).value, (6.0 + 5.0) / 2);     // G = 1 + 5, 5
  EXPECT_DOUBLE_EQ(estimate(is, problem).value, (6 * 6.0 + 4 * 5.0) / 2);  // W = 6, 4
  EXPECT_DOUBLE_EQ(estimate(wis, problem).value, (6 * 6.0 + 4 * 5.0) / 10);
  EXPECT_DOUBLE_EQ(estimate(pdis, problem).value, ((2 * 1 + 0.5 * 6 * 10) + 4 * 5.0) / 2);
  // t = 0: (2 * 1 + 4 * 5) / (2 + 4); t = 1: 6 * 10 / (6 + 4), B has ended and keeps its weight 4.
  EXPECT_DOUBLE_EQ(estimate(wpdis, problem).value, 22.0 / 6 + 0.5 * 60.0 / 10);
}

TEST(ImportanceSampling, StandardErrorsOfTheMeansAreThoseOfTheirScores) {
  const Problem problem = problem_with(two, 0.5);
  EXPECT_DOUBLE_EQ(*estimate(Naive{}, problem).std_error, 0.5);  // scores 6, 5: sd / sqrt 2
  EXPECT_DOUBLE_EQ(*estimate(is, problem).std_error, 8.0);       // 36, 20
  EXPECT_DOUBLE_EQ(*estimate(pdis, problem).std_error, 6.0);     // 32, 20
}

// Influence values against numerical differentiation: the estimators written as functions of real multiplicities.
double value_with(const Problem& problem, const ImportanceSampling& which, const std::vector<double>& m) {
  const double g = problem.discount().gamma();
  const auto n = static_cast<std::size_t>(problem.episodes());
  double episodes = 0.0;
  for (const double x : m) episodes += x;
  double sum_w = 0.0, sum_wg = 0.0, sum_pdis = 0.0, total = 0.0;
  for (std::size_t t = 0; t < static_cast<std::size_t>(problem.longest()); ++t) {
    double numerator = 0.0, denominator = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      const LoggedEpisode e = problem.episode(static_cast<std::int64_t>(i));
      double w = 1.0;
      for (std::size_t j = 0; j <= std::min(t, e.ratios.size() - 1); ++j) w *= e.ratios[j];
      denominator += m[i] * w;
      if (t < e.rewards.size()) numerator += m[i] * w * e.rewards[t];
    }
    total += std::pow(g, static_cast<double>(t)) * numerator / denominator;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const LoggedEpisode e = problem.episode(static_cast<std::int64_t>(i));
    double w = 1.0, ret = 0.0, per = 0.0;
    for (std::size_t t = 0; t < e.ratios.size(); ++t) {
      w *= e.ratios[t];
      ret += std::pow(g, static_cast<double>(t)) * e.rewards[t];
      per += std::pow(g, static_cast<double>(t)) * w * e.rewards[t];
    }
    sum_w += m[i] * w;
    sum_wg += m[i] * w * ret;
    sum_pdis += m[i] * per;
  }
  if (which.weighted) return which.per_decision ? total : sum_wg / sum_w;
  return (which.per_decision ? sum_pdis : sum_wg) / episodes;
}

TEST(ImportanceSampling, InfluenceValuesAreDerivativesInTheMultiplicities) {
  const Problem problem =
      testing::random_problem({.episodes = 20, .longest = 6, .zero_target = 0.1}, Seed{3}, {.discount = Discount{0.9}});
  for (const ImportanceSampling& which : {is, wis, pdis, wpdis}) {
    const Estimate e = estimate(which, problem);
    std::vector<double> m(20, 1.0);
    EXPECT_NEAR(e.value, value_with(problem, which, m), 1e-12 * (1 + std::abs(e.value)));
    double sum = 0.0;
    for (std::size_t i = 0; i < m.size(); ++i) {
      const double h = 1e-5;
      m[i] = 1 + h;
      const double up = value_with(problem, which, m);
      m[i] = 1 - h;
      const double down = value_with(problem, which, m);
      m[i] = 1;
      EXPECT_NEAR(e.influence[i], 20 * (up - down) / (2 * h), 1e-7 * (1 + std::abs(e.influence[i])));
      sum += e.influence[i];
    }
    EXPECT_NEAR(sum, 0.0, 1e-9);
    EXPECT_NEAR(*e.std_error, moments(e.influence).standard_error(), 1e-12);
  }
}

TEST(ImportanceSampling, AllEqualTheMeanReturnOnPolicy) {
  const Problem problem =
      testing::random_problem({.episodes = 50, .on_policy = true}, Seed{4}, {.discount = Discount{0.95}});
  const double naive = estimate(Naive{}, problem).value;
  for (const ImportanceSampling& which : {is, wis, pdis, wpdis})
    EXPECT_NEAR(estimate(which, problem).value, naive, 1e-12);
}

TEST(ImportanceSampling, OnlyTheHorizonCounts) {
  const Problem problem = problem_with(two).with({.horizon = Horizon{1}});
  EXPECT_DOUBLE_EQ(estimate(Naive{}, problem).value, 3.0);
  EXPECT_DOUBLE_EQ(estimate(is, problem).value, (2 * 1 + 4 * 5) / 2.0);
}

TEST(ImportanceSampling, WeightedEstimatorsSurviveProductsThatAreNoDoubles) {
  Episode huge{std::vector<double>(3000, 2.0), std::vector<double>(3000, 0.0)};
  huge.rewards.back() = 7.0;
  const Problem problem = problem_with({huge, huge, {{1.0}, {100.0}}});
  EXPECT_NEAR(estimate(wis, problem).value, 7.0, 1e-12);
  // At t = 0 the weights are 2, 2, 1; at the last step the third episode's frozen 1 is nothing beside 2^3000.
  EXPECT_NEAR(estimate(wpdis, problem).value, 100.0 / 5 + 7.0, 1e-12);
  EXPECT_THROW(estimate(is, problem), DegenerateModel);
  EXPECT_THROW(estimate(pdis, problem), DegenerateModel);
}

TEST(ImportanceSampling, NoSupportHasNoWeightedValue) {
  const Problem problem = problem_with({{{0, 1}, {1, 1}}, {{0}, {1}}});
  EXPECT_EQ(estimate(is, problem).value, 0.0);
  EXPECT_THROW(estimate(wis, problem), DegenerateModel);
  EXPECT_THROW(estimate(wpdis, problem), DegenerateModel);
}

TEST(ImportanceSampling, SaysWhereTheSupportOfLaterStepsEnds) {
  const Estimate e = estimate(wpdis, problem_with({{{2, 0, 1}, {1, 5, 5}}, {{3, 0}, {1, 5}}}));
  EXPECT_DOUBLE_EQ(e.value, 1.0);
  ASSERT_EQ(e.findings.size(), 1u);
  EXPECT_EQ(e.findings[0].code, "no_support");
  EXPECT_NE(text(e.findings[0]).find("step 1"), std::string::npos);
}

// Nineteen weights of 2^-10 and one of 2^-4: few episodes decide a weighted mean, and explain why the mean weight is
// small. The plain means are a hundred times too small for certain.
TEST(ImportanceSampling, SaysThatTheWeightOfAPlainMeanIsMissing) {
  std::vector<Episode> episodes(19, {std::vector<double>(10, 0.5), std::vector<double>(10, 1.0)});
  episodes.push_back({std::vector<double>(4, 0.5), std::vector<double>(4, 1.0)});
  const Problem problem = problem_with(episodes);
  const auto codes = [&](const ImportanceSampling& which, bool blocks) {
    const Estimate e = blocks ? estimate(which, dataset_source(problem.data()), {}, {}) : estimate(which, problem);
    std::vector<std::string> all;
    for (const Finding& finding : e.findings) all.push_back(finding.code);
    return all;
  };
  for (const bool blocks : {false, true}) {
    for (const auto& plain : {is, pdis})
      EXPECT_EQ(codes(plain, blocks), (std::vector<std::string>{"low_ess", "missing_weight"})) << blocks;
    for (const auto& weighted : {wis, wpdis}) EXPECT_EQ(codes(weighted, blocks), std::vector<std::string>{"low_ess"});
  }
}

TEST(ImportanceSampling, OneEpisodeHasNoStandardError) {
  const Problem problem = problem_with({{{2}, {3}}});
  EXPECT_FALSE(estimate(is, problem).std_error);
  EXPECT_FALSE(estimate(wis, problem).std_error);
  EXPECT_DOUBLE_EQ(estimate(wis, problem).value, 3.0);
}

TEST(ImportanceSampling, SameBitsForAnyNumberOfThreads) {
  // More than one block of the default size.
  const Problem problem = testing::random_problem({.episodes = 12000, .shortest = 5, .longest = 12}, Seed{5});
  ASSERT_GT(problem.steps(), 65536);
  for (const ImportanceSampling& which : {is, wis, pdis, wpdis}) {
    const Estimate one = estimate(which, problem, {.threads = Threads{1}});
    const Estimate many = estimate(which, problem, {.threads = Threads{3}});
    EXPECT_EQ(one.value, many.value);
    EXPECT_EQ(one.std_error, many.std_error);
    EXPECT_EQ(one.influence, many.influence);
  }
}

// 1e308 twice is more than a double holds: who needs that sum cannot answer, nobody loops, and nobody is sent to
// another that cannot either.
TEST(ImportanceSampling, RewardsThatAddUpToNoNumberAreSaidToBeTheReason) {
  const Problem huge = problem_with({{{1, 1}, {1e308, 1e308}}, {{1}, {1}}});
  for (const Estimator& estimator : {Estimator{Naive{}}, Estimator{is}, Estimator{pdis}}) {
    try {
      if (std::holds_alternative<Naive>(estimator)) {
        estimate(Naive{}, huge);
      } else {
        estimate(std::get<ImportanceSampling>(estimator), huge);
      }
      ADD_FAILURE();
    } catch (const DegenerateModel& error) {
      const std::string said = error.what();
      EXPECT_NE(said.find("Divide all rewards by a constant"), std::string::npos) << said;
      EXPECT_EQ(said.find("wis"), std::string::npos) << said;
    }
  }
  EXPECT_THROW(finite(estimate(wis, huge)), DegenerateModel);
  // Step by step no sum is too large: (1e308 + 1) / 2, and 1e308 / 2.
  EXPECT_DOUBLE_EQ(estimate(wpdis, huge).value, 1e308);
}

TEST(ImportanceSampling, WeightsThatAreTooLargeAreSaidToBeTheReason) {
  Episode long_one;
  for (int t = 0; t < 600; ++t) {
    long_one.ratios.push_back(8.0);
    long_one.rewards.push_back(1.0);
  }
  try {
    estimate(is, problem_with({long_one}));
    ADD_FAILURE();
  } catch (const DegenerateModel& error) {
    EXPECT_NE(std::string(error.what()).find("Use wis, wpdis or star"), std::string::npos);
  }
}

}  // namespace
}  // namespace starope
