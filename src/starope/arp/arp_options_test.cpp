#include "starope/arp/arp_options.hpp"

#include <gtest/gtest.h>

namespace starope {
namespace {

TEST(ArpOptions, DefaultsAreThePapersEquations) {
  const ArpOptions options;
  EXPECT_EQ(options.clip, Clip::last(1));
  EXPECT_EQ(options.truncation, TruncationRule::end);
  EXPECT_EQ(options.time, TimeModel::pooled);
  EXPECT_FALSE(options == ArpOptions{.clip = Clip::none()});
}

}  // namespace
}  // namespace starope
