#include "starope/base/data_location.hpp"

#include <gtest/gtest.h>

namespace starope {
namespace {

TEST(DataLocation, NamesWhatIsKnownAndLeavesTheRestEmpty) {
  const DataLocation file = in_file("logs.csv", 7);
  EXPECT_EQ(file.file, "logs.csv");
  EXPECT_EQ(file.row, 7);
  EXPECT_TRUE(file.column.empty() && file.episode.empty() && !file.step);
  const DataLocation column = in_column("reward");
  EXPECT_EQ(column.column, "reward");
  EXPECT_TRUE(column.file.empty() && !column.row);
  EXPECT_EQ(in_column("reward", "logs.csv", 2).file, "logs.csv");
}

}  // namespace
}  // namespace starope
