#include "starope/arp/episode_weights.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

std::vector<double> all_weights(const WeightRule& rule, std::span<const double> ratios, std::size_t chunk) {
  std::vector<double> all(ratios.size());
  with_weights(rule, ratios, [&](auto& weights) {
    for (std::size_t t = 0; t < all.size(); t += chunk) {
      const std::span<double> part(all.data() + t, std::min(chunk, all.size() - t));
      EXPECT_EQ(weights.next(part, 0), 0);
    }
  });
  return all;
}

TEST(EpisodeWeights, EqualTheDefinitionForEveryClipDiscountAndChunk) {
  const Problem problem =
      testing::random_problem({.episodes = 20, .shortest = 1, .longest = 40, .zero_target = 0.1}, Seed{5});
  for (const Clip clip : {Clip::last(1), Clip::last(2), Clip::last(5), Clip::last(8), Clip::last(11), Clip::none()}) {
    for (const double gamma : {1.0, 0.9}) {
      const WeightRule rule = make_weight_rule(problem, clip, gamma);
      for (std::int64_t i = 0; i < problem.episodes(); ++i) {
        const std::span<const double> ratios = problem.episode(i).ratios;
        for (const std::size_t chunk : {1u, 3u, 64u}) {
          const std::vector<double> weights = all_weights(rule, ratios, chunk);
          for (std::size_t t = 0; t < ratios.size(); ++t) {
            double expected = std::pow(gamma, static_cast<double>(t));
            const auto window = static_cast<std::size_t>(clip.window().value_or(1000));
            for (std::size_t j = t + 1 > window ? t + 1 - window : 0; j <= t; ++j) expected *= ratios[j];
            EXPECT_NEAR(weights[t], expected, 1e-12 * expected);
          }
        }
      }
    }
  }
}

TEST(EpisodeWeights, ModerateAndScaledArithmeticAgree) {
  const Problem problem = testing::random_problem({.episodes = 10, .zero_target = 0.1}, Seed{6});
  for (const Clip clip : {Clip::last(3), Clip::none()}) {
    WeightRule rule = make_weight_rule(problem, clip, 0.95);
    ASSERT_TRUE(rule.moderate);
    WeightRule scaled = rule;
    scaled.moderate = false;
    const std::span<const double> ratios = problem.episode(0).ratios;
    const auto a = all_weights(rule, ratios, 64), b = all_weights(scaled, ratios, 64);
    for (std::size_t t = 0; t < a.size(); ++t) EXPECT_NEAR(a[t], b[t], 1e-14 * a[t]);
  }
}

TEST(EpisodeWeights, ChooseAUnitThatFitsTheLargestWeight) {
  const std::vector<double> ratios(3000, 2.0);
  const WeightRule rule{.clip = Clip::none(), .gamma = 1.0, .moderate = false};
  ScaledWeights weights(rule, ratios);
  std::vector<double> out(3000);
  const std::optional<int> unit = weights.next(out, std::nullopt);
  ASSERT_TRUE(unit);
  EXPECT_NEAR(std::log2(out.back()) + 256.0 * *unit, 3000.0, 1e-9);
  EXPECT_EQ(out[0], 0.0);  // 2^1 is nothing beside 2^3000

  ScaledWeights again(rule, ratios);
  std::vector<double> first(1);
  EXPECT_EQ(again.next(first, 2), 2);  // a unit already in use is kept
  EXPECT_EQ(first[0], std::ldexp(2.0, -512));
}

TEST(EpisodeWeights, ModerateWeightsUseALargerUnitThatIsAlreadyThere) {
  const std::vector<double> ratios{2.0, 3.0};
  ModerateWeights weights({.clip = Clip::last(1), .gamma = 1.0, .moderate = true}, ratios);
  std::vector<double> out(2);
  EXPECT_EQ(weights.next(out, 1), 1);
  EXPECT_EQ(out[1], std::ldexp(3.0, -256));
}

TEST(EpisodeWeights, ZeroWeightsNeedNoUnit) {
  const std::vector<double> ratios{0.0, 3.0};
  ScaledWeights weights({.clip = Clip::none(), .gamma = 1.0, .moderate = false}, ratios);
  std::vector<double> out(2);
  EXPECT_EQ(weights.next(out, std::nullopt), std::nullopt);
  EXPECT_EQ(out, (std::vector<double>{0.0, 0.0}));
}

TEST(WeightRule, UsesPlainArithmeticOnlyWhereNothingCanOverflow) {
  const Problem problem = testing::random_problem({.episodes = 5, .shortest = 2000, .longest = 2000}, Seed{7});
  EXPECT_TRUE(make_weight_rule(problem, Clip::last(3), 1.0).moderate);
  EXPECT_FALSE(make_weight_rule(problem, Clip::none(), 1.0).moderate);
}

}  // namespace
}  // namespace starope
