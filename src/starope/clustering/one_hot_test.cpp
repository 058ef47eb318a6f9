#include "starope/clustering/one_hot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "starope/clustering/lloyd.hpp"
#include "starope/clustering/testing.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

// The same clustering with real vectors: one row per state, weighted by its visits. The start is read off the first
// iteration: seeds are alone (distance 0) or in cluster 0 with all others (distance 2).
std::vector<double> unit_vectors(std::size_t states) {
  std::vector<double> rows(states * states, 0.0);
  for (std::size_t s = 0; s < states; ++s) rows[s * states + s] = 1.0;
  return rows;
}

TEST(OneHot, TwoClustersByHand) {
  // Visits 6, 3, 1. Whoever starts, the third state joins cluster 0: with shares p it is 1 - 2p + |c|^2 away from it.
  const std::vector<std::int64_t> visits{6, 3, 1};
  const OneHotFit fit = fit_one_hot(visits, {.clusters = 2, .seed = Seed{1}});
  EXPECT_EQ(fit.clusters, 2);
  EXPECT_TRUE(fit.converged);
  const std::set<Label> used(fit.cluster_of_code.begin(), fit.cluster_of_code.end());
  EXPECT_EQ(used.size(), 2u);
  // First iteration: the seeds are at distance 0, the other state at distance 2.
  const double other = fit.inertia.front() / 2.0;
  EXPECT_THAT(visits, ::testing::Contains(static_cast<std::int64_t>(other)));
  // Last: a pair with n and m visits has inertia n m / (n + m) * 2.
  double expected = 0.0;
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const auto n = static_cast<double>(visits[a]), m = static_cast<double>(visits[b]);
      if (fit.cluster_of_code[a] == fit.cluster_of_code[b]) expected = 2.0 * n * m / (n + m);
    }
  }
  EXPECT_NEAR(fit.inertia.back(), expected, 1e-12);
}

TEST(OneHot, EqualsLloydOnRealUnitVectors) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    constexpr std::size_t states = 14;
    Random random(Seed{seed}, Stream::test_data, 3);
    std::vector<std::int64_t> visits;
    std::vector<double> weights;
    for (std::size_t s = 0; s < states; ++s) {
      visits.push_back(1 + static_cast<std::int64_t>(random.below(1000000)));
      weights.push_back(static_cast<double>(visits.back()));
    }
    // One iteration shows where the clusters started: the seeds of clusters 1.. are alone then, and cluster 0 has the
    // rest; its own seed is the state whose distance 2 is missing from the inertia.
    const OneHotFit first =
        fit_one_hot(visits, {.clusters = 5, .max_iterations = 1, .tolerance = 0.0, .seed = Seed{seed}});
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    double missing = total - first.inertia[0] / 2.0;
    std::vector<std::size_t> start(5, states);
    for (std::size_t s = 0; s < states; ++s) {
      if (first.cluster_of_code[s] == 0) continue;
      ASSERT_EQ(start[first.cluster_of_code[s]], states);
      start[first.cluster_of_code[s]] = s;
      missing -= weights[s];
    }
    for (std::size_t s = 0; s < states; ++s) {
      if (first.cluster_of_code[s] == 0 && std::abs(weights[s] - missing) < 0.5) start[0] = s;
    }
    ASSERT_THAT(start, ::testing::Each(::testing::Lt(states)));

    const std::vector<double> rows = unit_vectors(states);
    std::vector<double> centroids;
    for (const std::size_t s : start) {
      centroids.insert(centroids.end(), rows.begin() + static_cast<std::ptrdiff_t>(s * states),
                       rows.begin() + static_cast<std::ptrdiff_t>((s + 1) * states));
    }
    const LloydFit dense = lloyd({.dimension = states, .values = rows, .weights = weights}, centroids,
                                 {.tolerance = 1e-9, .empty = EmptyClusters::keep});
    const OneHotFit fit = fit_one_hot(visits, {.clusters = 5, .tolerance = 1e-9, .seed = Seed{seed}});
    EXPECT_EQ(fit.iterations, dense.iterations);
    EXPECT_THAT(fit.inertia, Pointwise(DoubleNear(1e-9 * total), dense.inertia));
    EXPECT_EQ(fit.cluster_of_code, testing::naive_labels(rows, dense.centroids, states));
    EXPECT_TRUE(fit.converged);
  }
}

TEST(OneHot, AStateNeverCountedGetsTheFlattestCluster) {
  // Both visited states are centroids; the unvisited one is at distance 2 from either: the first wins.
  const std::vector<std::int64_t> visits{0, 5, 9};
  const OneHotFit fit = fit_one_hot(visits, {.clusters = 4});
  EXPECT_EQ(fit.clusters, 2);
  EXPECT_EQ(fit.cluster_of_code[0], 0u);
  EXPECT_NE(fit.cluster_of_code[1], fit.cluster_of_code[2]);
  EXPECT_EQ(fit.inertia.back(), 0.0);
}

TEST(OneHot, OneClusterHoldsAll) {
  const OneHotFit fit = fit_one_hot(std::vector<std::int64_t>{2, 2}, {.clusters = 1});
  EXPECT_THAT(fit.cluster_of_code, ElementsAre(0, 0));
  EXPECT_NEAR(fit.inertia.back(), 4 * 0.5, 1e-15);  // each of four visits is at (1/2, -1/2) from the mean
}

TEST(OneHot, NothingVisitedIsAWrongCall) {
  EXPECT_THROW(fit_one_hot(std::vector<std::int64_t>{0, 0}, {}), InvalidArgument);
  EXPECT_THROW(fit_one_hot(std::vector<std::int64_t>{1, 1}, {.clusters = 0}), InvalidArgument);
}

}  // namespace
}  // namespace starope
