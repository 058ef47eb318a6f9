#include "starope/clustering/feature_scaling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/clustering/testing.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using testing::normal_numbers;

TEST(FeatureScaling, StandardizesByHand) {
  std::vector<double> values{1, 100, 3, 100, 5, 100, 7, 100};  // mean 4, variance 5
  const auto scaling = make_scaling(FeatureScale::standard, {.dimension = 2, .values = values});
  EXPECT_THAT(scaling.center, ElementsAre(4.0, 100.0));
  EXPECT_DOUBLE_EQ(scaling.scale[0], std::sqrt(5.0));
  EXPECT_EQ(scaling.scale[1], 1.0);
  scaling.apply(values, values);
  EXPECT_DOUBLE_EQ(values[0], -3.0 / std::sqrt(5.0));
  EXPECT_EQ(values[1], 0.0);
}

TEST(FeatureScaling, AConstantFeatureIsConstantHoweverItsMeanRounds) {
  // The mean of many 0.1 is not 0.1; dividing by the "deviation" of 1e-17 that follows would make it a feature.
  const std::vector<double> values(1000, 0.1);
  const auto scaling = make_scaling(FeatureScale::standard, {.dimension = 1, .values = values});
  EXPECT_THAT(scaling.scale, ElementsAre(1.0));
  std::vector<double> scaled(values.size());
  scaling.apply(values, scaled);
  EXPECT_THAT(scaled, Each(::testing::DoubleNear(0.0, 1e-14)));
}

TEST(FeatureScaling, UndoIsTheInverse) {
  const std::vector<double> values = normal_numbers(60, 4);
  const auto scaling = make_scaling(FeatureScale::standard, {.dimension = 3, .values = values});
  std::vector<double> there(values.size()), back(values.size());
  scaling.apply(values, there);
  scaling.undo(there, back);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(back[i], values[i], 1e-14);
}

TEST(FeatureScaling, NoneChangesNoBit) {
  const std::vector<double> values = normal_numbers(60, 5);
  const auto scaling = make_scaling(FeatureScale::none, {.dimension = 3, .values = values});
  std::vector<double> there(values.size());
  scaling.apply(values, there);
  EXPECT_EQ(there, values);
}

TEST(FeatureScaling, RefusesWhatCannotBeStandardized) {
  const std::vector<double> values{-1e300, 1e300};
  EXPECT_THROW(make_scaling(FeatureScale::standard, {.dimension = 1, .values = values}), InvalidArgument);
}

}  // namespace
}  // namespace starope
