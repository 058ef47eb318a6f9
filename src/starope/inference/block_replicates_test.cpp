#include "starope/inference/block_replicates.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/data/random_logs.hpp"
#include "starope/estimators/star.hpp"
#include "starope/inference/star_replicates.hpp"

namespace starope {
namespace {

const ReplicateOptions some{.replicates = 70, .seed = Seed{9}, .threads = Threads{1}};

Problem logs() {
  return testing::random_problem({.episodes = 90, .shortest = 2, .longest = 9, .discrete_states = 4}, Seed{2},
                                 {.discount = Discount{0.95}});
}

Source in_blocks(const Dataset& data) {
  return dataset_source(data, 25);
}

void expect_near(const Replicates& found, const Replicates& wanted) {
  ASSERT_EQ(found.values.size(), wanted.values.size());
  EXPECT_EQ(found.failed, wanted.failed);
  for (std::size_t b = 0; b < wanted.values.size(); ++b)
    ASSERT_NEAR(found.values[b], wanted.values[b], 1e-10 * (1.0 + std::abs(wanted.values[b]))) << b;
}

TEST(BlockReplicates, AreThoseOfMemory) {
  const Problem problem = logs();
  const Source source = in_blocks(problem.data());
  expect_near(replicates(Naive{}, source, problem.options(), some), replicates(Naive{}, problem, some));
  for (const bool weighted : {false, true}) {
    for (const bool per_decision : {false, true}) {
      const ImportanceSampling sampling{.weighted = weighted, .per_decision = per_decision};
      expect_near(replicates(sampling, source, problem.options(), some), replicates(sampling, problem, some));
    }
  }
}

TEST(BlockReplicates, OfAStarToo) {
  const Problem problem = logs();
  const Source source = in_blocks(problem.data());
  for (const Star& star : {Star{.phi = Identity{}, .clip = Clip::last(2)},
                           Star{.phi = Identity{}, .clip = Clip::last(1), .time = TimeModel::indexed}}) {
    const StarFit fitted = fit(star, problem, {.threads = Threads{1}});
    const PhiFit phi = fit_phi(star.phi, source, problem.options(), Threads{1});
    const SeenLogs seen = seen_logs(source, problem.options(), Threads{1});
    const Replicates found = replicates(star, phi.phi, seen, source, problem.options(), some);
    expect_near(found, replicates(star, fitted, problem, some));
    ReplicateOptions three = some;
    three.threads = Threads{3};
    EXPECT_EQ(replicates(star, phi.phi, seen, source, problem.options(), three).values, found.values);
  }
}

TEST(BlockReplicates, SayWhatTheyTake) {
  const Problem problem = logs();
  const Source source = in_blocks(problem.data());
  const PhiFit phi = fit_phi(Identity{}, source, problem.options(), Threads{1});
  const SeenLogs seen = seen_logs(source, problem.options(), Threads{1});
  EXPECT_EQ(replicate_bytes(phi.phi, seen, TimeModel::pooled, 1000), 1000.0 * 8.0 * (4.0 * 4.0 + 16.0));
}

}  // namespace
}  // namespace starope
