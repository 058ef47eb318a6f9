#include "starope/parallel/ordered_merge.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace starope {
namespace {

TEST(OrderedMerge, AbsorbsInOrderHoweverLongTheParts) {
  for (const int threads : {1, 2, 5}) {
    std::vector<std::int64_t> seen;
    ordered_merge(
        200, Threads{threads},
        [](std::int64_t i) {
          if (i % 7 == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
          return i;
        },
        [&](std::int64_t i) { seen.push_back(i); });
    ASSERT_EQ(seen.size(), 200u);
    for (std::int64_t i = 0; i < 200; ++i) EXPECT_EQ(seen[i], i);
  }
}

TEST(OrderedMerge, KeepsFewPartsWaiting) {
  std::atomic<std::int64_t> made{0};
  std::int64_t absorbed = 0, most = 0;
  ordered_merge(
      300, Threads{3},
      [&](std::int64_t i) {
        if (i == 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
        ++made;
        return i;
      },
      [&](std::int64_t) {
        most = std::max(most, made - absorbed);
        ++absorbed;
      });
  EXPECT_EQ(absorbed, 300);
  EXPECT_LE(most, 3 * 3 + 1);  // the window of 6, and what three threads hold in their hands
}

TEST(OrderedMerge, APartThatThrowsEndsTheWorkWithItsError) {
  for (const int threads : {1, 2, 6}) {
    EXPECT_THROW(ordered_merge(
                     1000, Threads{threads},
                     [](std::int64_t i) {
                       if (i == 20) throw std::runtime_error("part 20");
                       return i;
                     },
                     [](std::int64_t) {}),
                 std::runtime_error);
  }
}

TEST(OrderedMerge, AMergeThatThrowsEndsTheWorkWithItsError) {
  for (const int threads : {1, 2, 6}) {
    EXPECT_THROW(ordered_merge(
                     1000, Threads{threads}, [](std::int64_t i) { return i; },
                     [](std::int64_t i) {
                       if (i == 20) throw std::runtime_error("merge 20");
                     }),
                 std::runtime_error);
  }
}

}  // namespace
}  // namespace starope
