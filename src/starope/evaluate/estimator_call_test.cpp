#include "starope/evaluate/estimator_call.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/error.hpp"

namespace starope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class Ask>
std::string error_of(const Ask& ask) {
  try {
    ask();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no error";
}

TEST(EstimatorCall, TakesANameAndItsOptionsApart) {
  const EstimatorCall call("  dr( q = fqe(iterations=3,folds=2) , folds=5 ) ");
  EXPECT_EQ(call.name(), "dr");
  EXPECT_EQ(call.text(), "dr( q = fqe(iterations=3,folds=2) , folds=5 )");
  EXPECT_EQ(call.get("q"), "fqe(iterations=3,folds=2)");
  EXPECT_EQ(call.whole_number("folds", 2), 5);
  EXPECT_EQ(call.get("seed"), std::nullopt);
}

TEST(EstimatorCall, SplitsAListOutsideParentheses) {
  EXPECT_THAT(split_estimators("a, b(c=1,d=2) ,,e"), ElementsAre("a", "b(c=1,d=2)", "", "e"));
}

TEST(EstimatorCall, NumbersAreWholeAndWithinTheirBounds) {
  const EstimatorCall call("f(a=1e-3,b=-1,c=7x,d=nan)");
  EXPECT_EQ(call.number("a", 0.0), 1e-3);
  EXPECT_THAT(error_of([&] { call.number("b", 0.0); }), HasSubstr("b = '-1' must be a number of at least 0"));
  EXPECT_THAT(error_of([&] { call.whole_number("c", 0); }), HasSubstr("c = '7x' must be a whole number"));
  EXPECT_THAT(error_of([&] { call.number("d", 0.0); }), HasSubstr("d = 'nan'"));
}

TEST(EstimatorCall, ComplaintsRepeatTheCallAndOfferTheNearestName) {
  const EstimatorCall call("f(fold=5)");
  const std::string unknown = error_of([&] { call.allow_only({"folds", "q"}); });
  EXPECT_THAT(unknown, HasSubstr("estimator 'f(fold=5)'"));
  EXPECT_THAT(unknown, HasSubstr("folds"));
  EXPECT_THAT(error_of([&] { call.forbid({"fold"}, "q=FILE"); }), HasSubstr("fold means nothing together with q=FILE"));
  EXPECT_THAT(error_of([] { EstimatorCall("f(a=1,a=2)"); }), HasSubstr("given twice"));
  EXPECT_THAT(error_of([] { EstimatorCall("f(a"); }), HasSubstr("not closed"));
}

TEST(EstimatorCall, NumbersBeyondUseAreRefusedWithTheirBound) {
  const std::vector<OptionSpec> known{OptionSpec::whole("seeds", 1, "5", "").at_most(1000)};
  EstimatorCall("f(seeds=1000)").check(known);
  EXPECT_THAT(error_of([&] { EstimatorCall("f(seeds=100000)").check(known); }),
              HasSubstr("seeds = 100,000 is more than 1,000"));
}

}  // namespace
}  // namespace starope
