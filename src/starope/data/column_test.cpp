#include "starope/data.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <string>

#include "starope/error.hpp"

namespace starope {
namespace {

static_assert(std::is_convertible_v<Column<double>, std::span<const double>>);
static_assert(!std::is_convertible_v<const std::vector<double>&, Column<double>>);  // a copy must be visible

TEST(Column, OfAVectorIsTheVectorsBuffer) {
  std::vector<double> values{1.5, 2.5, 3.5};
  const double* const address = values.data();
  const Column<double> column = std::move(values);
  EXPECT_EQ(column.data(), address);
  EXPECT_EQ(column.size(), 3);
  EXPECT_EQ(column[std::int64_t{2}], 3.5);
  EXPECT_EQ(column.front(), 1.5);
  EXPECT_EQ(column.back(), 3.5);
  EXPECT_EQ(std::accumulate(column.begin(), column.end(), 0.0), 7.5);
  const std::span<const double> span = column;
  EXPECT_EQ(span.data(), address);
  EXPECT_EQ(span.size(), 3u);
}

TEST(Column, CopiesAndSlicesShareTheValuesAndKeepThemAlive) {
  Column<std::string> slice;
  const std::string* address = nullptr;
  {
    const Column<std::string> column{"anna", "bert", "cleo"};
    const Column<std::string> copy = column;  // NOLINT(performance-unnecessary-copy-initialization): what is tested
    EXPECT_EQ(copy.data(), column.data());
    address = column.data();
    slice = column.slice(1, 3).slice(1, 2);
  }
  EXPECT_EQ(slice.data(), address + 2);
  EXPECT_EQ(slice, (std::vector<std::string>{"cleo"}));
}

TEST(Column, IsComparedByItsValues) {
  const Column<int> column{1, 2, 1, 2};
  EXPECT_EQ(column.slice(0, 2), column.slice(2, 4));
  EXPECT_NE(column.slice(0, 2), column.slice(1, 3));
  EXPECT_NE(column.slice(0, 2), column);
  EXPECT_EQ(Column<int>{}, column.slice(4, 4));
  EXPECT_TRUE(Column<int>{}.empty());
  EXPECT_EQ(column.to_vector(), (std::vector<int>{1, 2, 1, 2}));
}

TEST(Column, BorrowsWithoutACopyUntilNobodyLooksAnyMore) {
  auto buffer = std::make_shared<std::array<float, 3>>(std::array<float, 3>{1, 2, 3});
  const std::weak_ptr<std::array<float, 3>> alive = buffer;
  Column<float> slice;
  {
    const Column<float> column = Column<float>::borrow(buffer->data(), 3, buffer);
    EXPECT_EQ(column.data(), buffer->data());
    slice = column.slice(2, 3);
  }
  buffer.reset();
  ASSERT_FALSE(alive.expired());
  EXPECT_EQ(slice[0], 3.0F);
  slice = {};
  EXPECT_TRUE(alive.expired());
}

TEST(Column, RefusesBuffersItCannotRead) {
  alignas(double) const std::array<std::byte, 32> bytes{};
  // NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast): addresses alone matter here, nothing is read
  const auto* aligned = reinterpret_cast<const double*>(bytes.data());
  const auto* between = reinterpret_cast<const double*>(bytes.data() + 4);
  // NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast)
  EXPECT_NO_THROW(Column<double>::borrow(aligned, 3, nullptr));
  EXPECT_THROW(Column<double>::borrow(between, 3, nullptr), InvalidArgument);
  EXPECT_THROW(Column<double>::borrow(aligned, -1, nullptr), InvalidArgument);
  EXPECT_THROW(Column<double>::borrow(nullptr, 1, nullptr), InvalidArgument);
  EXPECT_TRUE(Column<double>::borrow(nullptr, 0, nullptr).empty());
}

TEST(Column, HasNoSlicesBeyondItsEnds) {
  const Column<int> column{1, 2, 3};
  EXPECT_EQ(column.slice(3, 3).size(), 0);
  EXPECT_THROW(column.slice(-1, 2), InvalidArgument);
  EXPECT_THROW(column.slice(2, 4), InvalidArgument);
  EXPECT_THROW(column.slice(2, 1), InvalidArgument);
}

}  // namespace
}  // namespace starope
