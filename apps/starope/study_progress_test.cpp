#include "study_progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace starope::cli {
namespace {

using ::testing::HasSubstr;

TEST(StudyProgress, DurationsAreReadable) {
  EXPECT_EQ(duration_text(0.2), "1 s");
  EXPECT_EQ(duration_text(59.0), "59 s");
  EXPECT_EQ(duration_text(100.0), "2 min");
  EXPECT_EQ(duration_text(3600.0 * 2 + 61), "2 h 1 min");
}

TEST(StudyProgress, BarFitsAndShowsTheShare) {
  const StudyProgress half{.done = 50, .total = 100, .failures = 1, .seconds_left = 30.0};
  const std::string bar = progress_bar(half, 80);
  EXPECT_LE(bar.size(), 80U);
  EXPECT_EQ(std::count(bar.begin(), bar.end(), '#'), std::count(bar.begin(), bar.end(), '.'));
  EXPECT_THAT(bar, HasSubstr("50 of 100 cells, 30 s left, 1 error"));
  EXPECT_EQ(progress_bar({.note = "true value of x"}, 80), "true value of x");
  EXPECT_EQ(progress_bar(half, 20), progress_sentence(half));
}

TEST(StudyProgress, PlainLinesAreFew) {
  std::ostringstream out, err;
  Streams streams{out, err};
  StudyProgressShower shower(streams);
  for (std::int64_t i = 0; i < 1000; ++i) shower.show({.done = i, .total = 1000});
  EXPECT_EQ(err.str(), "starope: 0 of 1,000 cells\n");
}

}  // namespace
}  // namespace starope::cli
