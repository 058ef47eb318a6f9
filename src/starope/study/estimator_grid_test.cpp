#include "starope/study/estimator_grid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/error.hpp"
#include "starope/study.hpp"

namespace starope {
namespace {

using ::testing::ElementsAre;

TEST(EstimatorGrid, ExpandsAlternativesFirstOptionSlowest) {
  EXPECT_THAT(expand_estimators("naive, star(clusters=2|4,clip=1|none,horizon=none)"),
              ElementsAre("naive", "star(clusters=2,clip=1,horizon=none)", "star(clusters=2,clip=none,horizon=none)",
                          "star(clusters=4,clip=1,horizon=none)", "star(clusters=4,clip=none,horizon=none)"));
  EXPECT_THAT(expand_estimators("star(phi=one)"), ElementsAre("star(phi=one)"));
}

TEST(EstimatorGrid, RefusesEmptyParts) {
  EXPECT_THROW(expand_estimators("star(clip=1|)"), InvalidArgument);
  EXPECT_THROW(expand_estimators("naive,,is"), InvalidArgument);
}

TEST(EstimatorGrid, FamiliesLeaveOutWhatTheGridVaries) {
  const GridPoint plain = grid_point("star(clusters=32,clip=2)");
  EXPECT_EQ(plain.family, "star");
  EXPECT_EQ(plain.clusters, "32");
  EXPECT_EQ(plain.clip, "2");
  EXPECT_EQ(grid_point("star(phi=random,clusters=32,clip=2,horizon=none)").family, "star(phi=random,horizon=none)");
  EXPECT_EQ(grid_point("star(phi=time,clip=2)").family, "star(phi=time,clip=2)");
  EXPECT_TRUE(grid_point("star(phi=time,clip=2)").clusters.empty());
  EXPECT_EQ(grid_point("wpdis").family, "wpdis");
}

TEST(EstimatorGrid, AGridBeyondUseIsRefusedBeforeItIsWrittenOut) {
  std::string many = "1";
  for (int i = 2; i <= 300; ++i) many += "|" + std::to_string(i);
  EXPECT_EQ(expand_estimators("star(clusters=" + many + ",clip=1)").size(), 300U);
  EXPECT_THROW(expand_estimators("star(clusters=" + many + ",clip=" + many + ",seed=" + many + ")"), InvalidArgument);
}

}  // namespace
}  // namespace starope
