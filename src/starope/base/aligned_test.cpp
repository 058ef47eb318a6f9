#include "starope/base/aligned.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace starope {
namespace {

TEST(Aligned, EveryVectorBeginsALine) {
  std::vector<AlignedVector<double>> kept;
  for (std::size_t size = 1; size < 40; ++size) {
    kept.emplace_back(size, 1.0);
    kept.back().resize(3 * size, 2.0);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(kept.back().data()) % 64, 0U) << size;
    EXPECT_EQ(kept.back().front(), 1.0);
    EXPECT_EQ(kept.back().back(), 2.0);
  }
  const AlignedVector<double> copy = kept[7];
  EXPECT_EQ(copy, kept[7]);
}

}  // namespace
}  // namespace starope
