#include "starope/data.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "starope/error.hpp"
#include "starope/problem.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

std::vector<double> random_bits_row(std::size_t dimension, std::uint64_t item) {
  Random random(Seed{4}, Stream::test_data, item);
  std::vector<double> row(dimension);
  for (double& x : row) x = random.uniform() < 0.3 ? 1.0 : 0.0;
  return row;
}

TEST(BinaryStates, PackingAndUnpackingIsTheIdentity) {
  for (const std::size_t dimension : {1u, 63u, 64u, 65u, 400u}) {
    std::vector<std::uint64_t> words;
    for (std::uint64_t i = 0; i < 5; ++i) append_bits(words, random_bits_row(dimension, i));
    const BinaryStates states{.dimension = static_cast<std::int64_t>(dimension), .words = std::move(words)};
    ASSERT_EQ(std::span(states.words).size(), 5 * states.words_per_row());
    for (std::uint64_t i = 0; i < 5; ++i) {
      const auto row = random_bits_row(dimension, i);
      std::vector<double> unpacked(dimension, 7.0);
      unpack_bits(states.row(static_cast<std::int64_t>(i)), unpacked);
      EXPECT_EQ(unpacked, row);
      for (std::size_t k = 0; k < dimension; ++k)
        ASSERT_EQ(states.bit(static_cast<std::int64_t>(i), static_cast<std::int64_t>(k)), row[k] == 1.0);
    }
  }
}

TEST(BinaryStates, RefusesOtherNumbers) {
  std::vector<std::uint64_t> words;
  for (const double x : {0.5, -1.0, 2.0, 1.0 + 0x1p-52, 1e-310, 4.0, std::nan(""), HUGE_VAL})
    EXPECT_THROW(append_bits(words, std::array<double, 2>{1.0, x}), InvalidArgument) << x;
  append_bits(words, std::array<double, 2>{-0.0, 1.0});
  EXPECT_EQ(words.back(), 0b10U);
}

Columns two_steps(States states) {
  Columns c;
  c.offsets = {0, 2};
  c.states = std::move(states);
  c.actions = DiscreteActions{.id = {0, 1}, .count = 2};
  c.rewards = {0.0, 0.0};
  c.behavior = LoggedProbabilities{.values = {0.5, 0.5}};
  c.ends = {EpisodeEnd::terminated};
  return c;
}

TEST(BinaryStates, AreStatesOfADataset) {
  const Dataset data(two_steps(BinaryStates{.dimension = 3, .words = {0b101, 0b010}}));
  std::vector<double> scratch;
  const StateView view = state_view(data, 1, scratch);
  EXPECT_EQ(std::vector<double>(view.features.begin(), view.features.end()), (std::vector<double>{0, 1, 0}));
  EXPECT_THROW(state_view(data, 1), InvalidArgument);
  // A policy function sees the bits as numbers: here it takes action 1 where the first is set.
  const Problem problem = make_problem(data, [](const StateView& s, std::span<double> p) {
    p[1] = s.features[0];
    p[0] = 1.0 - p[1];
  });
  EXPECT_EQ(problem.episode(0).ratios[0], 0.0);  // action 0, first bit set
  EXPECT_EQ(problem.episode(0).ratios[1], 0.0);  // action 1, first bit not set
}

TEST(BinaryStates, MustFitTheSteps) {
  EXPECT_THROW(Dataset(two_steps(BinaryStates{.dimension = 65, .words = {1, 0, 2}})), InvalidArgument);
  EXPECT_THROW(Dataset(two_steps(BinaryStates{.dimension = 0, .words = {}})), InvalidArgument);
  EXPECT_THROW(Dataset(two_steps(BinaryStates{.dimension = 3, .words = {0b101, 0b1000}})), InvalidArgument);
  EXPECT_NO_THROW(Dataset(two_steps(BinaryStates{.dimension = 64, .words = {~std::uint64_t{0}, 1}})));
}

TEST(ToDense, WritesBitsAsNumbers) {
  const DenseStates dense = to_dense(BinaryStates{.dimension = 2, .words = {0b10, 0b01}, .names = {"a", "b"}});
  EXPECT_EQ(dense.values, (std::vector<double>{0, 1, 1, 0}));
  EXPECT_EQ(dense.names[1], "b");
}

}  // namespace
}  // namespace starope
