// Statistics are values: the same laws for every one of them. Their bytes are all of them, damaged or foreign bytes are
// refused, sums of parts are the sums of the whole, and an episode that counts k times is k episodes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "starope/arp/arp_statistic.hpp"
#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"
#include "starope/estimators/effective_size.hpp"
#include "starope/estimators/importance_sums.hpp"
#include "starope/fold/fold.hpp"
#include "starope/phi.hpp"

namespace starope {
namespace {

std::vector<double> numbers_of(const ScoreSums& s) {
  return {s.scores.plain().times(), s.scores.plain().mean(), s.scores.plain().variance(), s.scores.effective_scores()};
}
std::vector<double> numbers_of(const WisSums& s) {
  return {s.episodes, s.weighted_return.to_double(), s.weight.to_double()};
}
std::vector<double> numbers_of(const WpdisSums& s) {
  std::vector<double> numbers{s.episodes};
  for (const auto* sums : {&s.reward, &s.weight, &s.ended}) {
    for (const ScaledSum& sum : *sums) numbers.push_back(sum.to_double());
  }
  return numbers;
}
std::vector<double> numbers_of(const WeightSums& s) {
  const double unit = std::ldexp(1.0, 256 * s.unit.value_or(0));
  return {s.sum * unit, s.squares * unit * unit};
}
std::vector<double> numbers_of(const ArpStatistic& s) {
  std::vector<double> numbers{s.episodes};
  for (const auto* sums : {&s.start, &s.reward, &s.exit, &s.cut})
    numbers.insert(numbers.end(), sums->begin(), sums->end());
  const SparseRows moves = s.move.rows();
  numbers.insert(numbers.end(), moves.value.begin(), moves.value.end());
  return numbers;
}

// Relative to the number, or to one where terms of that size cancel.
template <class Statistic>
void expect_close(const Statistic& actual, const Statistic& expected, const char* what) {
  const std::vector<double> a = numbers_of(actual), b = numbers_of(expected);
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_NEAR(a[i], b[i], 1e-12 * (1.0 + std::abs(b[i]))) << what << ' ' << i;
}

// Laws of the recipe that `make(problem)` gives for a problem.
template <class Make>
void expect_laws(const Make& make) {
  const Problem problem = testing::random_problem(
      {.episodes = 80, .longest = 12, .zero_target = 0.05, .truncated = 0.3, .final_states = 0.5}, Seed{5},
      {.discount = Discount{0.9}, .horizon = Horizon{9}});
  const auto op = make(problem);
  static_assert(RepeatingFold<decltype(op)>);
  using Statistic = typename decltype(op)::Statistic;
  const Statistic whole = fold(op, problem);

  for (const Statistic& given : {whole, op.identity()}) {
    const Bytes bytes = given.to_bytes();
    EXPECT_EQ(Statistic::from_bytes(bytes), given);
    EXPECT_EQ(Statistic::from_bytes(bytes).to_bytes(), bytes);
    for (std::size_t i = 0; i < bytes.size(); i += 1 + bytes.size() / 300) {
      Bytes bad = bytes;
      bad[i] ^= static_cast<std::byte>(1U << (i % 8));
      EXPECT_THROW(Statistic::from_bytes(bad), DataError) << i;
      EXPECT_THROW(Statistic::from_bytes(std::span(bytes).first(i)), DataError) << i;
    }
  }
  // The right envelope around nothing, and around something cut off.
  ByteWriter content;
  whole.write(content);
  for (const std::size_t kept : {std::size_t{0}, std::size_t{40}, content.bytes().size() - 1}) {
    const auto part = std::span(content.bytes()).first(kept);
    EXPECT_THROW(Statistic::from_bytes(seal(Statistic::kind, Statistic::version, part)), DataError) << kept;
  }

  for (const std::int64_t split : {0, 1, 40, 79, 80}) {
    Statistic left = op.identity(), right = op.identity();
    for (std::int64_t i = 0; i < problem.episodes(); ++i) op.add(i < split ? left : right, problem.episode(i));
    Statistic backwards = Statistic::from_bytes(right.to_bytes());  // as it comes from elsewhere
    backwards += Statistic::from_bytes(left.to_bytes());
    left += right;
    expect_close(left, whole, "split");
    expect_close(backwards, whole, "split, the other way round");
  }

  Statistic weighted = op.identity(), repeated = op.identity();
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const std::int64_t times = 1 + i % 3;
    op.add(weighted, problem.episode(i), static_cast<double>(times));
    for (std::int64_t k = 0; k < times; ++k) op.add(repeated, problem.episode(i));
  }
  expect_close(weighted, repeated, "weight");

