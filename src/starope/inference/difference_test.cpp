#include "starope/inference/difference.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/data/random_logs.hpp"
#include "starope/estimators.hpp"

namespace starope {
namespace {

// Two episodes by hand. Logged returns 1 and 3: value 2, influence -1, 1. Target: value 5, influence -4, 4. Paired: 3,
// influence -3, 3; standard error sqrt(18 / 1) / sqrt(2) = 3. Three degrees of freedom: t(0.975, 3) = 3.182446305,
// P(T < 1) = 1/2 + (1/sqrt(3) / (4/3) + atan(1/sqrt(3))) / pi = 0.8044988905.
TEST(PairedDifference, TwoEpisodesByHand) {
  const Estimate target{.value = 5.0, .std_error = 4.0, .influence = {-4.0, 4.0}};
  const Estimate logged{.value = 2.0, .std_error = 1.0, .influence = {-1.0, 1.0}};
  const Difference difference = paired_difference(target, logged, Level{0.95});
  EXPECT_DOUBLE_EQ(difference.value, 3.0);
  EXPECT_NEAR(difference.std_error.value(), 3.0, 1e-14);
  EXPECT_NEAR(difference.interval->lower, 3.0 - 3.0 * 3.182446305, 1e-8);
  EXPECT_NEAR(difference.interval->upper, 3.0 + 3.0 * 3.182446305, 1e-8);
  EXPECT_NEAR(difference.probability_better.value(), 0.8044988905, 1e-9);
  EXPECT_EQ(difference.logged, 2.0);
  EXPECT_EQ(difference.logged_std_error, 1.0);
}

// Errors that the influence values do not show (models that disagree) stay: 5^2 = 4^2 + 3^2 of it beyond sampling.
TEST(PairedDifference, KeepsTheErrorsOfModels) {
  const Estimate target{.value = 5.0, .std_error = 5.0, .influence = {-4.0, 4.0}};
  const Estimate logged{.value = 2.0, .std_error = 4.0, .influence = {-4.0, 4.0}};
  EXPECT_NEAR(paired_difference(target, logged, Level{0.95}).std_error.value(), 3.0, 1e-13);
}

TEST(PairedDifference, WithoutInfluenceValuesThereIsNoError) {
  const Estimate logged{.value = 2.0, .std_error = 4.0, .influence = {-4.0, 4.0}};
  const Difference difference = paired_difference({.value = 5.0, .std_error = 1.0}, logged, Level{0.95});
  EXPECT_EQ(difference.value, 3.0);
  EXPECT_FALSE(difference.std_error);
  EXPECT_FALSE(difference.interval);
  EXPECT_FALSE(difference.probability_better);
}

// One episode with all the weight: an estimate without spread, of which nothing is known.
TEST(PairedDifference, AnEstimateWithoutSpreadHasNoErrorOfTheDifference) {
  const Estimate logged{.value = 2.0, .std_error = 1.0, .influence = {-1.0, 1.0}};
  const Difference difference =
      paired_difference({.value = 8.0, .std_error = 0.0, .influence = {0.0, 0.0}}, logged, Level{0.95});
  EXPECT_EQ(difference.value, 6.0);
  EXPECT_FALSE(difference.std_error);
  EXPECT_FALSE(difference.interval);
  EXPECT_FALSE(difference.probability_better);
  // Returns that are all alike are what they are.
  const Estimate constant{.value = 2.0, .std_error = 0.0, .influence = {0.0, 0.0}};
  EXPECT_EQ(paired_difference(constant, constant, Level{0.95}).std_error, 0.0);
}

// Without a level there is no interval.
TEST(PairedDifference, IntervalsAreAskedFor) {
  const Estimate target{.value = 5.0, .std_error = 4.0, .influence = {-4.0, 4.0}};
  const Estimate logged{.value = 2.0, .std_error = 1.0, .influence = {-1.0, 1.0}};
  EXPECT_FALSE(paired_difference(target, logged, std::nullopt).interval);
  EXPECT_TRUE(paired_difference(target, logged, std::nullopt).probability_better);
}

Problem with_target_of(const Dataset& data, const LoggedProbabilities& target) {
  return make_problem(data.with_target(target));
}

// The same policy: exactly no difference, whatever the rounding of sums.
TEST(PairedDifference, IsZeroForTheLoggedPolicyItself) {
  const Dataset data = testing::random_logs({.episodes = 50, .longest = 7}, Seed{3});
  const Problem same = with_target_of(data, *data.behavior());
  const Estimate logged = estimate(Naive{}, same);
  const std::vector<Estimator> all{Naive{}, ImportanceSampling{}, ImportanceSampling{.weighted = true},
                                   ImportanceSampling{.per_decision = true},
                                   ImportanceSampling{.weighted = true, .per_decision = true}};
  for (const Estimator& each : all) {
    const Difference difference = paired_difference(estimate(each, same), logged, Level{0.95});
    EXPECT_EQ(difference.value, 0.0);
    EXPECT_EQ(difference.std_error, 0.0);
    EXPECT_FALSE(difference.interval);
    EXPECT_FALSE(difference.probability_better);
  }
}

// Leave one episode out at a time: the spread of the differences is the standard error, up to terms of order 1/n.
TEST(PairedDifference, AgreesWithTheJackknife) {
  const std::int64_t n = 800;
  const Problem problem = make_problem(testing::random_logs({.episodes = n, .longest = 2}, Seed{8}));
  const std::vector<Estimator> all{ImportanceSampling{.weighted = true},
                                   ImportanceSampling{.weighted = true, .per_decision = true}, Star{.phi = Time{}}};
  for (const Estimator& each : all) {
    const Difference whole = paired_difference(estimate(each, problem), estimate(Naive{}, problem), Level{0.95});
    Moments left_out;
    for (std::int64_t i = 0; i < n; ++i) {
      std::vector<std::int64_t> others;
      for (std::int64_t k = 0; k < n; ++k)
        if (k != i) others.push_back(k);
      const Problem rest = problem.take(others);
      left_out.add(estimate(each, rest).value - estimate(Naive{}, rest).value);
    }
    const double count = static_cast<double>(n);
    const double jackknife = std::sqrt((count - 1.0) * (count - 1.0) / count * left_out.variance());
    EXPECT_NEAR(whole.std_error.value() / jackknife, 1.0, 0.05);
  }
}

}  // namespace
}  // namespace starope
