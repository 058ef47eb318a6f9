#include "starope/inference/interval_of.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "starope/data/log_vectors.hpp"

namespace starope {
namespace {

using ::testing::HasSubstr;

constexpr ImportanceSampling is{}, wis{.weighted = true}, pdis{.per_decision = true};

// Returns 4, 2, 4, 2, weights 2, 1, 2, 1: weighted returns 8, 2, 8, 2.
Problem four() {
  testing::LogVectors c;
  for (const double ratio : {2.0, 1.0, 2.0, 1.0}) {
    c.rewards.push_back(2.0 * ratio);
    c.behavior.push_back(0.25);
    c.target.push_back(0.25 * ratio);
    c.end_episode();
  }
  return make_problem(std::move(c).dataset());
}

IntervalRecipe bound(IntervalMethod method, std::optional<ReturnRange> range) {
  return {.method = method, .range = range};
}

TEST(IntervalOf, StudentsTHasOneDegreeOfFreedomLessThanEpisodes) {
  // One score far larger than the others: influence widens for it, t does not. t(0.975, 9) = 2.262157.
  std::vector<double> scores(10, -1.0);
  scores[0] = 9.0;
  const Estimate estimate{.value = 1.0, .std_error = 2.0, .influence = scores};
  const MadeInterval made = interval_from_error(estimate, IntervalMethod::t, Level{0.95});
  ASSERT_TRUE(made.interval);
  EXPECT_NEAR(made.interval->upper, 1.0 + 2.0 * 2.2621571628, 1e-8);
  EXPECT_EQ(made.interval->method, "t");
  EXPECT_GT(interval_from_error(estimate, IntervalMethod::influence, Level{0.95}).interval->upper,
            made.interval->upper);
}

TEST(IntervalOf, AStandardErrorWithoutTheFitOfItsNetworkMakesNoInterval) {
  Estimate estimate{.value = 1.0, .std_error = 2.0, .influence = {1.0, -1.0, 1.0, -1.0}};
  EXPECT_TRUE(interval_from_error(estimate, IntervalMethod::influence, Level{0.95}).interval);
  estimate.findings.push_back({Severity::warning, "fit_not_in_error"});
  const MadeInterval made = interval_from_error(estimate, IntervalMethod::influence, Level{0.95});
  EXPECT_FALSE(made.interval);
  EXPECT_EQ(made.findings.at(0).code, "no_interval");
}

TEST(IntervalOf, BoundsKnowTheRangeOfWeightedReturns) {
  // Returns from 0 to 5, weights up to 3: weighted returns from 0 to 15, whose mean is a return again: up to 5.
  // ln 40 / 8, root: 0.679051; ln 4 / 8, root: 0.416277.
  const auto recipe = bound(IntervalMethod::hoeffding, ReturnRange{.lower = 0.0, .upper = 5.0, .weight = 3.0});
  const MadeInterval weighted = interval_from_bound(is, four(), recipe, Level{0.95});
  ASSERT_TRUE(weighted.interval);
  EXPECT_NEAR(weighted.interval->upper, 5.0, 1e-9);  // 5 + 15 * 0.679, cut
  EXPECT_NEAR(weighted.interval->lower, 0.0, 1e-9);
  const MadeInterval plain = interval_from_bound(Naive{}, four(), recipe, Level{0.95});
  ASSERT_TRUE(plain.interval);
  EXPECT_NEAR(plain.interval->lower, 0.0, 1e-9);  // 3 - 5 * 0.679 < 0
  EXPECT_NEAR(interval_from_bound(Naive{}, four(), recipe, Level{0.5}).interval->lower,
              3.0 - 5.0 * std::sqrt(std::log(4.0) / 8.0), 1e-9);
  // Losses: the lower end is the weight times the largest loss.
  const auto losses = bound(IntervalMethod::hoeffding, ReturnRange{.lower = -2.0, .upper = 5.0, .weight = 3.0});
  EXPECT_NEAR(interval_from_bound(is, four(), losses, Level{0.95}).interval->lower, -2.0, 1e-9);
}

TEST(IntervalOf, BoundsRefuseWhatTheyCannotCertify) {
  const ReturnRange range{.lower = 0.0, .upper = 5.0, .weight = 3.0};
  for (const IntervalMethod method :
       {IntervalMethod::hoeffding, IntervalMethod::empirical_bernstein, IntervalMethod::anderson}) {
    EXPECT_TRUE(interval_from_bound(pdis, four(), bound(method, range), Level{0.95}).interval);
    for (const MadeInterval& made :
         {interval_from_bound(is, four(), bound(method, std::nullopt), Level{0.95}),
          interval_from_bound(is, four(), bound(method, ReturnRange{.lower = 0.0, .upper = 5.0}), Level{0.95}),
          interval_from_bound(wis, four(), bound(method, range), Level{0.95}),
          interval_from_bound(Star{}, four(), bound(method, range), Level{0.95})}) {
      EXPECT_FALSE(made.interval);
      ASSERT_EQ(made.findings.size(), 1U);
      EXPECT_EQ(made.findings[0].code, "no_interval");
    }
    // Logged episodes contradict what was given: one earned 4, and the largest weight is 2.
    for (const Estimator& mean : {Estimator{is}, Estimator{pdis}}) {
      const auto refusal = [&](double upper, double weight) {
        const MadeInterval made = interval_from_bound(
            mean, four(), bound(method, ReturnRange{.lower = 0.0, .upper = upper, .weight = weight}), Level{0.95});
        EXPECT_FALSE(made.interval);
        EXPECT_EQ(made.findings.at(0).code, "outside_range");
        return text(made.findings.at(0));
      };
      EXPECT_THAT(refusal(3.5, 300.0), HasSubstr("the return of episode 0 is 4, outside the range from 0 to 3.5"));
      EXPECT_THAT(refusal(50.0, 1.5),
                  HasSubstr("the product of ratios of episode 0 is 2, outside the range from 0 to"));
    }
  }
}

// Two steps with ratios 4 and 1/4: the first reward counts four times, whatever follows.
TEST(IntervalOf, AWeightOfPdisIsAProductUpToAnyStep) {
  testing::LogVectors c;
  for (int i = 0; i < 2; ++i) {
    c.rewards.insert(c.rewards.end(), {1.0, 1.0});
    c.behavior.insert(c.behavior.end(), {0.1, 0.4});
    c.target.insert(c.target.end(), {0.4, 0.1});
    c.end_episode();
  }
  const Problem problem = make_problem(std::move(c).dataset());
  const auto recipe = bound(IntervalMethod::hoeffding, ReturnRange{.lower = 0.0, .upper = 100.0, .weight = 2.0});
  EXPECT_TRUE(interval_from_bound(is, problem, recipe, Level{0.95}).interval);
  EXPECT_FALSE(interval_from_bound(pdis, problem, recipe, Level{0.95}).interval);
}

TEST(IntervalOf, FailedReplicatesAreSaidAndManyOfThemLeaveNoInterval) {
  const Estimate estimate{.value = 50.0, .std_error = 1.0, .influence = {1.0, -1.0}};
  const auto with = [&](std::int64_t failed) {
    return interval_from_replicates(
        estimate,
        [&](const ReplicateOptions& options) {
          Replicates found{.failed = failed};
          for (std::int64_t b = failed; b < options.replicates; ++b) found.values.push_back(static_cast<double>(b));
          return found;
        },
        {.method = IntervalMethod::bootstrap_percentile}, 100, Level{0.9}, Threads{1});
  };
  EXPECT_TRUE(with(0).interval && with(0).findings.empty());
  EXPECT_TRUE(with(5).interval);
  EXPECT_EQ(with(5).findings.at(0).code, "failed_replicates");
  EXPECT_FALSE(with(6).interval);
  EXPECT_EQ(with(6).findings.at(0).code, "failed_replicates");
}

}  // namespace
}  // namespace starope
