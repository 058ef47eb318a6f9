#include "starope/stats/matrix_product.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "starope/rng/random.hpp"

namespace starope {
namespace {

// Bit by bit the sums of the definition, for sizes around those of vectors and tiles, plain and transposed; nothing
// beside the result is touched.
TEST(MatrixProduct, IsItsDefinitionInEveryBit) {
  Random random(Seed{9}, Stream::test_data, 0);
  for (const std::size_t rows : {1U, 3U, 4U, 9U}) {
    for (std::size_t columns = 1; columns < 36; ++columns) {
      const std::size_t depth = 7, stride = columns + 2;
      std::vector<double> left(rows * depth), right(depth * columns), out(rows * stride);
      for (auto* values : {&left, &right, &out})
        for (double& x : *values) x = random.normal();
      for (const bool transposed : {false, true}) {
        std::vector<double> expected = out, found = out;
        for (std::size_t i = 0; i < rows; ++i) {
          for (std::size_t j = 0; j < columns; ++j) {
            double sum = 0.0;
            for (std::size_t k = 0; k < depth; ++k)
              sum += (transposed ? left[k * rows + i] : left[i * depth + k]) * right[k * columns + j];
            expected[i * stride + j] += sum;
          }
        }
        const MatrixView view =
            transposed ? MatrixView{left.data(), rows}.transposed() : MatrixView{left.data(), depth};
        add_product({.rows = rows,
                     .columns = columns,
                     .depth = depth,
                     .left = view,
                     .right = right.data(),
                     .right_stride = columns,
                     .out = found.data(),
                     .out_stride = stride});
        ASSERT_EQ(found, expected) << rows << " x " << columns;
      }
    }
  }
}

TEST(MatrixProduct, OfAGramMatrixIsItsLowerTriangle) {
  Random random(Seed{10}, Stream::test_data, 0);
  for (const std::size_t width : {1U, 15U, 16U, 33U, 65U}) {
    constexpr std::size_t count = 20;
    std::vector<double> x(count * width), y(x.size()), out(width * width, 1.0);
    for (std::size_t i = 0; i < count; ++i) {
      const double weight = random.uniform(-1.0, 2.0);
      for (std::size_t k = 0; k < width; ++k) {
        x[i * width + k] = random.normal();
        y[i * width + k] = weight * x[i * width + k];
      }
    }
    add_symmetric_product(x.data(), y.data(), count, width, out.data());
    for (std::size_t i = 0; i < width; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = 0.0;
        for (std::size_t r = 0; r < count; ++r) sum += x[r * width + i] * y[r * width + j];
        ASSERT_EQ(out[i * width + j], 1.0 + sum);
      }
    }
  }
}

}  // namespace
}  // namespace starope
