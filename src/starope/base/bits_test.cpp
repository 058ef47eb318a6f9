#include "starope/base/bits.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace starope {
namespace {

// IEEE 754: sign, eleven bits of exponent with a bias of 1023, 52 bits of fraction.
static_assert(bits_as<std::uint64_t>(1.0) == 0x3ff0'0000'0000'0000U);
static_assert(bits_as<std::uint64_t>(-2.5) == 0xc004'0000'0000'0000U);
static_assert(bits_as<double>(std::uint64_t{0x7ff0'0000'0000'0000U}) == std::numeric_limits<double>::infinity());

TEST(Bits, GoThereAndBack) {
  for (const double x : {0.1, -0.0, 1e-310, std::numeric_limits<double>::max()}) {
    const auto bits = bits_as<std::uint64_t>(x);
    EXPECT_EQ(bits_as<std::uint64_t>(bits_as<double>(bits)), bits);
    EXPECT_EQ(bits_as<double>(bits), x);
  }
}

TEST(Bits, ZerosDiffer) {
  EXPECT_NE(bits_as<std::uint64_t>(0.0), bits_as<std::uint64_t>(-0.0));
}

}  // namespace
}  // namespace starope
