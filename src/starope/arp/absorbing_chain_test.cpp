#include "starope/arp/absorbing_chain.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "starope/rng/random.hpp"

namespace starope {
namespace {

struct Chain {
  SparseRows q;
  std::vector<double> leak;
};

Chain from_dense(const Eigen::MatrixXd& dense, const std::vector<double>& leak) {
  MoveCounts counts(dense.rows());
  for (Eigen::Index i = 0; i < dense.rows(); ++i) {
    for (Eigen::Index j = 0; j < dense.cols(); ++j)
      counts.add(static_cast<Label>(i), static_cast<Label>(j), dense(i, j));
  }
  return {counts.rows(), leak};
}

TEST(AbsorbingChain, EqualsTheInverseOnRandomChains) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(Seed{seed}, Stream::test_data, 0);
    const auto n = static_cast<Eigen::Index>(1 + random.below(30));
    Eigen::MatrixXd q = Eigen::MatrixXd::Zero(n, n);
    std::vector<double> leak(n);
    std::vector<double> start(n, 1.0 / static_cast<double>(n)), reward(start.size());
    for (Eigen::Index i = 0; i < n; ++i) {
      double sum = leak[i] = random.uniform(0.01, 0.2);
      for (Eigen::Index j = 0; j < n; ++j) {
        if (random.uniform() < 0.3) sum += q(i, j) = random.uniform();  // sparse: several components
      }
      q.row(i) /= sum;
      leak[i] /= sum;
      reward[i] = random.normal();
    }
    const Chain chain = from_dense(q, leak);
    const AbsorbingChain solver(chain.q, chain.leak, start);
    ASSERT_TRUE(solver.trapped().empty());
    const Eigen::MatrixXd a = Eigen::MatrixXd::Identity(n, n) - q;
    const Eigen::VectorXd v = a.partialPivLu().solve(Eigen::Map<Eigen::VectorXd>(reward.data(), n));
    const Eigen::VectorXd d = a.transpose().partialPivLu().solve(Eigen::Map<Eigen::VectorXd>(start.data(), n));
    const auto values = solver.values(reward), visits = solver.visits(start);
    for (Eigen::Index i = 0; i < n; ++i) {
      EXPECT_NEAR(values[i], v(i), 1e-10 * (1 + std::abs(v(i))));
      EXPECT_NEAR(visits[i], d(i), 1e-10 * (1 + std::abs(d(i))));
    }
  }
}

TEST(AbsorbingChain, KeepsFullAccuracyWhenExitsAreExtremelyRare) {
  // Two states that swap; only state 1 leaves, with share e. From state 0 the expected number of visits to 1 is 1/e:
  // V_0 = 1 + V_1, V_1 = 1 + (1-e) V_0  =>  V_0 = 2/e. In double, 1 - (1 - e) has no correct digit for e = 1e-17.
  const double e = 1e-17;
  MoveCounts counts(2);
  counts.add(0, 1, 1.0);
  counts.add(1, 0, 1.0 - e);
  const AbsorbingChain solver(counts.rows(), std::vector<double>{0.0, e}, std::vector<double>{1.0, 0.0});
  const auto values = solver.values(std::vector<double>{1.0, 1.0});
  EXPECT_NEAR(values[0] * e, 2.0, 1e-14);
  EXPECT_NEAR(solver.visits(std::vector<double>{1.0, 0.0})[1] * e, 1.0, 1e-14);
}

TEST(AbsorbingChain, NamesTheStatesFromWhichNothingLeaves) {
  MoveCounts counts(5);
  counts.add(0, 1, 0.5);
  counts.add(1, 2, 1.0);  // 1 and 2 feed each other for ever
  counts.add(2, 1, 1.0);
  counts.add(3, 4, 1.0);  // so do 3 and 4, but nobody gets there
  counts.add(4, 3, 1.0);
  const AbsorbingChain solver(counts.rows(), std::vector<double>{0.5, 0, 0, 0, 0}, std::vector<double>{1, 0, 0, 0, 0});
  EXPECT_EQ(solver.trapped(), (std::vector<std::int64_t>{1, 2}));
}

TEST(AbsorbingChain, UnreachableStatesAreLeftOut) {
  MoveCounts counts(3);
  counts.add(0, 1, 0.5);
  counts.add(2, 0, 0.5);
  const AbsorbingChain solver(counts.rows(), std::vector<double>{0.5, 1, 0.5}, std::vector<double>{1, 0, 0});
  EXPECT_EQ(solver.values(std::vector<double>{1, 2, 4}), (std::vector<double>{2, 2, 0}));
  EXPECT_EQ(solver.visits(std::vector<double>{1, 0, 0}), (std::vector<double>{1, 0.5, 0}));
}

TEST(AbsorbingChain, ALongLineIsSubstitutedNotRecursed) {
  constexpr std::int64_t n = 200000;
  MoveCounts counts(n);
  for (Label z = 0; z + 1 < n; ++z) counts.add(z, z + 1, 1.0);
  std::vector<double> leak(n, 0.0), start(n, 0.0);
  leak.back() = 1.0;
  start.front() = 1.0;
  const AbsorbingChain solver(counts.rows(), leak, start);
  const auto values = solver.values(std::vector<double>(n, 1.0));
  EXPECT_EQ(values.front(), static_cast<double>(n));
  EXPECT_EQ(values.back(), 1.0);
  EXPECT_EQ(solver.visits(start).back(), 1.0);
}

TEST(AbsorbingChain, ComponentsTooLargeForADenseMatrixAgreeWithTheClosedForm) {
  // A ring of n states: from each, with share p to the next, 1-p out. V = 1 / (1-p) everywhere.
  const auto n = static_cast<std::int64_t>(AbsorbingChain::most_dense_states) + 500;
  MoveCounts counts(n);
  for (std::int64_t z = 0; z < n; ++z) counts.add(static_cast<Label>(z), static_cast<Label>((z + 1) % n), 0.9);
  std::vector<double> leak(n, 0.1), start(static_cast<std::size_t>(n), 0.0);
  start[7] = 1.0;
  const AbsorbingChain solver(counts.rows(), leak, start);
  const auto values = solver.values(std::vector<double>(n, 1.0));
  for (const double v : values) EXPECT_NEAR(v, 10.0, 1e-10);
  const auto visits = solver.visits(start);
  EXPECT_NEAR(visits[7], 1.0, 1e-10);
  EXPECT_NEAR(visits[10], 0.9 * 0.9 * 0.9, 1e-10);
}

}  // namespace
}  // namespace starope
