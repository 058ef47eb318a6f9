#include "starope/study/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "starope/error.hpp"
#include "starope/study.hpp"
#include "starope/study/testing.hpp"

namespace starope {
namespace {

TEST(StudyPlan, EveryCellOnceTrialByTrialLargestFirst) {
  const std::vector<StudyCell> cells = plan_study(testing::small_study());
  const std::vector<StudyCell> expected{{0, 20, 0}, {0, 5, 0}, {1, 8, 0},  {0, 20, 1},
                                        {0, 5, 1},  {1, 8, 1}, {0, 20, 2}, {0, 5, 2}};
  EXPECT_EQ(cells, expected);
}

TEST(StudyPlan, ShardsAreAPartitionAndShareEveryCase) {
  StudySpec spec = testing::small_study();
  for (StudyDomain& domain : spec.domains) domain.trials = 9;
  for (const std::int64_t count : {1, 2, 3, 4, 7}) {
    std::multiset<StudyCell> all;
    for (std::int64_t i = 1; i <= count; ++i) {
      std::map<std::pair<std::size_t, std::int64_t>, std::int64_t> of_case;
      for (const StudyCell& cell : plan_study(spec, Shard(i, count))) {
        all.insert(cell);
        ++of_case[{cell.domain, cell.size}];
      }
      for (const auto& [which, trials] : of_case) {
        EXPECT_GE(trials, 9 / count);
        EXPECT_LE(trials, (9 + count - 1) / count);
      }
    }
    const std::vector<StudyCell> whole = plan_study(spec);
    EXPECT_EQ(all, std::multiset<StudyCell>(whole.begin(), whole.end())) << count;
  }
}

TEST(StudyPlan, ShardsAreWrittenAsIOfN) {
  EXPECT_EQ(Shard::parse("2/8"), Shard(2, 8));
  for (const char* text : {"", "2", "2/", "/8", "0/8", "9/8", "a/b", "1/2/3", "-1/2"}) {
    EXPECT_THROW(Shard::parse(text), InvalidArgument) << text;
  }
}

TEST(StudyPlan, SeedsDifferBetweenCellsAndDependOnTheCellOnly) {
  const StudySpec spec = testing::small_study();
  std::set<std::uint64_t> seeds;
  for (const StudyCell& cell : plan_study(spec)) seeds.insert(cell_seed(spec, cell).value);
  EXPECT_EQ(seeds.size(), 8U);

  StudySpec other = spec;  // another order, other sizes and trials beside
  std::swap(other.domains[0], other.domains[1]);
  other.domains[1].sizes = {20, 100};
  other.domains[1].trials = 50;
  EXPECT_EQ(cell_seed(spec, {0, 20, 1}), cell_seed(other, {1, 20, 1}));
  EXPECT_EQ(truth_seed(spec, 0), truth_seed(other, 1));
  EXPECT_NE(truth_seed(spec, 0), truth_seed(spec, 1));
  other.seed = Seed{8};
  EXPECT_NE(cell_seed(spec, {0, 20, 1}), cell_seed(other, {1, 20, 1}));
}

}  // namespace
}  // namespace starope
