#include "starope/abstraction/projected_bits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/abstraction/points.hpp"
#include "starope/abstraction/testing.hpp"
#include "starope/base/error.hpp"
#include "starope/data/dataset.hpp"

namespace starope {
namespace {

using testing::normal_numbers;
using testing::random_bits_states;

TEST(ProjectedBits, ByHand) {
  const BinaryStates states{.dimension = 3, .words = {0b000, 0b101, 0b111}};
  const std::vector<double> matrix{1, 10, 2, 20, 4, 40};
  EXPECT_THAT(project(states, matrix, 2), ::testing::ElementsAre(0, 0, 5, 50, 7, 70));
  const std::vector<double> offset{-1, 0.5};
  EXPECT_THAT(project(states, matrix, 2, offset), ::testing::ElementsAre(-1, 0.5, 4, 50.5, 6, 70.5));
}

TEST(ProjectedBits, IsTheMatrixProduct) {
  for (const std::int64_t width : {1, 3, 8, 16, 32, 33}) {
    const std::int64_t d = 90;
    const BinaryStates states = random_bits_states(40, d, 0.3, static_cast<std::uint64_t>(width));
    const std::vector<double> dense = to_dense(states).values;
    const std::vector<double> matrix = normal_numbers(d * width, 2), offset = normal_numbers(width, 3);
    std::vector<double> expected;
    for (std::int64_t i = 0; i < 40; ++i) {
      for (std::int64_t c = 0; c < width; ++c) {
        double sum = offset[static_cast<std::size_t>(c)];
        for (std::int64_t j = 0; j < d; ++j) {
          sum += dense[static_cast<std::size_t>(i * d + j)] * matrix[static_cast<std::size_t>(j * width + c)];
        }
        expected.push_back(sum);
      }
    }
    EXPECT_EQ(project(states, matrix, width, offset), expected) << width;
  }
}

TEST(ProjectedBits, ThreadsChangeNothing) {
  const BinaryStates states = random_bits_states(2 * points_per_block + 7, 30, 0.4, 5);
  const std::vector<double> matrix = normal_numbers(30 * 4, 6);
  EXPECT_EQ(project(states, matrix, 4, {}, Threads{1}), project(states, matrix, 4, {}, Threads{3}));
}

TEST(ProjectedBits, SizesMustFit) {
  const BinaryStates states = random_bits_states(4, 5, 0.5, 7);
  const std::vector<double> numbers(11);
  const std::span<const double> matrix(numbers.data(), 10);
  EXPECT_NO_THROW(project(states, matrix, 2));
  EXPECT_THROW(project(states, matrix, 5), InvalidArgument);
  EXPECT_THROW(project(states, matrix, 0), InvalidArgument);
  EXPECT_THROW(project(states, numbers, 2), InvalidArgument);
  EXPECT_THROW(project(states, matrix, 2, numbers), InvalidArgument);
}

}  // namespace
}  // namespace starope
