#include "starope/qfunction/distinct_rows.hpp"

#include <gtest/gtest.h>

#include <map>

#include "starope/rng/random.hpp"

namespace starope {
namespace {

TEST(DistinctRows, EqualRowsHaveOneIdInOrderOfAppearance) {
  DistinctRows rows(2);
  std::map<std::vector<double>, std::size_t> expected;
  Random random(Seed{1}, Stream::test_data, 0);
  for (int i = 0; i < 2000; ++i) {
    const std::vector<double> row{static_cast<double>(random.below(30)) / 7, static_cast<double>(random.below(20)) / 3};
    const std::size_t id = expected.emplace(row, expected.size()).first->second;
    ASSERT_EQ(rows.id_of(row), id);
    ASSERT_TRUE(std::equal(row.begin(), row.end(), rows.row(id).begin()));
  }
  EXPECT_EQ(rows.count(), expected.size());
  EXPECT_GT(rows.count(), 500U);
}

}  // namespace
}  // namespace starope
