#include "starope/auto/value_metric.hpp"

#include <gtest/gtest.h>

#include "starope/auto/wave_basis.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

// Five columns of noise; the reward depends on the sum of the first two alone.
struct Logs {
  BagFeatures features{.dimension = 5};
  Problem problem;

  explicit Logs(std::int64_t episodes = 300) : problem(make(episodes)) {}

 private:
  Problem make(std::int64_t episodes) {
    Random random(Seed{8}, Stream::test_data, 5);
    Columns columns;
    std::vector<std::int64_t> offsets{0};
    std::vector<double> rewards, behavior, target;
    std::vector<EpisodeEnd> ends;
    for (std::int64_t i = 0; i < episodes; ++i) {
      for (int t = 0; t < 10; ++t) {
        double x[5];
        for (double& value : x) value = random.normal();
        features.values.insert(features.values.end(), x, x + 5);
        rewards.push_back(std::sin(x[0] + x[1]));
        behavior.push_back(0.5);
        target.push_back(random.uniform() < 0.5 ? 0.6 : 0.4);
      }
      offsets.push_back(offsets.back() + 10);
      ends.push_back(EpisodeEnd::terminated);
    }
    columns.offsets = std::move(offsets);
    columns.rewards = std::move(rewards);
    columns.behavior = LoggedProbabilities{.values = std::move(behavior)};
    columns.target = LoggedProbabilities{.values = std::move(target)};
    columns.ends = std::move(ends);
    columns.states = DenseStates{.dimension = 5, .values = std::vector<double>(features.values)};
    return make_problem(Dataset(std::move(columns)), {.horizon = Horizon{10}});
  }
};

// How long a step of length 1 in this direction is in the metric.
double length(const ValueMetric& metric, const Eigen::VectorXd& direction) {
  return (metric.transform * direction.normalized()).norm();
}

TEST(ValueMetric, FindsTheDirectionThatMatters) {
  const Logs logs;
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(5), difference = sum, noise = sum;
  sum[0] = sum[1] = difference[0] = noise[3] = 1.0;
  difference[1] = -1.0;
  for (const MetricKind kind : {MetricKind::full, MetricKind::diagonal_first}) {
    const ValueMetric metric = fit_metric(logs.features, logs.problem, kind, Seed{1});
    EXPECT_GT(length(metric, sum), 0.9);
    EXPECT_LT(length(metric, difference), 0.4);
    EXPECT_LT(length(metric, noise), 0.3);
  }
}

TEST(ValueMetric, OfValuesThatDoNotChangeLeavesAllAsItIs) {
  Logs logs(40);
  std::vector<double> zeros(logs.problem.steps(), 0.0);
  Columns columns;
  std::vector<std::int64_t> offsets{0};
  for (std::int64_t i = 0; i < 40; ++i) offsets.push_back(offsets.back() + 10);
  columns.offsets = std::move(offsets);
  columns.rewards = std::move(zeros);
  columns.behavior = logs.problem.data().behavior();
  columns.target = logs.problem.data().target();
  columns.ends = std::vector<EpisodeEnd>(40, EpisodeEnd::terminated);
  columns.states = logs.problem.data().states();
  const Problem flat = make_problem(Dataset(std::move(columns)), {.horizon = Horizon{10}});
  EXPECT_TRUE(fit_metric(logs.features, flat, MetricKind::full, Seed{1}).transform.isIdentity());
}

TEST(ValueMetric, TransformsEveryPoint) {
  const BagFeatures features{.dimension = 2, .values = {1, 2, 3, 4}, .point_of_row = {0, 1, 1}};
  Eigen::MatrixXd transform(2, 2);
  transform << 1, 1, 0, 2;
  const BagFeatures seen = transformed(features, transform);
  EXPECT_EQ(seen.values, (std::vector<double>{3, 4, 7, 8}));
  EXPECT_EQ(seen.point_of_row, features.point_of_row);
}

TEST(EffectiveDimension, CountsIndependentColumns) {
  const Logs logs;
  EXPECT_NEAR(effective_dimension(logs.features, logs.problem), 5.0, 0.1);
  // Every column twice: no more than once.
  BagFeatures twice{.dimension = 10};
  for (std::size_t i = 0; i < logs.features.values.size(); i += 5) {
    for (int again = 0; again < 2; ++again) {
      twice.values.insert(twice.values.end(), logs.features.values.begin() + static_cast<std::ptrdiff_t>(i),
                          logs.features.values.begin() + static_cast<std::ptrdiff_t>(i + 5));
    }
  }
  EXPECT_NEAR(effective_dimension(twice, logs.problem), effective_dimension(logs.features, logs.problem), 1e-9);
}

}  // namespace
}  // namespace starope
