#include "starope/arp/process_lanes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <optional>

#include "starope/arp/components.hpp"
#include "starope/arp/solve.hpp"
#include "starope/error.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

// Sixty-four statistics on the same cells, one by one and in lanes.
struct Processes {
  std::vector<ArpStatistic> each{};
  SparseRows moves{};           // of all
  std::vector<double> start{};  // of all

  std::uint64_t values(const ProcessLanes& lanes, std::span<double, process_lanes> found) const {
    const std::size_t cells = start.size();
    std::vector<double> move(moves.column.size() * process_lanes, 0.0);
    std::vector<double> reward(cells * process_lanes), exit = reward, cut = reward, begin = reward;
    for (std::size_t b = 0; b < process_lanes; ++b) {
      const SparseRows own = each[b].move.rows();
      for (std::size_t z = 0; z < cells; ++z) {
        reward[z * process_lanes + b] = each[b].reward[z];
        exit[z * process_lanes + b] = each[b].exit[z];
        cut[z * process_lanes + b] = each[b].cut[z];
        begin[z * process_lanes + b] = each[b].start[z];
        for (std::size_t e = 0; e < own.columns_of(static_cast<std::int64_t>(z)).size(); ++e) {
          const std::size_t at = moves.find(static_cast<Label>(z), own.columns_of(static_cast<std::int64_t>(z))[e]);
          move[at * process_lanes + b] = own.values_of(static_cast<std::int64_t>(z))[e];
        }
      }
    }
    return lanes.values({.move = move, .reward = reward, .exit = exit, .cut = cut, .start = begin}, found);
  }
};

using Chance = std::function<double(std::size_t from, std::size_t to)>;

// Every lane has a move with the chance that is given for it, and leaves the process from some of the cells.
Processes random_processes(std::size_t cells, const Chance& chance, double chance_of_exit, std::uint64_t seed) {
  Random random(Seed{seed}, Stream::test_data, 0);
  Processes made;
  ArpStatistic all;
  for (std::size_t b = 0; b < process_lanes; ++b) {
    const std::vector<double> zeros(cells, 0.0);
    ArpStatistic s{.recipe = {.cells = static_cast<std::int64_t>(cells)},
                   .start = zeros,
                   .reward = zeros,
                   .exit = zeros,
                   .cut = zeros,
                   .move = MoveCounts(static_cast<std::int64_t>(cells)),
                   .unit = 0};
    for (std::size_t z = 0; z < cells; ++z) {
      s.start[z] = static_cast<double>(random.below(3));
      s.episodes += s.start[z];
      s.reward[z] = random.normal();
      if (random.uniform() < chance_of_exit) s.exit[z] = random.uniform(0.1, 1.0);
      if (random.uniform() < 0.5) s.cut[z] = random.uniform();
      for (std::size_t y = 0; y < cells; ++y) {
        if (random.uniform() < chance(z, y))
          s.move.add(static_cast<Label>(z), static_cast<Label>(y), random.uniform(0.1, 2.0));
      }
      // A cell without weight earns nothing.
      if (make_model(s).visit[z] == 0.0) s.reward[z] = 0.0;
    }
    if (b == 0) {
      all = s;
    } else {
      all += s;
    }
    made.each.push_back(std::move(s));
  }
  made.moves = all.move.rows();
  made.start = all.start;
  return made;
}

std::optional<double> alone(const ArpStatistic& statistic, Discount discount, std::optional<Horizon> horizon) {
  if (statistic.episodes == 0.0) return std::nullopt;
  try {
    return solve(make_model(statistic), discount, horizon).value;
  } catch (const DegenerateModel&) {
    return std::nullopt;
  }
}

// How many lanes were solved; those that were have the bits that they have alone.
int expect_same_bits(const Processes& processes, Discount discount, std::optional<Horizon> horizon = {}) {
  const auto lanes = ProcessLanes::make(processes.moves, processes.start, discount, horizon);
  EXPECT_TRUE(lanes);
  std::array<double, process_lanes> found{};
  const std::uint64_t solved = processes.values(*lanes, found);
  for (std::size_t b = 0; b < process_lanes; ++b) {
    if ((solved >> b & 1U) == 0) continue;
    const std::optional<double> wanted = alone(processes.each[b], discount, horizon);
    EXPECT_TRUE(wanted) << b;
    if (!wanted) continue;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(found[b]), std::bit_cast<std::uint64_t>(*wanted)) << b;
  }
  return std::popcount(solved);
}

TEST(ProcessLanes, HaveTheBitsThatTheyHaveAlone) {
  const Chance most = [](std::size_t, std::size_t) { return 0.7; };
  for (const std::size_t cells : {1U, 2U, 5U, 17U, 40U}) {
    const Processes processes = random_processes(cells, most, 0.8, cells);
    const int solved = expect_same_bits(processes, Discount{1.0});
    EXPECT_GE(solved, cells < 17 ? 20 : 60) << cells;
    EXPECT_GE(expect_same_bits(processes, Discount{0.9}), solved);
  }
}

