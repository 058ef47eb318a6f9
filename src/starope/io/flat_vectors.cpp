#include "starope/io/flat_vectors.hpp"

#include <array>
#include <bit>
#include <memory>
#include <utility>
#include <vector>

namespace starope::io {
namespace {

struct Borrowed {
  std::function<void()> done;
  std::vector<ArrowArray> columns{};
  std::vector<ArrowArray*> pointers{};
  std::vector<std::array<const void*, 2>> buffers{};
  std::vector<std::vector<std::uint8_t>> bits{};
  std::array<const void*, 1> none{nullptr};
};

std::int64_t count_nulls(const std::uint64_t* valid, std::int64_t rows) {
  if (valid == nullptr) return 0;
  std::int64_t nulls = rows;
  for (std::int64_t row = 0; row < rows; row += 64) {
    const std::int64_t left = rows - row;
    const std::uint64_t mask = left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
    nulls -= std::popcount(valid[row / 64] & mask);
  }
  return nulls;
}

std::vector<std::uint8_t> packed(const std::uint8_t* truths, std::int64_t rows) {
  std::vector<std::uint8_t> bits((rows + 7) / 8, 0);
  for (std::int64_t row = 0; row < rows; ++row) {
    if (truths[row] != 0) bits[row / 8] |= static_cast<std::uint8_t>(1U << static_cast<unsigned>(row % 8));
  }
  return bits;
}

void release_column(ArrowArray* array) {
  array->release = nullptr;  // what it has belongs to the table
}

void release_table(ArrowArray* array) {
  auto* const borrowed = static_cast<Borrowed*>(array->private_data);
  for (ArrowArray& column : borrowed->columns) column.release = nullptr;
  borrowed->done();
  delete borrowed;
  array->release = nullptr;
}

}  // namespace

ArrowArray borrowed(std::span<const FlatVector> columns, std::int64_t rows, std::function<void()> done) {
  auto made = std::make_unique<Borrowed>();
  made->done = std::move(done);
  made->columns.resize(columns.size());
  made->buffers.resize(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const FlatVector& from = columns[c];
    const void* values = from.values;
    if (from.boolean) {
      made->bits.push_back(packed(static_cast<const std::uint8_t*>(from.values), rows));
      values = made->bits.back().data();
    }
    made->buffers[c] = {from.valid, values};
    made->columns[c] = {.length = rows,
                        .null_count = count_nulls(from.valid, rows),
                        .offset = 0,
                        .n_buffers = 2,
                        .n_children = 0,
                        .buffers = made->buffers[c].data(),
                        .children = nullptr,
                        .dictionary = nullptr,
                        .release = release_column,
                        .private_data = nullptr};
  }
  for (ArrowArray& column : made->columns) made->pointers.push_back(&column);
  ArrowArray table{.length = rows,
                   .null_count = 0,
                   .offset = 0,
                   .n_buffers = 1,
                   .n_children = static_cast<std::int64_t>(columns.size()),
                   .buffers = made->none.data(),
                   .children = made->pointers.data(),
                   .dictionary = nullptr,
                   .release = release_table,
                   .private_data = nullptr};
  table.private_data = made.release();
  return table;
}

}  // namespace starope::io
