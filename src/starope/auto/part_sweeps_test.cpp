#include "starope/auto/part_sweeps.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "starope/base/instruction_sets.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

std::vector<double> random_numbers(std::size_t count, std::uint64_t item) {
  Random random(Seed{3}, Stream::test_data, item);
  std::vector<double> numbers(count);
  for (double& x : numbers) x = random.normal();
  return numbers;
}

TEST(PartSweeps, AddAStepToThePartsOfItsEpisodeAlone) {
  const std::vector<std::uint32_t> cell{0, 1, 1}, entry{2, 0, 2};
  const std::vector<double> weight{0.5, 2.0, 0.25}, reward{1.0, 3.0, -4.0};
  const std::vector<std::uint8_t> parts{0b10000001, 0b00000010, 0b00000001};
  testing::for_each_instruction_set([&] {
    std::vector<double> weights(3 * part_lanes, 0.0), rewards(2 * part_lanes, 0.0);
    add_part_steps({.count = 3,
                    .cell = cell.data(),
                    .entry = entry.data(),
                    .weight = weight.data(),
                    .weighted_reward = reward.data(),
                    .parts = parts.data()},
                   weights.data(), rewards.data());
    std::vector<double> expected_weights(weights.size(), 0.0), expected_rewards(rewards.size(), 0.0);
    expected_weights[2 * part_lanes] = 0.75;
    expected_weights[2 * part_lanes + 7] = 0.5;
    expected_weights[1] = 2.0;
    expected_rewards[0] = 1.0;
    expected_rewards[7] = 1.0;
    expected_rewards[part_lanes + 1] = 3.0;
    expected_rewards[part_lanes] = -4.0;
    EXPECT_EQ(weights, expected_weights);
    EXPECT_EQ(rewards, expected_rewards);
  });
}

// Three cells: 0 -> 1, 2; 1 -> none; 2 -> 0, 2.
TEST(PartSweeps, AreTheSweepsOfEveryLane) {
  const std::vector<std::uint32_t> offsets{0, 2, 2, 4}, columns{1, 2, 0, 2};
  const std::vector<double> share = random_numbers(4 * part_lanes, 1), reward = random_numbers(3 * part_lanes, 2),
                            from = random_numbers(3 * part_lanes, 3);
  const PartProcess process{.cells = 3,
                            .gamma = 0.9,
                            .offsets = offsets.data(),
                            .columns = columns.data(),
                            .share = share.data(),
                            .reward = reward.data()};
  testing::for_each_instruction_set([&] {
    std::vector<double> back(from.size(), 7.0), ahead(from.size(), 7.0);
    sweep_back(process, from.data(), back.data());
    sweep_ahead(process, from.data(), ahead.data());
    for (std::size_t l = 0; l < part_lanes; ++l) {
      const auto at = [&](const std::vector<double>& numbers, std::size_t i) { return numbers[i * part_lanes + l]; };
      EXPECT_EQ(at(back, 0), at(reward, 0) + 0.9 * (at(share, 0) * at(from, 1) + at(share, 1) * at(from, 2)));
      EXPECT_EQ(at(back, 1), at(reward, 1));
      EXPECT_EQ(at(back, 2), at(reward, 2) + 0.9 * (at(share, 2) * at(from, 0) + at(share, 3) * at(from, 2)));
      EXPECT_EQ(at(ahead, 0), 0.9 * at(share, 2) * at(from, 2));
      EXPECT_EQ(at(ahead, 1), 0.9 * at(share, 0) * at(from, 0));
      EXPECT_EQ(at(ahead, 2), 0.9 * at(share, 1) * at(from, 0) + 0.9 * at(share, 3) * at(from, 2));
    }
  });
}

}  // namespace
}  // namespace starope
