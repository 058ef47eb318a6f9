#include "starope/darp/half_samples.hpp"

#include <algorithm>

#include "starope/darp/indexed_scores.hpp"
#include "starope/darp/pooled_scores.hpp"
#include "starope/parallel/parallel_for.hpp"
#include "starope/rng/random.hpp"
#include "starope/stats/moments.hpp"

namespace starope {

std::vector<HalfSample> half_samples(const Bag& bag, const Problem& problem, const HalfSampleOptions& options,
                                     Threads threads) {
  if (problem.episodes() < 2) return {};
  std::vector<HalfSample> samples(static_cast<std::size_t>(options.splits));
  // One job per half. A half has its own tables; with as many jobs as threads, as many tables are alive at a time.
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
        moments(pooled_scores(bag, pooled, problem, half, Coalitions::whole_bag, alone).whole()).mean();
    if (options.families == Families::pooled) return;
    const IndexedTables indexed = indexed_tables(bag, problem, half, alone);
    sample.indexed[side] =
        moments(indexed_scores(bag, indexed, problem, half, Coalitions::whole_bag, alone).whole()).mean();
  });
  return samples;
}

}  // namespace starope
