#include "starope/inference/refit_replicates.hpp"

#include <gtest/gtest.h>

#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"
#include "starope/inference/replicate_counts.hpp"

namespace starope {
namespace {

TEST(RefitReplicates, SeeEveryEpisodeAsOftenAsItCounts) {
  const Problem problem = testing::random_problem({.episodes = 8, .shortest = 3, .longest = 3}, Seed{1});
  const Replicates found =
      refit_replicates([](const Problem& resample) { return Estimate{.value = static_cast<double>(resample.steps())}; },
                       problem, {.replicates = 20, .seed = Seed{6}, .threads = Threads{1}});
  const ReplicateCounts counts(problem.data(), Seed{6});
  ASSERT_EQ(found.values.size(), 20U);
  for (std::int64_t b = 0; b < 20; ++b) {
    double steps = 0.0;
    for (const double k : counts.of_replicate(b)) steps += 3.0 * k;
    EXPECT_EQ(found.values[b], steps);
  }
}

TEST(RefitReplicates, CountThoseWithoutAnAnswer) {
  const Problem problem = testing::random_problem({.episodes = 8}, Seed{1});
  int calls = 0;
  const Replicates found = refit_replicates(
      [&](const Problem&) -> Estimate {
        if (++calls % 4 == 0) throw DegenerateModel("no value");
        return {.value = 1.0};
      },
      problem, {.replicates = 40, .threads = Threads{1}});
  EXPECT_EQ(found.failed, 10);
  EXPECT_EQ(found.values.size(), 30U);
}

// What is too much in one of them is too much in all: nobody waits for the others to say so, too.
TEST(RefitReplicates, StopWhereTheWorkIsTooMuch) {
  const Problem problem = testing::random_problem({.episodes = 8}, Seed{1});
  int calls = 0;
  const auto refuses = [&](const Problem&) -> Estimate {
    ++calls;
    throw TooMuchWork("a horizon of 10^12 steps");
  };
  EXPECT_THROW(refit_replicates(refuses, problem, {.replicates = 40, .threads = Threads{1}}), TooMuchWork);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace starope
