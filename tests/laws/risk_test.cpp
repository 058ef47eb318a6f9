// Distributions of returns against exact ones: on a small MDP with whole rewards the probability of every return is a
// finite sum, made backwards step by step.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "starope/domains.hpp"
#include "starope/domains/random_mdp.hpp"
#include "starope/problem.hpp"
#include "starope/risk.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

using domains::exact_value, domains::MdpDescription, domains::simulate, domains::TabularMdp, domains::TabularPolicy;

constexpr std::int32_t live = 4, actions = 2;
constexpr std::int64_t horizon = 6;

using Returns = std::map<int, double>;  // the probability of each

// Rewards from -2 to 2; some pairs can end the episode.
TabularMdp small_mdp(Seed seed) {
  MdpDescription mdp = MdpDescription::with_own_rows(live + 1, actions);
  Random random(seed, Stream::test_data, 0);
  mdp.terminal.assign(live + 1, false);
  mdp.terminal[live] = true;
  mdp.start = {0.5, 0.3, 0.2, 0.0, 0.0};
  for (std::int32_t s = 0; s < live; ++s) {
    for (std::int32_t a = 0; a < actions; ++a) {
      const double first = 0.2 + 0.5 * random.uniform(), end = 0.05 + 0.1 * random.uniform();
      const auto place = [&] { return static_cast<std::int32_t>(random.below(live)); };
      const auto reward = [&] { return static_cast<double>(random.below(5)) - 2.0; };
      mdp.outcomes(s, a) = {{.next = place(), .probability = first, .reward = reward()},
                            {.next = place(), .probability = 1.0 - first - end, .reward = reward()},
                            {.next = live, .probability = end, .reward = reward()}};
    }
  }
  return TabularMdp(mdp);
}

Returns exact_returns(const TabularMdp& mdp, const TabularPolicy& policy) {
  std::vector<Returns> to_go(live + 1, Returns{{0, 1.0}});
  for (std::int64_t left = 0; left < horizon; ++left) {
    std::vector<Returns> longer(live + 1);
    longer[live] = {{0, 1.0}};
    for (std::int32_t s = 0; s < live; ++s) {
      for (std::int32_t a = 0; a < actions; ++a) {
        const TabularMdp::Row row = mdp.row(s, a);
        for (std::size_t k = 0; k < row.next.size(); ++k) {
          const double here = policy.probability(s, a) * row.probability[k];
          for (const auto& [later, p] : to_go[static_cast<std::size_t>(row.next[k])])
            longer[static_cast<std::size_t>(s)][static_cast<int>(row.reward[k]) + later] += here * p;
        }
      }
    }
    to_go = std::move(longer);
  }
  Returns all;
  for (std::int32_t s = 0; s < live; ++s) {
    for (const auto& [value, p] : to_go[static_cast<std::size_t>(s)])
      all[value] += mdp.start()[static_cast<std::size_t>(s)] * p;
  }
  return all;
}

double exact_below(const Returns& returns, double x) {
  double sum = 0.0;
  for (const auto& [value, p] : returns) sum += value < x ? p : 0.0;
  return sum;
}

double exact_cvar(const Returns& returns, double share) {
  double left = share, sum = 0.0;
  for (const auto& [value, p] : returns) {
    sum += std::min(p, left) * value;
    left -= std::min(p, left);
  }
  return sum / share;
}

double exact_mean(const Returns& returns) {
  double sum = 0.0;
  for (const auto& [value, p] : returns) sum += p * value;
  return sum;
}

TEST(RiskLaws, ExactReturnsHaveTheExactValue) {
  const TabularMdp mdp = small_mdp(Seed{1});
  const TabularPolicy target = domains::random_policy(live, actions, {.sharpness = 0.8, .seed = Seed{1}, .index = 1});
  const Returns returns = exact_returns(mdp, target);
  EXPECT_NEAR(exact_mean(returns), exact_value(mdp, target, Discount{1.0}, Horizon{horizon}), 1e-12);
  EXPECT_NEAR(exact_below(returns, 1e9), 1.0, 1e-12);
  EXPECT_NEAR(exact_cvar(returns, 1.0), exact_mean(returns), 1e-12);
}

TEST(RiskLaws, QuantilesTailMeansAndProbabilitiesAreThoseOfTheTargetPolicy) {
  int apart = 0;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const TabularMdp mdp = small_mdp(Seed{seed});
    const auto policy = [&](std::uint32_t index) {
      return domains::random_policy(live, actions, {.sharpness = 0.8, .seed = Seed{seed}, .index = index});
    };
    const TabularPolicy behavior = policy(0), target = policy(1);
    const Returns exact = exact_returns(mdp, target), logged = exact_returns(mdp, behavior);
    const Dataset logs =
        simulate(mdp, behavior, target,
                 {.episodes = 20'000, .horizon = Horizon{horizon}, .seed = Seed{seed}, .threads = Threads{1}});
    const RiskQuestion question{.quantiles = {0.05, 0.5, 0.9}, .cvar = {0.05, 0.25, 1.0}, .below = {-2.0, 0.0, 3.0}};
    const auto all = return_distributions(make_problem(logs, {.horizon = Horizon{horizon}}), question,
                                          {.level = std::nullopt, .seed = Seed{seed}, .threads = Threads{1}});
    ASSERT_EQ(all.size(), 4U);
    for (const ReturnDistribution& found : all) {
      const Returns& truth = found.method == "logged" ? logged : exact;
      // Five standard errors of a share: of effective episodes, or of 4,000 rollouts.
      const double ess = found.method == "arp" ? 4000.0 : found.ess.value_or(20'000.0);
      const double off = 2.5 / std::sqrt(ess);
      ASSERT_LT(off, 0.06) << found.method;
      for (std::size_t i = 0; i < found.points.size(); ++i)
        EXPECT_NEAR(found.cdf[i], exact_below(truth, found.points[i] + 0.5), off) << found.method << found.points[i];
      for (const RiskNumber& number : found.quantiles) {
        EXPECT_LE(exact_below(truth, number.value), number.at + off) << found.method << number.at;
        EXPECT_GE(exact_below(truth, number.value + 0.5), number.at - off) << found.method << number.at;
      }
      const double width = static_cast<double>(truth.rbegin()->first - truth.begin()->first);
      for (const RiskNumber& number : found.cvar)
        EXPECT_NEAR(number.value, exact_cvar(truth, number.at), 0.5 * off * width / std::sqrt(number.at))
            << found.method << number.at;
      for (const RiskNumber& number : found.below)
        EXPECT_NEAR(number.value, exact_below(truth, number.at), off) << found.method << number.at;
    }
    apart += std::abs(exact_mean(exact) - exact_mean(logged)) > 0.2 ? 1 : 0;
  }
  EXPECT_GE(apart, 2);  // the policies differ, so that an answer about the wrong one would be seen
}

}  // namespace
}  // namespace starope