TEST(ProcessLanes, WithAHorizonTheyAreAllSolved) {
  const Chance few = [](std::size_t, std::size_t) { return 0.2; };
  for (const std::int64_t steps : {1, 2, 7, 32, 200, 333, 4000}) {  // the last ones settle before the middle
    const Processes processes = random_processes(9, few, 0.5, 3);
    EXPECT_EQ(expect_same_bits(processes, Discount{0.95}, Horizon{steps}), 64);
    EXPECT_EQ(expect_same_bits(processes, Discount{1.0}, Horizon{steps}), 64);
  }
}

TEST(ProcessLanes, PassFromComponentToComponent) {
  // Three rooms of four cells, each open to those behind it.
  const Chance rooms = [](std::size_t from, std::size_t to) {
    if (from / 4 == to / 4) return 0.9;
    return to > from ? 0.3 : 0.0;
  };
  EXPECT_GE(expect_same_bits(random_processes(12, rooms, 0.7, 5), Discount{1.0}), 40);
  // Every cell a room of its own, some with a loop: nothing can fall apart.
  const Chance forward = [](std::size_t from, std::size_t to) { return to >= from ? 0.6 : 0.0; };
  EXPECT_EQ(expect_same_bits(random_processes(12, forward, 1.0, 6), Discount{1.0}), 64);
}

// Components of a lane, of those of its cells that it reaches.
std::vector<std::vector<std::int64_t>> own_components(const ArpStatistic& statistic) {
  std::vector<std::int64_t> begins;
  for (std::size_t z = 0; z < statistic.start.size(); ++z) {
    if (statistic.start[z] > 0.0) begins.push_back(static_cast<std::int64_t>(z));
  }
  auto found = strong_components(statistic.move.rows(), begins);
  std::sort(found.begin(), found.end());
  return found;
}

TEST(ProcessLanes, ThatFallApartAreLeftAlone) {
  const Chance few = [](std::size_t, std::size_t) { return 0.2; };
  int together = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Processes processes = random_processes(8, few, 1.0, seed);
    std::vector<double> found(process_lanes);
    const auto lanes = ProcessLanes::make(processes.moves, processes.start, Discount{1.0}, {});
    const std::uint64_t solved = processes.values(*lanes, std::span<double, process_lanes>(found));
    expect_same_bits(processes, Discount{1.0});
    for (std::size_t b = 0; b < process_lanes; ++b) {
      // Together, 64 lanes have all moves: one component. Every cell has an exit: all can be solved.
      const bool one = own_components(processes.each[b]).size() == 1;
      EXPECT_EQ((solved >> b & 1U) != 0, one) << seed << " " << b;
      together += one ? 1 : 0;
    }
  }
  EXPECT_GT(together, 20);
  EXPECT_LT(together, 8 * 64 - 20);
}

TEST(ProcessLanes, WithoutAValueAreLeftAlone) {
  const Chance always = [](std::size_t, std::size_t) { return 1.0; };
  Processes processes = random_processes(4, always, 1.0, 9);
  const std::vector<double> zeros(4, 0.0);
  processes.each[3].start = zeros;  // no episodes
  processes.each[3].episodes = 0.0;
  processes.each[17].exit = zeros;  // no way out
  ArpStatistic& weightless = processes.each[40];
  weightless.move = MoveCounts(4);
  weightless.exit = weightless.cut = weightless.reward = zeros;
  const auto lanes = ProcessLanes::make(processes.moves, processes.start, Discount{1.0}, {});
  std::array<double, process_lanes> found{};
  EXPECT_EQ(~processes.values(*lanes, found), (1ULL << 3) | (1ULL << 17) | (1ULL << 40));
  expect_same_bits(processes, Discount{1.0});
  // With a discount the one without an exit has a value.
  const auto discounted = ProcessLanes::make(processes.moves, processes.start, Discount{0.5}, {});
  EXPECT_EQ(~processes.values(*discounted, found), (1ULL << 3) | (1ULL << 40));
}

TEST(ProcessLanes, KeepToWhatFitsIntoTheCache) {
  const auto ring = [](std::int64_t states) {
    MoveCounts counts(states);
    for (std::int64_t z = 0; z < states; ++z)
      counts.add(static_cast<Label>(z), static_cast<Label>((z + 1) % states), 1.0);
    return counts.rows();
  };
  const std::vector<double> start(300, 1.0);
  const auto made = [&](std::int64_t states, std::optional<Horizon> horizon) {
    return ProcessLanes::make(ring(states), std::span(start).first(states), Discount{1.0}, horizon).has_value();
  };
  EXPECT_TRUE(made(128, {}));
  EXPECT_FALSE(made(129, {}));
  EXPECT_TRUE(made(300, Horizon{1000}));
  EXPECT_FALSE(made(300, Horizon{1'000'000'000'000}));
}

}  // namespace
}  // namespace starope
