#include "starope/arp/components.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "starope/rng/random.hpp"

namespace starope {
namespace {

using Components = std::vector<std::vector<std::int64_t>>;

SparseRows graph(std::int64_t states, std::initializer_list<std::pair<Label, Label>> edges) {
  MoveCounts counts(states);
  for (const auto& [from, to] : edges) counts.add(from, to, 1.0);
  return counts.rows();
}

TEST(Components, SuccessorsComeFirst) {
  // 0 -> {1, 2} <-> -> 3, and 3 leads to itself; 4 is not reached.
  const SparseRows edges = graph(5, {{0, 1}, {1, 2}, {2, 1}, {2, 3}, {3, 3}, {4, 0}});
  const std::vector<std::int64_t> roots{0};
  EXPECT_EQ(strong_components(edges, roots), (Components{{3}, {1, 2}, {0}}));
}

TEST(Components, NoneWithoutARoot) {
  EXPECT_TRUE(strong_components(graph(2, {{0, 1}}), {}).empty());
}

// Beside the definition: two states are together if each can be reached from the other.
TEST(Components, AreStatesThatReachEachOther) {
  constexpr std::int64_t n = 12;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(Seed{seed}, Stream::test_data, 0);
    MoveCounts counts(n);
    std::vector<std::vector<bool>> reach(n, std::vector<bool>(n, false));
    for (std::int64_t i = 0; i < n; ++i) {
      reach[i][i] = true;
      for (std::int64_t j = 0; j < n; ++j) {
        if (random.uniform() > 0.13) continue;
        counts.add(static_cast<Label>(i), static_cast<Label>(j), 1.0);
        reach[i][j] = true;
      }
    }
    for (std::int64_t k = 0; k < n; ++k) {
      for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          if (reach[i][k] && reach[k][j]) reach[i][j] = true;
        }
      }
    }
    const std::vector<std::int64_t> roots{3, 7};
    const Components found = strong_components(counts.rows(), roots);
    std::vector<std::int64_t> component_of(n, -1);
    for (std::size_t c = 0; c < found.size(); ++c) {
      EXPECT_TRUE(std::is_sorted(found[c].begin(), found[c].end()));
      for (const std::int64_t z : found[c]) component_of[z] = static_cast<std::int64_t>(c);
    }
    for (std::int64_t i = 0; i < n; ++i) {
      ASSERT_EQ(component_of[i] >= 0, reach[3][i] || reach[7][i]);
      for (std::int64_t j = 0; j < n; ++j) {
        if (component_of[i] < 0 || component_of[j] < 0) continue;
        ASSERT_EQ(component_of[i] == component_of[j], reach[i][j] && reach[j][i]);
        ASSERT_TRUE(!reach[i][j] || component_of[j] <= component_of[i]);
      }
    }
  }
}

}  // namespace
}  // namespace starope
