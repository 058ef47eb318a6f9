#include "starope/auto/half_samples.hpp"

#include <algorithm>
#include <utility>

#include "starope/auto/diagonal.hpp"
#include "starope/auto/indexed_scores.hpp"
#include "starope/auto/pooled_scores.hpp"
#include "starope/parallel/parallel_for.hpp"
#include "starope/rng/random.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

double value(const Bag& bag, CoalitionScores scores, std::span<const double> plain) {
  return moments(without_diagonal(std::move(scores), bag, plain).whole()).mean();
}

}  // namespace

std::vector<HalfSample> half_samples(const Bag& bag, const Problem& problem, const HalfSampleOptions& options,
                                     Threads threads) {
  if (problem.episodes() < 2) return {};
  std::vector<HalfSample> samples(static_cast<std::size_t>(options.splits));
  // One job per half. A half has its own tables (and sums of shared points); with as many jobs as threads, as many are
  // alive at a time.
  parallel_for(2 * options.splits, threads, [&](std::int64_t job) {
    Random random(options.seed, Stream::half_sample, static_cast<std::uint64_t>(job / 2));
    std::vector<std::int64_t> order = sample_without_replacement(random, problem.episodes(), problem.episodes());
    const auto middle = order.begin() + problem.episodes() / 2;
    const auto side = static_cast<std::size_t>(job % 2);
    std::vector<std::int64_t> half = side == 0 ? std::vector(order.begin(), middle) : std::vector(middle, order.end());
    std::sort(half.begin(), half.end());
    HalfSample& sample = samples[static_cast<std::size_t>(job / 2)];
    const Threads alone{1};
    const PooledTables pooled = pooled_tables(bag, problem, half, alone);
    sample.pooled[side] =
        value(bag, pooled_scores(bag, pooled, problem, half, Coalitions::whole_bag, alone), pooled.plain);
    if (options.families == Families::pooled) return;
    const IndexedTables indexed = indexed_tables(bag, problem, half, alone);
    sample.indexed[side] =
        value(bag, indexed_scores(bag, indexed, problem, half, Coalitions::whole_bag, alone), indexed.plain);
  });
  return samples;
}

}  // namespace starope
