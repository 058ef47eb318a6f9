#include "starope/base/offences.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace starope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

DataError::Problem problem(std::int64_t row, const char* rule = "is wrong") {
  DataError::Problem problem;
  problem.code = "bad";
  problem.at.file = "logs.csv";
  problem.at.row = row;
  problem.rule = rule;
  problem.remedy = "Mend it";
  return problem;
}

DataError raised(const Offences& offences) {
  try {
    offences.raise();
  } catch (const DataError& error) {
    return error;
  }
  throw std::logic_error("nothing was raised");
}

TEST(Offences, NoneIsNothing) {
  EXPECT_NO_THROW(Offences().raise());
  EXPECT_FALSE(Offences().any());
}

TEST(Offences, OneIsThePlainError) {
  Offences one;
  one.add(7, [] { return problem(7); });
  EXPECT_STREQ(raised(one).what(), "logs.csv, row 7: is wrong. Mend it");
  EXPECT_EQ(raised(one).more(), 0);
}

TEST(Offences, TheFirstTenByRowAndTheNumberOfTheRest) {
  Offences many;
  int described = 0;
  for (std::int64_t row = 100; row > 0; --row) {
    many.add(row, [&, row] {
      ++described;
      return problem(row);
    });
  }
  const DataError error = raised(many);
  EXPECT_EQ(*error.problem().at.row, 1);
  ASSERT_EQ(error.others().size(), 9u);
  EXPECT_EQ(*error.others().back().at.row, 10);
  EXPECT_EQ(error.more(), 90);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("logs.csv, row 1: is wrong. Mend it\n"), HasSubstr("\n  row 10: is wrong"),
                                  HasSubstr("\n  and 90 more rows"), Not(HasSubstr("row 11"))));
  Offences ascending;
  described = 0;
  for (std::int64_t row = 1; row <= 100; ++row) {
    ascending.add(row, [&, row] {
      ++described;
      return problem(row);
    });
  }
  EXPECT_EQ(described, 10);  // the others are only counted
}

TEST(Offences, ARowCountsOnceForWhatWasNoticedFirst) {
  Offences twice;
  twice.add(3, [] { return problem(3, "is text"); });
  twice.add(3, [] { return problem(3, "is negative"); });
  EXPECT_EQ(twice.count(), 1);
  EXPECT_EQ(raised(twice).problem().rule, "is text");
}

TEST(Offences, PartsFollowEachOther) {
  Offences first, second;
  for (std::int64_t row = 0; row < 6; ++row) {
    first.add(row, [row] { return problem(row + 2); });
    second.add(row, [row] { return problem(row + 1000); });  // numbers of another part
  }
  first.append(std::move(second));
  const DataError error = raised(first);
  EXPECT_EQ(*error.others().back().at.row, 1003);
  EXPECT_EQ(error.more(), 2);
  Offences again;
  again.append(error);
  EXPECT_EQ(again.count(), 12);
  EXPECT_STREQ(raised(again).what(), error.what());
}

}  // namespace
}  // namespace starope
