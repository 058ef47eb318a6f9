#include "starope/fold/passes.hpp"

#include <gtest/gtest.h>

#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

struct ReturnSum {
  struct Statistic {
    double sum = 0.0;
    Statistic& operator+=(const Statistic& other) {
      sum += other.sum;
      return *this;
    }
  };
  Statistic identity() const { return {}; }
  void add(Statistic& total, const LoggedEpisode& episode) const {
    for (const double r : episode.rewards) total.sum += r / 3.0;
  }
};

TEST(Passes, SeeTheSameInMemoryAndInBlocks) {
  const Problem problem = testing::random_problem({.episodes = 300}, Seed{1}, {.horizon = Horizon{5}});
  const LogsInMemory memory{problem, Threads{2}};
  std::vector<double> expected;
  const auto last_ratio = [](const LoggedEpisode& episode) { return episode.ratios.back(); };
  memory.each(last_ratio, [&](double x) { expected.push_back(x); });
  ASSERT_EQ(expected.size(), 300u);
  for (const int threads : {1, 4}) {
    const Source source = dataset_source(problem.data());
    const LogsInBlocks blocks{source, problem.options(), Threads{threads}};
    EXPECT_EQ(blocks.sum(ReturnSum{}).sum, memory.sum(ReturnSum{}).sum);
    const Source fine = dataset_source(problem.data(), 40);  // many blocks: still in order
    const LogsInBlocks small{fine, problem.options(), Threads{threads}};
    std::vector<double> found;
    small.each(last_ratio, [&](double x) { found.push_back(x); });
    EXPECT_EQ(found, expected);
    EXPECT_NEAR(small.sum(ReturnSum{}).sum, memory.sum(ReturnSum{}).sum, 1e-9);
  }
}

}  // namespace
}  // namespace starope
