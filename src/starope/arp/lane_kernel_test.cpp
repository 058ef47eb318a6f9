#include "starope/arp/lane_kernel.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "starope/arp/process_lanes.hpp"
#include "starope/base/instruction_sets.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

TEST(LaneKernel, KnowsTheLanesWithWeight) {
  std::vector<double> sums(2 * process_lanes, 0.0);
  sums[0] = 1.0;
  sums[9] = -2.0;
  sums[63] = 1e-300;
  sums[process_lanes + 32] = -0.0;
  sums[process_lanes + 33] = 5.0;
  std::array<std::uint64_t, 2> lanes{};
  lanes_with_weight(sums, lanes);
  EXPECT_EQ(lanes[0], 1ULL | (1ULL << 9) | (1ULL << 63));
  EXPECT_EQ(lanes[1], 1ULL << 33);
}

// Cell 0: half of the weight stays, a quarter goes to cell 1, a quarter ends. Cell 1: half goes back, half ends.
// V_0 = 1 + V_0 / 2 + V_1 / 4 and V_1 = 3 + V_0 / 2: V_0 = 14 / 3. Lane b earns b times as much.
TEST(LaneKernel, SolvesTwoCellsByHand) {
  MoveCounts counts(2);
  counts.add(0, 0, 1.0);
  counts.add(0, 1, 1.0);
  counts.add(1, 0, 1.0);
  const std::vector<double> start{1.0, 0.0};
  const auto lanes = ProcessLanes::make(counts.rows(), start, Discount{1.0}, {});
  const auto fill = [](const std::vector<double>& of_entries) {
    std::vector<double> all;
    for (const double x : of_entries) all.insert(all.end(), process_lanes, x);
    return all;
  };
  const std::vector<double> move = fill({2.0, 1.0, 3.0}), exit = fill({1.0, 3.0}), cut = fill({0.0, 0.0});
  std::vector<double> begin = fill({5.0, 0.0}), reward = fill({4.0, 18.0});
  for (std::size_t i = 0; i < reward.size(); ++i) reward[i] *= static_cast<double>(i % process_lanes);
  std::array<double, process_lanes> values{};
  EXPECT_EQ(lanes->values({.move = move, .reward = reward, .exit = exit, .cut = cut, .start = begin}, values), ~0ULL);
  for (std::size_t b = 0; b < process_lanes; ++b)
    EXPECT_NEAR(values[b], static_cast<double>(b) * 14.0 / 3.0, 1e-12 * static_cast<double>(b));
}

TEST(LaneKernel, HasTheSameBitsOnEveryInstructionSet) {
  constexpr std::int64_t cells = 7;
  Random random(Seed{4}, Stream::test_data, 0);
  MoveCounts counts(cells);
  for (Label z = 0; z < cells; ++z) {
    for (Label y = 0; y < cells; ++y) counts.add(z, y, 1.0);
  }
  const auto numbers = [&](std::size_t entries) {
    std::vector<double> made(entries * process_lanes);
    for (double& x : made) x = random.uniform(0.1, 1.0);
    return made;
  };
  const auto move = numbers(cells * cells), reward = numbers(cells), exit = numbers(cells), cut = numbers(cells),
             begin = numbers(cells);
  const std::vector<double> start(cells, 1.0);
  for (const std::optional<Horizon> horizon : {std::optional<Horizon>(), std::optional(Horizon{12})}) {
    const auto lanes = ProcessLanes::make(counts.rows(), start, Discount{1.0}, horizon);
    std::optional<std::array<double, process_lanes>> first;
    testing::for_each_instruction_set([&] {
      std::array<double, process_lanes> values{};
      EXPECT_EQ(lanes->values({.move = move, .reward = reward, .exit = exit, .cut = cut, .start = begin}, values),
                ~0ULL);
      if (!first) first = values;
      EXPECT_EQ(values, *first);
    });
  }
}

}  // namespace
}  // namespace starope
