#include "starope/estimators/importance_sums.hpp"

#include <gtest/gtest.h>

#include "starope/error.hpp"

namespace starope {
namespace {

const ProblemOptions question{.discount = Discount{0.5}};

// Episode A: ratios 2, 3, rewards 1, 10. Episode B: ratio 4, reward 5. Discount 1/2.
struct HandCase {
  std::vector<double> ratios_a{2, 3}, rewards_a{1, 10}, ratios_b{4}, rewards_b{5};
  LoggedEpisode a() const { return {.rewards = rewards_a, .ratios = ratios_a}; }
  LoggedEpisode b() const { return {.rewards = rewards_b, .ratios = ratios_b}; }
};

template <class Fold>
typename Fold::Statistic sums_of(const Fold& fold, double times_a, double times_b) {
  const HandCase c;
  auto total = fold.identity();
  fold.add(total, c.a(), times_a);
  fold.add(total, c.b(), times_b);
  return total;
}

TEST(ReturnScore, HandComputedScores) {
  const HandCase c;
  EXPECT_EQ(make_return_fold(ReturnWeight::none, question).score(c.a()), 6.0);
  EXPECT_EQ(make_return_fold(ReturnWeight::whole, question).score(c.a()), 36.0);
  EXPECT_EQ(make_return_fold(ReturnWeight::per_decision, question).score(c.a()), 2 * 1 + 0.5 * 6 * 10);
}

TEST(ReturnScore, AWeightIsARepetition) {
  const ScoreSums sums = sums_of(make_return_fold(ReturnWeight::none, question), 3.0, 1.0);  // 6, 6, 6, 5
  EXPECT_EQ(sums.scores.plain().count(), 4);
  EXPECT_DOUBLE_EQ(sums.scores.plain().mean(), 23.0 / 4);
  EXPECT_DOUBLE_EQ(sums.scores.plain().variance(), 0.25);
}

TEST(WisSums, HandComputedValueWithMultiplicities) {
  const WisSums sums = sums_of(WisFold{question}, 3.0, 1.0);
  EXPECT_EQ(sums.episodes, 4.0);
  EXPECT_EQ(sums.weight.to_double(), 3 * 6 + 4);
  EXPECT_DOUBLE_EQ(WisValue(sums).value(), (3 * 6 * 6.0 + 4 * 5.0) / 22);
  EXPECT_THROW(WisValue(WisFold{question}.identity()), DegenerateModel);
}

TEST(WpdisSums, HandComputedValueWithMultiplicities) {
  const WpdisSums sums = sums_of(WpdisFold{question}, 3.0, 1.0);
  EXPECT_EQ(sums.episodes, 4.0);
  const WpdisValue finished(sums);
  EXPECT_DOUBLE_EQ(finished.value(), (3 * 2 * 1 + 4 * 5.0) / (3 * 2 + 4) + 0.5 * 3 * 60.0 / (3 * 6 + 4));
  EXPECT_FALSE(finished.unsupported_from().has_value());
  EXPECT_THROW(WpdisValue(WpdisFold{question}.identity()), DegenerateModel);
}

// Sums of episodes of other lengths: the longer side decides, whichever it is.
TEST(WpdisSums, GrowAsTheyMerge) {
  const HandCase c;
  const WpdisFold fold{question};
  WpdisSums one = fold.identity(), other = fold.identity();
  fold.add(one, c.b());
  fold.add(other, c.a());
  const WpdisSums together = sums_of(fold, 1.0, 1.0);
  EXPECT_EQ(WpdisSums(one) += other, together);
  EXPECT_EQ(WpdisSums(other) += one, together);
}

}  // namespace
}  // namespace starope
