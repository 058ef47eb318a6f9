#include "starope/checks/mistakes.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/checks/testing.hpp"

namespace starope {
namespace {

class Mistakes : public ::testing::Test {
 protected:
  testing::SmallWorld world_ = testing::small_world(800, Seed{4});
  std::vector<double> behavior_ = world_.logged(world_.behavior);
  std::vector<double> target_ = world_.logged(world_.target);

  static std::vector<double> times(std::vector<double> values, double factor) {
    for (double& x : values) x *= factor;
    return values;
  }
  static std::vector<double> log10(std::vector<double> values) {
    for (double& x : values) x = std::log10(x);
    return values;
  }
  static std::vector<double> log(std::vector<double> values) {
    for (double& x : values) x = std::log(x);
    return values;
  }
};

TEST_F(Mistakes, Swapped) {
  EXPECT_EQ(likely_mistake(world_.dataset(target_, behavior_)), "swapped");
}

TEST_F(Mistakes, LogarithmsInBaseTen) {
  constexpr auto scale = LoggedProbabilities::Scale::logarithm;
  EXPECT_EQ(likely_mistake(world_.dataset(log10(behavior_), log10(target_), scale)), "base10");
  EXPECT_EQ(likely_mistake(world_.dataset(log10(behavior_), log(target_), scale)), "behavior_base10");
  EXPECT_EQ(likely_mistake(world_.dataset(log(behavior_), log10(target_), scale)), "target_base10");
}

TEST_F(Mistakes, FactorsAndSums) {
  EXPECT_EQ(likely_mistake(world_.dataset(times(behavior_, 0.7), target_)), "behavior_factor");
  EXPECT_EQ(likely_mistake(world_.dataset(behavior_, times(target_, 0.7))), "target_sum");
}

TEST_F(Mistakes, NothingExplainsAnotherPolicy) {
  std::vector<double> another;
  for (const std::int32_t a : world_.action) another.push_back(a == 0 ? 0.3 : 0.7);
  EXPECT_EQ(likely_mistake(world_.dataset(another, target_)), "unknown");
  EXPECT_EQ(likely_mistake(world_.dataset()), "unknown");  // there is none
}

Dataset with_actions(const testing::SmallWorld& world, double (*number)(std::int32_t action, std::int64_t row)) {
  Columns columns = world.dataset().columns();
  std::vector<double> values;
  for (const std::int32_t a : world.action) values.push_back(number(a, static_cast<std::int64_t>(values.size())));
  columns.actions = ContinuousActions{.dimension = 1, .values = std::move(values)};
  columns.behavior->density = columns.target->density = true;
  columns.behavior_distribution.reset();
  columns.target_distribution.reset();
  return Dataset(std::move(columns));
}

TEST_F(Mistakes, FewWholeNumbersAreIds) {
  const auto finding = ids_as_numbers(with_actions(world_, [](std::int32_t a, std::int64_t) { return 1.0 * a; }));
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->code, "ids_as_numbers");
  EXPECT_EQ(finding->severity, Severity::warning);
}

TEST_F(Mistakes, OtherNumbersAreNumbers) {
  // One of them in one row is enough; so are many whole numbers, such as doses.
  EXPECT_FALSE(
      ids_as_numbers(with_actions(world_, [](std::int32_t a, std::int64_t i) { return i == 700 ? 0.5 : 1.0 * a; })));
  EXPECT_FALSE(
      ids_as_numbers(with_actions(world_, [](std::int32_t, std::int64_t i) { return static_cast<double>(i % 51); })));
  EXPECT_TRUE(
      ids_as_numbers(with_actions(world_, [](std::int32_t, std::int64_t i) { return static_cast<double>(i % 50); })));
  EXPECT_FALSE(ids_as_numbers(world_.dataset()));  // ids already
}

}  // namespace
}  // namespace starope
