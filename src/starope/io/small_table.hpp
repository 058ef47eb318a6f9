#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "starope/io/long_table.hpp"

namespace starope::testing {

inline constexpr double none = std::numeric_limits<double>::quiet_NaN();

// Two steps of a, one step of b; the first row is row 2 of logs.csv.
inline io::LongTable small() {
  io::LongTable t;
  t.source = {"logs.csv", 2};
  t.used = {{"episode", "stay"}, {"reward", "r"}, {"action", "drug"}, {"behavior_prob", "pb"}};
  t.rows = 3;
  t.episode.first_row = {0, 2};
  t.episode.text = {"a", "b"};
  t.states = std::vector<std::int64_t>{7, 9, 7};
  t.actions = std::vector<std::int64_t>{0, 2, 1};
  t.rewards = {1, 2, 3};
  t.behavior = io::LoggedRows{{0.5, 0.25, 1.0}};
  return t;
}

// b with the state after its end behind it.
inline io::LongTable with_final_state() {
  io::LongTable t = small();
  t.rows = 4;
  t.states = std::vector<std::int64_t>{7, 9, 7, 5};
  t.actions = std::vector<std::int64_t>{0, 2, 1, 0};
  t.rewards.push_back(none);
  t.behavior->values.push_back(none);
  t.truncated = std::vector<std::uint8_t>{0, 0, 1, 0};
  t.terminated = std::vector<std::uint8_t>{0, 1, 0, 0};
  t.partial_rows = {3};
  return t;
}

}  // namespace starope::testing
