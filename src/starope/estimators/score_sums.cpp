#include "starope/estimators/score_sums.hpp"

namespace starope {

ScoreSums& ScoreSums::operator+=(const ScoreSums& other) {
  expect_same_recipe(recipe, other.recipe);
  scores += other.scores;
  return *this;
}

void ScoreSums::write(ByteWriter& to) const {
  recipe.write(to);
  scores.write(to);
}

ScoreSums ScoreSums::read(ByteReader& from) {
  ScoreSums sums;
  sums.recipe = SumRecipe::read(from);
  sums.scores = ScoreMoments::read(from);
  return sums;
}

}  // namespace starope
