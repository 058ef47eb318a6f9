#include "starope/io/arrow_array.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/io/testing_arrow.hpp"

namespace starope::io {
namespace {

using Kind = ArrowType::Kind;

TEST(ArrowArray, FormatsAreTypes) {
  EXPECT_EQ(arrow_type("c"), (ArrowType{.kind = Kind::signed_integer, .bytes = 1}));
  EXPECT_EQ(arrow_type("L"), (ArrowType{.kind = Kind::unsigned_integer, .bytes = 8}));
  EXPECT_EQ(arrow_type("e"), (ArrowType{.kind = Kind::real, .bytes = 2}));
  EXPECT_EQ(arrow_type("vu"), (ArrowType{.kind = Kind::view_text}));
  EXPECT_EQ(arrow_type("+w:12"), (ArrowType{.kind = Kind::fixed_list, .width = 12}));
  EXPECT_EQ(arrow_type("d:4,2"), (ArrowType{.kind = Kind::decimal, .bytes = 16, .scale = 2}));
  EXPECT_EQ(arrow_type("d:9,0,32"), (ArrowType{.kind = Kind::decimal, .bytes = 4}));
  EXPECT_EQ(arrow_type("tdD"), (ArrowType{.kind = Kind::signed_integer, .bytes = 4}));
  EXPECT_EQ(arrow_type("tsu:UTC"), (ArrowType{.kind = Kind::signed_integer, .bytes = 8}));
  for (const char* other : {"", "z", "+m", "+w:", "+w:-1", "+w:x", "d:", "d:4", "d:4,2,64x", "d:4,2,100", "d:4,999999",
                            "xx", "tX", "+ud:1", "+r", "+vl"}) {
    EXPECT_EQ(arrow_type(other).kind, Kind::unknown) << other;
  }
}

TEST(ArrowArray, HalfPrecision) {
  EXPECT_EQ(half_precision(0x3C00), 1.0F);
  EXPECT_EQ(half_precision(0xC000), -2.0F);
  EXPECT_EQ(half_precision(0x3555), 0.333251953125F);
  EXPECT_EQ(half_precision(0x7BFF), 65504.0F);
  EXPECT_EQ(half_precision(0x0001), std::ldexp(1.0F, -24));
  EXPECT_EQ(half_precision(0x0400), std::ldexp(1.0F, -14));
  EXPECT_EQ(half_precision(0xFC00), -INFINITY);
  EXPECT_TRUE(std::isnan(half_precision(0x7E00)));
}

// Digits, their sign in the upper half; the nearest doubles; integers where they are some.
TEST(ArrowArray, Decimals) {
  const auto at = [](const char* format, const std::vector<std::int64_t>& words) {
    ArrowArray array{};
    testing::arrow_detail::fill(array, testing::numbers("x", format, words));
    const ArrowOwned<ArrowArray> owned(&array);
    const ArrowType type = arrow_type(format);
    return std::pair(decimal_at(type, *owned, 0), integer_of_decimal(type, *owned, 0));
  };
  EXPECT_EQ(at("d:4,2", {1234, 0}).first, 12.34);
  EXPECT_EQ(at("d:4,2", {1234, 0}).second, std::nullopt);
  EXPECT_EQ(at("d:4,2", {-700, -1}), std::pair(-7.0, std::optional<std::int64_t>(-7)));
  EXPECT_EQ(at("d:18,3,64", {-1500}).first, -1.5);
  EXPECT_EQ(at("d:38,0", {0, 1}).first, 0x1p64);
  EXPECT_EQ(at("d:38,0", {0, 1}).second, std::nullopt);
  EXPECT_EQ(at("d:3,-2", {5, 0}), std::pair(500.0, std::optional<std::int64_t>(500)));
  // 0.1234567890123456789: one rounding, not two.
  EXPECT_EQ(at("d:38,19", {1234567890123456789, 0}).first, 0.1234567890123456789);
  EXPECT_EQ(at("d:50,1,256", {-15, -1, -1, -1}).first, -1.5);
  EXPECT_EQ(at("d:76,0,256", {0, 0, 1, 0}).first, INFINITY);
  EXPECT_EQ(at("d:76,0,256", {0, 0, 1, 0}).second, std::nullopt);
}

TEST(ArrowArray, WhatContradictsItselfIsSeenBeforeAnyValue) {
  const auto said = [](const ArrowType& type, const ArrowArray& array, std::int64_t count) {
    return !contradiction(type, array, count).empty();
  };
  const void* buffers[] = {nullptr, nullptr};
  const double value = 1.0;
  const void* filled[] = {nullptr, &value};
  const ArrowType real = arrow_type("g");
  ArrowArray array{};
  array.length = 1;
  array.n_buffers = 2;
  array.buffers = filled;
  EXPECT_FALSE(said(real, array, 1));
  EXPECT_TRUE(said(real, array, 2));
  array.buffers = buffers;
  EXPECT_TRUE(said(real, array, 1));
  EXPECT_FALSE(said(real, array, 0));
  array.buffers = filled;
  for (const std::int64_t huge : {std::int64_t{-1}, std::int64_t{1} << 62}) {
    ArrowArray odd = array;
    odd.length = huge;
    EXPECT_TRUE(said(real, odd, 0));
    odd = array;
    odd.offset = huge;
    EXPECT_TRUE(said(real, odd, 0));
  }
  array.n_buffers = 1;
  EXPECT_TRUE(said(real, array, 1));
  array.n_buffers = 2;
  EXPECT_TRUE(said(arrow_type("u"), array, 1));
  EXPECT_TRUE(said(arrow_type("+l"), array, 1));
}

TEST(ArrowArray, OwnersReleaseOnceAndMove) {
  static int released = 0;
  released = 0;
  ArrowSchema schema{};
  schema.release = [](ArrowSchema* self) {
    ++released;
    self->release = nullptr;
  };
  {
    ArrowOwned<ArrowSchema> first(&schema);
    EXPECT_EQ(schema.release, nullptr);
    ArrowOwned<ArrowSchema> second(std::move(first));
    ArrowOwned<ArrowSchema> third;
    third = std::move(second);
    EXPECT_FALSE(third.released());
  }
  EXPECT_EQ(released, 1);
}

}  // namespace
}  // namespace starope::io
