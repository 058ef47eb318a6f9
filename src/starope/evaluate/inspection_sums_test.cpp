#include "starope/evaluate/inspection_sums.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

const InspectOptions options{.discount = Discount{0.9}, .threads = Threads{1}};

Dataset discrete() {
  return starope::testing::random_logs({.episodes = 300, .longest = 9, .discrete_states = 6}, Seed{5});
}

// Counted part by part, through bytes, in two passes.
Inspection in_parts(const Dataset& data, const std::vector<std::int64_t>& bounds) {
  const auto part = [&](std::size_t i) { return dataset_source(data.take(bounds[i - 1], bounds[i])); };
  InspectionSums total = look_at(part(1), options);
  for (std::size_t i = 2; i < bounds.size(); ++i)
    total += InspectionSums::from_bytes(look_at(part(i), options).to_bytes());
  WeightsAtSteps weights = weigh(part(1), total);
  for (std::size_t i = 2; i < bounds.size(); ++i)
    weights += WeightsAtSteps::from_bytes(weigh(part(i), total).to_bytes());
  return finish(total, weights, dataset_source(data), Threads{1});
}

void expect_near(const Inspection::Range& a, const Inspection::Range& b) {
  EXPECT_EQ(a.min, b.min);
  EXPECT_EQ(a.max, b.max);
  EXPECT_NEAR(a.mean, b.mean, 1e-12 * (1.0 + std::abs(b.mean)));
}

TEST(InspectionSums, PartsShowWhatAllLogsShow) {
  for (const Dataset& data : {discrete(), starope::testing::random_logs({.episodes = 300, .longest = 9}, Seed{6})}) {
    const Inspection whole = inspect(data, options), parts = in_parts(data, {0, 1, 120, 300});
    EXPECT_EQ(parts.episodes, whole.episodes);
    EXPECT_EQ(parts.steps, whole.steps);
    EXPECT_EQ(parts.lengths, whole.lengths);
    EXPECT_EQ(parts.truncated, whole.truncated);
    EXPECT_EQ(parts.truncated_lengths, whole.truncated_lengths);
    EXPECT_EQ(parts.final_states, whole.final_states);
    EXPECT_EQ(parts.discrete_state, whole.discrete_state);
    EXPECT_EQ(parts.zero_rewards, whole.zero_rewards);
    expect_near(parts.rewards, whole.rewards);
    expect_near(parts.returns, whole.returns);
    expect_near(parts.ratios->range, whole.ratios->range);
    EXPECT_NEAR(*parts.ratios->std_error, *whole.ratios->std_error, 1e-12);
    EXPECT_NEAR(parts.return_deviation, whole.return_deviation, 1e-12 * whole.return_deviation);
    ASSERT_EQ(parts.features.size(), whole.features.size());
    for (std::size_t d = 0; d < whole.features.size(); ++d)
      expect_near(parts.features[d].range, whole.features[d].range);
    ASSERT_EQ(parts.actions.size(), whole.actions.size());
    for (std::size_t a = 0; a < whole.actions.size(); ++a) {
      EXPECT_EQ(parts.actions[a].count, whole.actions[a].count);
      EXPECT_NEAR(*parts.actions[a].possible, *whole.actions[a].possible, 1e-12);
      EXPECT_NEAR(*parts.actions[a].possible_std_error, *whole.actions[a].possible_std_error, 1e-10);
    }
    EXPECT_EQ(parts.weights_fail_at, whole.weights_fail_at);
    EXPECT_EQ(parts.findings.size(), whole.findings.size());
    EXPECT_EQ(parts.history, whole.history);
    EXPECT_EQ(parts.calibration, whole.calibration);
  }
}

// The heaviest hundredth of all episodes, three here, may be spread over parts in any way.
TEST(InspectionSums, WeightsAndTheirHeaviestAreThoseOfAll) {
  const Dataset data = discrete();
  const Inspection whole = inspect(data, options), parts = in_parts(data, {0, 60, 61, 299, 300});
  ASSERT_EQ(parts.weights.size(), whole.weights.size());
  for (std::size_t k = 0; k < whole.weights.size(); ++k) {
    const WeightsAt &a = parts.weights[k], &b = whole.weights[k];
    EXPECT_EQ(a.t, b.t);
    EXPECT_NEAR(a.mean, b.mean, 1e-12 * (1.0 + b.mean));
    EXPECT_NEAR(a.std_error, b.std_error, 1e-10 * (1.0 + b.std_error));
    EXPECT_NEAR(a.ess, b.ess, 1e-10 * b.ess);
    EXPECT_EQ(a.zero_share, b.zero_share);
    EXPECT_NEAR(a.largest_share, b.largest_share, 1e-12);
    EXPECT_NEAR(a.top_share, b.top_share, 1e-12);
    EXPECT_NEAR(a.scores, b.scores, 1e-9 * b.scores);
  }
  ASSERT_EQ(parts.clips.size(), whole.clips.size());
  for (std::size_t k = 0; k < whole.clips.size(); ++k) {
    EXPECT_NEAR(parts.clips[k].ess, whole.clips[k].ess, 1e-10 * whole.clips[k].ess);
    EXPECT_EQ(parts.clips[k].speaks_until, whole.clips[k].speaks_until);
  }
}

TEST(InspectionSums, StrangersAndDamagedBytesAreRefused) {
  const Dataset data = discrete();
  InspectionSums sums = look_at(dataset_source(data), options);
  InspectOptions other = options;
  other.discount = Discount{0.5};
  EXPECT_THROW(sums += look_at(dataset_source(data), other), InvalidArgument);
  Bytes bytes = sums.to_bytes();
  bytes[bytes.size() / 2] ^= std::byte{1};
  EXPECT_THROW(InspectionSums::from_bytes(bytes), DataError);
  EXPECT_THROW(InspectionSums::from_bytes(InspectionSums().to_bytes()), DataError) << "no episodes";
  WeightsAtSteps weights = weigh(dataset_source(data), sums);
  const Dataset half = data.take(0, 100);
  EXPECT_THROW(weights += weigh(dataset_source(half), look_at(dataset_source(half), options)), InvalidArgument);
}

}  // namespace
}  // namespace starope
