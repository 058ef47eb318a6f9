#include "starope/inference/replicate_run.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace starope {
namespace {

TEST(ReplicateRun, KeepsTheOrderAndLeavesOutWhatHasNoValue) {
  for (const int threads : {1, 3}) {
    const Replicates found = run_replicates(
        10, 4, Threads{threads}, [](std::int64_t first, std::int64_t last, std::vector<std::optional<Replicate>>& all) {
          for (std::int64_t b = first; b < last; ++b) {
            all[b] = attempt([&]() -> std::optional<Replicate> {
              if (b == 2) throw DegenerateModel("no value");
              if (b == 5) return Replicate{.value = std::numeric_limits<double>::infinity()};
              return Replicate{.value = static_cast<double>(b), .error = 0.5};
            });
          }
        });
    EXPECT_EQ(found.values, (std::vector<double>{0, 1, 3, 4, 6, 7, 8, 9}));
    EXPECT_EQ(found.errors.size(), 8U);
    EXPECT_EQ(found.failed, 2);
  }
}

}  // namespace
}  // namespace starope
