#include "starope/io/flat_vectors.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace starope::io {
namespace {

TEST(FlatVectors, AreAnArrowTableWithoutACopy) {
  std::vector<double> numbers(130);
  std::vector<std::uint8_t> truths(130, 0);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = 0.5 * static_cast<double>(i);
  for (const std::size_t i : {0U, 7U, 8U, 64U, 129U}) truths[i] = 1;
  // Row 3 and row 129 have no number; bits behind the last row mean nothing.
  std::array<std::uint64_t, 3> valid{~std::uint64_t{8}, ~std::uint64_t{0}, 1};
  bool done = false;
  const std::vector<FlatVector> columns{{.values = numbers.data(), .valid = valid.data()},
                                        {.boolean = true, .values = truths.data()}};
  ArrowArray table = borrowed(columns, 130, [&] { done = true; });
  EXPECT_EQ(contradiction({.kind = ArrowType::Kind::table}, table, 130), "");
  ASSERT_EQ(table.n_children, 2);
  const ArrowArray &first = *table.children[0], &second = *table.children[1];
  EXPECT_EQ(first.buffers[1], numbers.data());
  EXPECT_EQ(first.null_count, 2);
  EXPECT_TRUE(is_null(first, 3));
  EXPECT_FALSE(is_null(first, 128));
  EXPECT_TRUE(is_null(first, 129));
  EXPECT_EQ(second.null_count, 0);
  with_numbers({.kind = ArrowType::Kind::boolean}, second, [&](const auto& get) {
    for (std::int64_t row = 0; row < 130; ++row) EXPECT_EQ(get(row), truths[row]) << row;
  });
  EXPECT_FALSE(done);
  table.release(&table);
  EXPECT_TRUE(done);
  EXPECT_EQ(table.release, nullptr);
}

TEST(FlatVectors, MayBeEmpty) {
  int done = 0;
  ArrowArray table = borrowed({}, 0, [&] { ++done; });
  EXPECT_EQ(table.n_children, 0);
  table.release(&table);
  EXPECT_EQ(done, 1);
}

}  // namespace
}  // namespace starope::io
