#pragma once

// Whether two data sets hold the same logs, bit for bit. Names of features and counts of actions that never occur are
// not compared: the canonical table does not carry them.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

#include "starope/data.hpp"

namespace starope::testing {

inline void expect_same_bits(std::span<const double> a, std::span<const double> b, const char* what) {
  const auto same = [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  };
  EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end(), same)) << what;
}

inline void expect_equal(const Dataset& a, const Dataset& b) {
  ASSERT_EQ(a.episodes(), b.episodes());
  ASSERT_EQ(a.steps(), b.steps());
  for (std::int64_t e = 0; e < a.episodes(); ++e) {
    EXPECT_EQ(a.length(e), b.length(e));
    EXPECT_EQ(a.end(e), b.end(e));
    EXPECT_EQ(a.episode_name(e), b.episode_name(e));
    EXPECT_EQ(a.final_row(e), b.final_row(e));
  }
  expect_same_bits(a.rewards(), b.rewards(), "rewards");
  ASSERT_EQ(a.states().index(), b.states().index());
  if (const auto* discrete = std::get_if<DiscreteStates>(&a.states())) {
    EXPECT_EQ(*discrete, std::get<DiscreteStates>(b.states()));
  }
  if (const auto* dense = std::get_if<DenseStates>(&a.states())) {
    EXPECT_EQ(dense->dimension, std::get<DenseStates>(b.states()).dimension);
    expect_same_bits(dense->values.widened(), std::get<DenseStates>(b.states()).values.widened(), "states");
  }
  if (const auto* bits = std::get_if<BinaryStates>(&a.states())) {
    EXPECT_EQ(bits->dimension, std::get<BinaryStates>(b.states()).dimension);
    EXPECT_EQ(bits->words, std::get<BinaryStates>(b.states()).words);
  }
  ASSERT_EQ(a.actions().index(), b.actions().index());
  if (const auto* discrete = std::get_if<DiscreteActions>(&a.actions())) {
    EXPECT_EQ(discrete->id, std::get<DiscreteActions>(b.actions()).id);
  }
  if (const auto* real = std::get_if<ContinuousActions>(&a.actions())) {
    EXPECT_EQ(real->dimension, std::get<ContinuousActions>(b.actions()).dimension);
    expect_same_bits(real->values, std::get<ContinuousActions>(b.actions()).values, "actions");
  }
  const auto expect_logged = [](const auto& x, const auto& y, const char* what) {
    ASSERT_EQ(x.has_value(), y.has_value()) << what;
    if (!x) return;
    EXPECT_EQ(x->scale, y->scale) << what;
    EXPECT_EQ(x->density, y->density) << what;
    expect_same_bits(x->values, y->values, what);
  };
  expect_logged(a.behavior(), b.behavior(), "behavior");
  expect_logged(a.target(), b.target(), "target");
  const auto expect_distribution = [](const auto& x, const auto& y, const char* what) {
    ASSERT_EQ(x.has_value(), y.has_value()) << what;
    if (!x) return;
    EXPECT_EQ(x->actions, y->actions) << what;
    expect_same_bits(x->values, y->values, what);
  };
  expect_distribution(a.behavior_distribution(), b.behavior_distribution(), "behavior distribution");
  expect_distribution(a.target_distribution(), b.target_distribution(), "target distribution");
}

}  // namespace starope::testing
