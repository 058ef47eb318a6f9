#include "starope/auto/bag_features.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "starope/auto/two_episodes.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;
using testing::two_episodes;

TEST(BagFeatures, StandardizeNumbersOverTheStatesThatCount) {
  // The final state (row 5) is labeled but does not count: mean 2, sd sqrt(2).
  const Problem problem = make_problem(
      Dataset(two_episodes(DenseStates{.dimension = 2, .values = {0, 1, 1, 0, 2, 1, 3, 0, 4, 1, 100, 1}})));
  const BagFeatures features = bag_features(problem);
  const double s = std::sqrt(2.0);
  EXPECT_THAT(features.values, Pointwise(DoubleNear(1e-12), std::vector<double>{-2 / s, 1.0, -1 / s, 0.0, 0.0, 1.0,
                                                                                1 / s, 0.0, 2 / s, 1.0, 98 / s, 1.0}));
}

TEST(BagFeatures, OfAConstantStateAreOnePoint) {
  const Problem problem = make_problem(Dataset(two_episodes(make_discrete_states(std::vector<std::int64_t>(6, 3)))));
  const BagFeatures features = bag_features(problem);
  EXPECT_EQ(features.values.size(), 1u);
  EXPECT_EQ(features.point_of_row, std::vector<std::int32_t>(6, 0));
}

TEST(BagFeatures, NeedStates) {
  Columns columns = two_episodes(std::monostate{});
  columns.has_final_state = {};
  EXPECT_THROW(bag_features(make_problem(Dataset(std::move(columns)))), DataError);
}

// A map of every kind: what it makes of other logs is what it made of the logs of its fit, state by state.
TEST(FeatureMap, TreatsOtherLogsAsThoseOfItsFit) {
  std::vector<std::uint64_t> few, many;
  std::vector<std::int64_t> ids;
  for (std::int64_t row = 0; row < 6; ++row) {
    std::vector<double> bits(20);
    for (std::size_t j = 0; j < bits.size(); ++j)
      bits[j] = (static_cast<std::size_t>(row) * 7 + j) % 3 == 0 ? 1.0 : 0.0;
    append_bits(many, bits);
    append_bits(few, std::span(bits).first(3));
    ids.push_back(row * row % 5);
  }
  const std::vector<States> kinds{DenseStates{.dimension = 1, .values = {1, 2, 3, 4, 5, 60}},
                                  DenseStates{.dimension = 1, .values = std::vector<float>{1, 2, 3, 4, 5, 60}},
                                  BinaryStates{.dimension = 3, .words = std::move(few)},
                                  BinaryStates{.dimension = 20, .words = std::move(many)}, make_discrete_states(ids)};
  for (const States& states : kinds) {
    const Problem problem = make_problem(Dataset(two_episodes(states)));
    const FeatureMap map = fit_features(problem);
    ByteWriter writer;
    map.write(writer);
    ByteReader reader(writer.bytes(), "features");
    EXPECT_EQ(FeatureMap::read(reader), map);

    // The second episode alone.
    const Dataset part = problem.data().take(1, 2);
    const BagFeatures whole = map.apply(problem.data()), some = map.apply(part);
    ASSERT_EQ(whole.dimension, some.dimension);
    const auto row_of = [](const BagFeatures& features, std::int64_t row) {
      const std::int64_t point = features.point_of_row.empty() ? row : features.point_of_row[row];
      const auto first = features.values.begin() + point * features.dimension;
      return std::vector<double>(first, first + features.dimension);
    };
    for (std::int64_t t = 0; t < 3; ++t) EXPECT_EQ(row_of(some, t), row_of(whole, 2 + t)) << states.index();
  }
}

TEST(FeatureMap, IdsItHasNotMetAreAtZero) {
  const Problem problem =
      make_problem(Dataset(two_episodes(make_discrete_states(std::vector<std::int64_t>{1, 2, 1, 2, 3, 1}))));
  const BagFeatures features = fit_features(problem).apply(
      Dataset(two_episodes(make_discrete_states(std::vector<std::int64_t>{1, 2, 1, 2, 99, 1}))));
  const auto first = features.values.begin() + features.point_of_row[4] * features.dimension;
  EXPECT_EQ(std::vector<double>(first, first + features.dimension), std::vector<double>(features.dimension, 0.0));
  EXPECT_NE(features.point_of_row[3], features.point_of_row[4]);
}

TEST(FeatureMap, RefusesStatesOfAnotherKind) {
  const FeatureMap map =
      fit_features(make_problem(Dataset(two_episodes(DenseStates{.dimension = 1, .values = {1, 2, 3, 4, 5, 6}}))));
  EXPECT_THROW(map.apply(Dataset(two_episodes(make_discrete_states(std::vector<std::int64_t>(6, 1))))),
               InvalidArgument);
  EXPECT_THROW(map.apply(Dataset(two_episodes(DenseStates{.dimension = 2, .values = std::vector<double>(12, 0.5)}))),
               InvalidArgument);
}

}  // namespace
}  // namespace starope
