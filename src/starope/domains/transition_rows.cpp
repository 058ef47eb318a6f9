#include "starope/domains/transition_rows.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "starope/error.hpp"

namespace starope::domains {
namespace {

// 64-bit FNV-1a over whole words: equal rows have equal hashes; unequal ones are told apart by comparison.
std::uint64_t hash(const std::vector<Outcome>& row) {
  std::uint64_t h = 0xcbf29ce484222325;
  const auto mix = [&h](std::uint64_t word) { h = (h ^ word) * 0x100000001b3; };
  for (const Outcome& o : row) {
    mix(static_cast<std::uint64_t>(o.next));
    mix(std::bit_cast<std::uint64_t>(o.probability));
    mix(std::bit_cast<std::uint64_t>(o.reward));
  }
  return h;
}

}  // namespace

TransitionRows::TransitionRows(std::int32_t states, std::int32_t actions) : states_(states), actions_(actions) {
  if (states < 1 || actions < 1) {
    throw InvalidArgument(
        fmt::format("transition tables need at least one state and one action, not {} and {}", states, actions));
  }
  pairs_ = static_cast<std::size_t>(states) * static_cast<std::size_t>(actions);
}

void TransitionRows::add(std::span<const double> probabilities, std::span<const double> rewards) {
  const std::size_t state = row_of_.size() / static_cast<std::size_t>(actions_);
  const std::size_t action = row_of_.size() % static_cast<std::size_t>(actions_);
  const auto fail = [&](const char* code, const std::string& rule) {
    throw DataError({.code = code,
                     .at = {},
                     .value = {},
                     .rule = fmt::format("transition table, state {}, action {}: {}", state, action, rule),
                     .remedy = "Check that the tables belong together and are not damaged"});
  };
  const auto width = static_cast<std::size_t>(states_);
  if (complete()) fail("bad_shape", fmt::format("there are only {} states", states_));
  if (probabilities.size() != width || rewards.size() != width) {
    fail("bad_shape",
         fmt::format("{} probabilities and {} rewards for {} states", probabilities.size(), rewards.size(), states_));
  }
  std::vector<Outcome> row;
  double sum = 0.0;
  for (std::size_t next = 0; next < width; ++next) {
    const double p = probabilities[next], r = rewards[next];
    if (p == 0.0) continue;
    if (!(p > 0.0 && p <= 1.0)) fail("bad_probability", fmt::format("the probability of state {} is {}", next, p));
    if (!std::isfinite(r)) fail("bad_reward", fmt::format("the reward on entering state {} is {}", next, r));
    row.push_back({static_cast<std::int32_t>(next), p, r});
    sum += p;
  }
  if (!(std::abs(sum - 1.0) <= 1e-9)) {
    fail("bad_distribution", fmt::format("the probabilities sum to {}; they must sum to 1", sum));
  }
  const std::uint64_t key = hash(row);
  const auto [first, last] = by_hash_.equal_range(key);
  for (auto candidate = first; candidate != last; ++candidate) {
    if (rows_[candidate->second] != row) continue;
    row_of_.push_back(candidate->second);
    return;
  }
  row_of_.push_back(static_cast<std::int32_t>(rows_.size()));
  by_hash_.emplace(key, row_of_.back());
  row.shrink_to_fit();
  rows_.push_back(std::move(row));
}

}  // namespace starope::domains
