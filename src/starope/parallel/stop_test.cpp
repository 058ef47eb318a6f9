#include "starope/parallel/stop.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "starope/parallel/ordered_merge.hpp"
#include "starope/parallel/parallel_for.hpp"

namespace starope {
namespace {

TEST(Stop, WithoutAScopeNothingStops) {
  EXPECT_NO_THROW(stop_if_asked());
  EXPECT_EQ(current_stop(), nullptr);
}

TEST(Stop, EndsAParallelLoopOnAnyNumberOfThreads) {
  for (const int threads : {1, 2, 7}) {
    std::atomic<int> calls{0};
    const std::function<bool()> after_ten = [&] { return calls >= 10; };
    const StopScope scope(after_ten);
    const auto loop = [&] { parallel_for(100'000, Threads{threads}, [&](std::int64_t) { ++calls; }); };
    EXPECT_THROW(loop(), Stopped);
    EXPECT_GE(calls, 10);
    EXPECT_LT(calls, 10 + threads);  // each thread looks before it begins an item
  }
}

TEST(Stop, ReachesLoopsInsideLoops) {
  std::atomic<int> calls{0};
  const std::function<bool()> after_ten = [&] { return calls >= 10; };
  const StopScope scope(after_ten);
  const auto inner = [&](std::int64_t) { parallel_for(100'000, Threads{2}, [&](std::int64_t) { ++calls; }); };
  EXPECT_THROW(parallel_for(2, Threads{2}, inner), Stopped);
  EXPECT_LT(calls, 14);
}

TEST(Stop, EndsAnOrderedMergeWithoutWaitingForever) {
  std::atomic<int> absorbed{0};
  const std::function<bool()> after_five = [&] { return absorbed >= 5; };
  const StopScope scope(after_five);
  const auto merge = [&] {
    ordered_merge(
        100'000, Threads{4}, [](std::int64_t i) { return i; }, [&](std::int64_t) { ++absorbed; });
  };
  EXPECT_THROW(merge(), Stopped);
}

TEST(Stop, TheOuterScopeIsBackAfterTheInner) {
  const std::function<bool()> never = [] { return false; }, always = [] { return true; };
  const StopScope outer(never);
  {
    const StopScope inner(always);
    EXPECT_THROW(stop_if_asked(), Stopped);
  }
  EXPECT_NO_THROW(stop_if_asked());
}

TEST(Stop, AnEmptyFunctionLeavesTheOuterScopeInForce) {
  const std::function<bool()> always = [] { return true; };
  const StopScope outer(always);
  const StopScope inner({});
  EXPECT_THROW(stop_if_asked(), Stopped);
}

}  // namespace
}  // namespace starope
