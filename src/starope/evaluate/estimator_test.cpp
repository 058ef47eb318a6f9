#include "starope/estimators.hpp"

#include <gtest/gtest.h>

#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

TEST(Estimator, TheVariantAnswersLikeItsAlternative) {
  const Problem problem = testing::random_problem({}, Seed{1});
  const ImportanceSampling wis{.weighted = true};
  const Star star{.phi = One{}};
  EXPECT_EQ(estimate(Estimator{Naive{}}, problem).value, estimate(Naive{}, problem).value);
  EXPECT_EQ(estimate(Estimator{wis}, problem).value, estimate(wis, problem).value);
  EXPECT_EQ(estimate(Estimator{star}, problem).value, estimate(star, problem).value);
}

}  // namespace
}  // namespace starope
