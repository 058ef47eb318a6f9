#pragma once

#include <cstddef>

namespace starope {

// A view of numbers: entry (i, j) is data[i * row + j * column].
struct MatrixView {
  const double* data = nullptr;
  std::size_t row = 0, column = 1;

  MatrixView transposed() const { return {data, column, row}; }
};

// out(i, j) += sum over k of left(i, k) right(k, j), for matrices of some tens to hundreds of columns. Entries of a row
// of `right` and of `out` are neighbors. The sum runs over k in order in every entry, whatever the vectors of the
// machine: the same bits everywhere.
struct MatrixProduct {
  std::size_t rows = 0, columns = 0, depth = 0;
  MatrixView left{};
  const double* right = nullptr;
  std::size_t right_stride = 0;
  double* out = nullptr;
  std::size_t out_stride = 0;
};
void add_product(const MatrixProduct& product);

// Adds the lower triangle of x'y to that of out (width x width), for x and y of count x width whose x'y is symmetric;
// entries of out above the diagonal may hold anything afterwards.
void add_symmetric_product(const double* x, const double* y, std::size_t count, std::size_t width, double* out);

}  // namespace starope
