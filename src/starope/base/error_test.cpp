#include "starope/error.hpp"

#include <gtest/gtest.h>

namespace starope {
namespace {

TEST(DataError, NamesFileRowColumnValueRuleAndRemedy) {
  const DataError error({.code = "bad_probability",
                         .at = {.file = "icu.csv", .row = 14, .episode = "4711", .step = 12, .column = "behavior_prob"},
                         .value = "1.0000002",
                         .rule = "must be in (0, 1]",
                         .remedy = "Normalize the logged probabilities"});
  EXPECT_EQ(error.code(), "bad_probability");
  EXPECT_STREQ(error.what(),
               "icu.csv, row 14, episode 4711, step 12, column 'behavior_prob': '1.0000002' must be in (0, 1]. "
               "Normalize the logged probabilities");
}

TEST(DataError, LeavesOutWhatIsUnknown) {
  const DataError error({.code = "empty_file", .at = {.file = "a.csv"}, .value = {}, .rule = "is empty", .remedy = {}});
  EXPECT_STREQ(error.what(), "a.csv: is empty");
}

TEST(DataError, ShortensLongAndUnprintableValues) {
  std::string value(1001, 'a');
  value.back() = '\n';
  const DataError error({.code = "x", .at = {}, .value = value, .rule = "is no number", .remedy = {}});
  EXPECT_LT(std::string(error.what()).size(), 100u);
  const DataError control({.code = "x", .at = {}, .value = "a\nb", .rule = "is no number", .remedy = {}});
  EXPECT_STREQ(control.what(), "'a?b' is no number");
}

}  // namespace
}  // namespace starope
