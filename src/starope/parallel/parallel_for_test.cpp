#include "starope/parallel/parallel_for.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace starope {
namespace {

TEST(ParallelFor, CallsEveryIndexExactlyOnce) {
  for (const int threads : {1, 2, 7}) {
    std::vector<std::atomic<int>> calls(1000);
    parallel_for(1000, Threads{threads}, [&](std::int64_t i) { ++calls[i]; });
    for (const auto& c : calls) EXPECT_EQ(c, 1);
  }
}

TEST(ParallelFor, ReallyUsesSeveralThreads) {
  // The barrier opens only when three threads stand at it: with fewer this test would hang, not pass.
  std::barrier all_here(3);
  std::mutex mutex;
  std::set<std::thread::id> who;
  parallel_for(3, Threads{3}, [&](std::int64_t) {
    all_here.arrive_and_wait();
    const std::scoped_lock lock(mutex);
    who.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(who.size(), 3u);
}

TEST(ParallelFor, RethrowsTheExceptionOfTheSmallestIndex) {
  for (const int threads : {1, 2, 8}) {
    for (int repetition = 0; repetition < 20; ++repetition) {
      try {
        parallel_for(500, Threads{threads}, [](std::int64_t i) {
          if (i >= 37) throw std::runtime_error(std::to_string(i));
        });
        FAIL() << "no exception";
      } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "37");
      }
    }
  }
}

TEST(ParallelFor, NothingToDoIsNoError) {
  parallel_for(0, Threads{4}, [](std::int64_t) { FAIL(); });
}

}  // namespace
}  // namespace starope
