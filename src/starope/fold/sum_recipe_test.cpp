#include "starope/fold/sum_recipe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/error.hpp"

namespace starope {
namespace {

const SumRecipe of_wis{.of = "wis",
                       .question = {.discount = Discount{0.9}, .horizon = Horizon{7}, .hide_beyond_horizon = true},
                       .model = {.high = 1, .low = 2}};

TEST(SumRecipe, ComesBackFromItsBytes) {
  for (const SumRecipe& given : {of_wis, SumRecipe{}}) {
    ByteWriter to;
    given.write(to);
    ByteReader from(to.bytes(), "test");
    EXPECT_EQ(SumRecipe::read(from), given);
    from.finish();
  }
}

TEST(SumRecipe, RefusesADiscountThatIsNone) {
  ByteWriter to;
  to.number(1.5);
  ByteReader from(to.bytes(), "test");
  EXPECT_THROW(read_question(from), DataError);
}

TEST(SumRecipe, SaysWhyStrangersAreNotMerged) {
  EXPECT_NO_THROW(expect_same_recipe(of_wis, of_wis));
  for (int field = 0; field < 5; ++field) {
    SumRecipe other = of_wis;
    if (field == 0) other.of = "pdis";
    if (field == 1) other.question.discount = Discount{0.5};
    if (field == 2) other.question.horizon.reset();
    if (field == 3) other.question.hide_beyond_horizon = false;
    if (field == 4) other.model = {};
    EXPECT_NE(other.text(), of_wis.text()) << field;
    try {
      expect_same_recipe(of_wis, other);
      FAIL() << field;
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(of_wis.text()));
      EXPECT_THAT(error.what(), ::testing::HasSubstr(other.text()));
    }
  }
}

}  // namespace
}  // namespace starope