  // A shorter horizon is another question, whatever else is the same.
  const Problem shorter = problem.with_horizon(Horizon{4});
  Statistic mine = whole;
  EXPECT_THROW(mine += fold(make(shorter), shorter), InvalidArgument);
  EXPECT_EQ(mine, whole);
  EXPECT_NE(fold(make(shorter), shorter), whole);
}

TEST(StatisticLaws, HoldForTheScoresOfMeans) {
  for (const ReturnWeight weight : {ReturnWeight::none, ReturnWeight::whole, ReturnWeight::per_decision}) {
    expect_laws([&](const Problem& problem) { return make_return_fold(weight, problem.options()); });
  }
}

TEST(StatisticLaws, HoldForWis) {
  expect_laws([](const Problem& problem) { return WisFold{problem.options()}; });
}

TEST(StatisticLaws, HoldForWpdis) {
  expect_laws([](const Problem& problem) { return WpdisFold{problem.options()}; });
}

// What sums say of their episodes is a fold again: the recipe knows which sums.
TEST(StatisticLaws, HoldForInfluence) {
  expect_laws([](const Problem& problem) {
    const WpdisSums sums = fold(WpdisFold{problem.options()}, problem);
    const auto influence = [finished = WpdisValue(sums)](const LoggedEpisode& e) { return finished.influence(e); };
    return ScoreFold<decltype(influence)>{
        .recipe = {.of = "influence on wpdis", .question = problem.options(), .model = fingerprint_of(sums.to_bytes())},
        .score = influence};
  });
}

TEST(StatisticLaws, HoldForWeights) {
  for (const Clip clip : {Clip::last(2), Clip::none()}) {
    expect_laws([&](const Problem& problem) {
      return WeightFold{.rule = make_weight_rule(problem, clip, 1.0), .question = problem.options()};
    });
  }
}

TEST(StatisticLaws, HoldForAbstractRewardProcesses) {
  for (const TimeModel time : {TimeModel::pooled, TimeModel::indexed}) {
    Labels labels;  // outlives the recipes
    expect_laws([&](const Problem& problem) {
      if (labels.of_row.empty()) labels = fit_abstraction(Clusters{.clusters = 5}, problem).labels;
      return ArpFold(labels, problem, {.clip = Clip::last(2), .truncation = TruncationRule::censor, .time = time});
    });
  }
}

// One kind of sums is no other, although the recipe may read alike.
TEST(StatisticLaws, OneKindIsNoOther) {
  const Problem problem = testing::random_problem({.episodes = 5}, Seed{1});
  const Bytes wis = fold(WisFold{problem.options()}, problem).to_bytes();
  try {
    WpdisSums::from_bytes(wis);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.code(), "bad_bytes");
    EXPECT_THAT(error.what(), ::testing::HasSubstr("they are a wis statistic"));
  }
  ScoreSums is = fold(make_return_fold(ReturnWeight::whole, problem.options()), problem);
  EXPECT_THROW(is += fold(make_return_fold(ReturnWeight::per_decision, problem.options()), problem), InvalidArgument);
}

}  // namespace
}  // namespace starope
