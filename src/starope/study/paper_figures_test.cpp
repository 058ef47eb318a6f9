#include "starope/study/paper_figures.hpp"

#include <gtest/gtest.h>

namespace starope {
namespace {

TEST(PaperFigures, EveryBestIsBelowMedianAndBaseline) {
  int cases = 0;
  for (const char* domain : {"cartpole", "icu-sepsis", "asterix"}) {
    for (const std::int64_t size : {50, 100, 500, 1000, 5000, 10000}) {
      const auto reading = paper_reading(domain, size);
      if (!reading) continue;
      ++cases;
      EXPECT_LT(reading->star_best, reading->star_median) << domain << size;
      EXPECT_LT(reading->star_best, reading->baseline_best) << domain << size;
    }
  }
  EXPECT_EQ(cases, 12);
  EXPECT_FALSE(paper_reading("cartpole", 51));
  EXPECT_FALSE(paper_reading("model-win", 50));
  EXPECT_EQ(paper_reading("icu-sepsis-frozen", 50)->star_best, paper_reading("icu-sepsis", 50)->star_best);
}

}  // namespace
}  // namespace starope
