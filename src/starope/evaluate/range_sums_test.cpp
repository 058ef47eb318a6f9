#include "starope/evaluate/range_sums.hpp"

#include <gtest/gtest.h>

namespace starope {
namespace {

TEST(RangeSums, AddUpAndComeBackFromBytes) {
  RangeSums first, second;
  for (const double x : {3.0, -1.0}) first.add(x);
  second.add(7.0);
  ByteWriter to;
  second.write(to);
  ByteReader from(to.bytes(), "range");
  first += RangeSums::read(from);
  from.finish();
  EXPECT_EQ(first.range(), (Inspection::Range{.min = -1.0, .mean = 3.0, .max = 7.0}));
  first += RangeSums{};
  EXPECT_EQ(first.range(), (Inspection::Range{.min = -1.0, .mean = 3.0, .max = 7.0}));
  EXPECT_FALSE(RangeSums{}.any());
}

}  // namespace
}  // namespace starope
