#include "starope/domains/tabular_mdp.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "starope/error.hpp"
#include "starope/rng/random.hpp"
#include "starope/stats/moments.hpp"

namespace starope::domains {
namespace {

using ::testing::HasSubstr;

static_assert(SymbolDomain<TabularMdp>);

// 0 -> 1 or end, 1 -> 0 or 1; state 2 is terminal. Both actions of state 1 share a row.
MdpDescription small() {
  MdpDescription d;
  d.states = 3;
  d.actions = 2;
  d.rows = {{{1, 0.5, 1.0}, {2, 0.5, 2.0}}, {{2, 1.0, 3.0}}, {{0, 0.25, -1.0}, {1, 0.75, 0.0}}};
  d.row_of = {0, 1, 2, 2, -7, -7};
  d.terminal = {false, false, true};
  d.start = {0.75, 0.25, 0.0};
  return d;
}

std::string error_of(const std::function<void(MdpDescription&)>& spoil) {
  MdpDescription d = small();
  spoil(d);
  try {
    const TabularMdp mdp(d);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no error";
}

TEST(TabularMdp, LooksUpSharedRows) {
  const TabularMdp mdp(small());
  EXPECT_EQ(mdp.states(), 3);
  EXPECT_EQ(mdp.symbols(), 2);  // the terminal state shows none
  EXPECT_EQ(mdp.distinct_rows(), 3);
  EXPECT_EQ(mdp.row(1, 0).next.data(), mdp.row(1, 1).next.data());
  EXPECT_EQ(mdp.row(0, 1).reward[0], 3.0);
  EXPECT_TRUE(mdp.is_terminal(2));
  EXPECT_FALSE(mdp.is_terminal(1));
}

TEST(TabularMdp, InvertsCumulativeProbabilities) {
  const TabularMdp mdp(small());
  EXPECT_EQ(mdp.start_at(0.0), 0);
  EXPECT_EQ(mdp.start_at(0.7499), 0);
  EXPECT_EQ(mdp.start_at(0.75), 1);
  EXPECT_EQ(mdp.start_at(std::nextafter(1.0, 0.0)), 1);  // never the terminal state of probability 0
  EXPECT_EQ(mdp.outcome_at(0, 0, 0.49), (Outcome{1, 0.5, 1.0}));
  EXPECT_EQ(mdp.outcome_at(0, 0, 0.5), (Outcome{2, 0.5, 2.0}));
  EXPECT_EQ(mdp.outcome_at(1, 1, 0.3), (Outcome{1, 0.75, 0.0}));
}

TEST(TabularMdp, FindsTheSameEntryAsABinarySearch) {
  // One row with entries of very different size, zeros among them.
  MdpDescription d = MdpDescription::with_own_rows(41, 1);
  Random random(Seed{3}, Stream::test_data, 0);
  double sum = 0.0;
  for (std::int32_t s = 0; s < 40; ++s) {
    const double p = s % 7 == 3 ? 0.0 : std::pow(random.uniform(), 6.0);
    sum += p;
    for (std::int32_t from = 0; from < 40; ++from) d.outcomes(from, 0).push_back({s, p, 0.0});
  }
  for (std::int32_t from = 0; from < 40; ++from)
    for (Outcome& o : d.outcomes(from, 0)) o.probability /= sum;
  d.terminal[40] = true;
  d.start[0] = 1.0;
  const TabularMdp mdp(d);
  const auto cumulative = mdp.row(5, 0).cumulative;
  const auto expect = [&](double u) {
    const auto found = std::upper_bound(cumulative.begin(), cumulative.end(), u) - cumulative.begin();
    ASSERT_EQ(mdp.outcome_at(5, 0, u).next, static_cast<std::int32_t>(found)) << u;
  };
  for (int i = 0; i < 5000; ++i) expect(random.uniform());
  for (const double c : cumulative) {  // at and beside every step
    for (const double u : {std::nextafter(c, 0.0), c, std::nextafter(c, 1.0)})
      if (u < 1.0) expect(u);
  }
  for (int k = 0; k < 40; ++k) {  // at and beside every interval of the guide
    for (const double u : {std::nextafter(k / 40.0, 0.0), k / 40.0, std::nextafter(k / 40.0, 1.0)}) expect(u);
  }
}

TEST(TabularMdp, ARowMayEnterAStateWithSeveralRewards) {
  MdpDescription d = small();
  d.rows[1] = {{2, 0.5, 10.0}, {2, 0.5, 20.0}};
  const TabularMdp mdp(d);
  EXPECT_EQ(mdp.outcome_at(0, 1, 0.2).reward, 10.0);
  EXPECT_EQ(mdp.outcome_at(0, 1, 0.8).reward, 20.0);
}

TEST(TabularMdp, StepsAndTellsTheEnd) {
  const TabularMdp mdp(small());
  Random random(Seed{1}, Stream::test_data, 0);
  TabularMdp::State state = 0;
  const Transition transition = mdp.step(state, 1, random);
  EXPECT_EQ(state, 2);
  EXPECT_EQ(transition.reward, 3.0);
  EXPECT_TRUE(transition.terminated);
}

TEST(TabularMdp, NoiseIsAddedToTheReward) {
  MdpDescription d = small();
  d.reward_noise = 0.5;
  const TabularMdp mdp(d);
  Moments rewards;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    Random random(Seed{1}, Stream::test_data, i);
    TabularMdp::State state = 0;
    rewards.add(mdp.step(state, 1, random).reward);
  }
  EXPECT_NEAR(rewards.mean(), 3.0, 4 * rewards.standard_error());
  EXPECT_NEAR(rewards.variance(), 0.25, 4 * 0.25 * std::sqrt(2.0 / 4000));
}

TEST(TabularMdp, NamesTheEntryThatIsWrong) {
  EXPECT_THAT(error_of([](auto& d) { d.rows[2][1].probability = 0.7; }), HasSubstr("row 2 sum to 0.95"));
  EXPECT_THAT(error_of([](auto& d) { d.rows[0][0].next = 3; }), HasSubstr("leads to state 3"));
  EXPECT_THAT(error_of([](auto& d) { d.rows[0][0].next = -1; }), HasSubstr("leads to state -1"));
  EXPECT_THAT(error_of([](auto& d) { d.rows[0][0].probability = -0.5; }), HasSubstr("probability -0.5"));
  EXPECT_THAT(error_of([](auto& d) { d.rows[0][0].reward = HUGE_VAL; }), HasSubstr("reward inf"));
  EXPECT_THAT(error_of([](auto& d) { d.row_of[1] = 3; }), HasSubstr("state 0, action 1 refers to row 3"));
  EXPECT_THAT(error_of([](auto& d) { d.start = {0.5, 0.25, 0.0}; }), HasSubstr("sum to 0.75"));
  EXPECT_THAT(error_of([](auto& d) { d.start = {0.5, 0.25, 0.25}; }), HasSubstr("terminal state 2"));
  EXPECT_THAT(error_of([](auto& d) { d.symbol = {0, -1, 0}; }), HasSubstr("state 1 is seen as symbol -1"));
  EXPECT_THAT(error_of([](auto& d) { d.symbol = {0}; }), HasSubstr("symbol has 1 entries"));
  EXPECT_THAT(error_of([](auto& d) { d.states = 0; }), HasSubstr("at least one state"));
  EXPECT_THAT(error_of([](auto& d) { d.reward_noise = -1.0; }), HasSubstr("reward_noise"));
  EXPECT_THAT(error_of([](auto& d) { d.rows[1].clear(); }), HasSubstr("row 1 sum to 0"));
}

TEST(MdpDescription, GivesEveryPairARow) {
  MdpDescription d = MdpDescription::with_own_rows(2, 2);
  d.outcomes(0, 0) = {{0, 1.0, 0.0}};
  d.outcomes(0, 1) = {{1, 1.0, 5.0}};
  d.terminal[1] = true;
  d.start[0] = 1.0;
  const TabularMdp mdp(d);
  EXPECT_EQ(mdp.row(0, 1).reward[0], 5.0);
}

TEST(CheckPolicyFits, ComparesSymbolsAndActions) {
  const TabularMdp mdp(small());
  EXPECT_NO_THROW(check_policy_fits(mdp, TabularPolicy::uniform(2, 2)));
  EXPECT_THROW(check_policy_fits(mdp, TabularPolicy::uniform(3, 2)), InvalidArgument);
  EXPECT_THROW(check_policy_fits(mdp, TabularPolicy::uniform(2, 3)), InvalidArgument);
}

}  // namespace
}  // namespace starope::domains
