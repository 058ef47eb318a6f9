#include "interrupt.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace starope::cli {
namespace {

TEST(Interrupt, TheFirstSignalIsARequest) {
  {
    const Interrupt interrupt;
    EXPECT_FALSE(Interrupt::requested());
    std::raise(SIGINT);
    EXPECT_TRUE(Interrupt::requested());
  }
  const Interrupt another;
  EXPECT_FALSE(Interrupt::requested());
  std::raise(SIGTERM);
  EXPECT_TRUE(Interrupt::requested());
}

TEST(InterruptDeathTest, TheSecondEnds) {
  EXPECT_EXIT(
      {
        const Interrupt interrupt;
        std::raise(SIGINT);
        std::raise(SIGINT);
      },
      ::testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace starope::cli
