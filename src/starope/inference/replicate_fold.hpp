#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "starope/inference/bootstrap_interval.hpp"
#include "starope/inference/replicate_counts.hpp"
#include "starope/inference/replicate_kernel.hpp"
#include "starope/inference/replicate_run.hpp"
#include "starope/parallel/parallel_for.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

// Adds the episodes of a block to the sums of replicates 0, 1, ..., each as often as `counts` says: add(sum, episode,
// times). Replicates are divided among the threads, so that nothing depends on their number.
template <class Statistic, class Add>
void add_replicates(std::vector<Statistic>& sums, const Problem& block, const ReplicateCounts& counts, Threads threads,
                    const Add& add) {
  constexpr auto together = static_cast<std::int64_t>(replicates_together);
  const auto replicates = static_cast<std::int64_t>(sums.size());
  parallel_for((replicates + together - 1) / together, threads, [&](std::int64_t group) {
    const std::int64_t first = group * together, last = std::min(replicates, first + together);
    std::array<CountPair, pairs_together> times{};
    for (std::int64_t i = 0; i < block.episodes(); ++i) {
      const LoggedEpisode episode = block.episode(i);
      counts.of_episodes_together(i, i + 1, first, times);
      for (std::int64_t b = first; b < last; ++b) {
        const double count = replicate_count(times, static_cast<std::size_t>(b - first));
        if (count != 0.0) add(sums[b], episode, count);
      }
    }
  });
}

// What the sums say: value(sum), or nothing where there is none.
template <class Statistic, class Value>
Replicates finished_replicates(const std::vector<Statistic>& sums, Threads threads, const Value& value) {
  return run_replicates(static_cast<std::int64_t>(sums.size()), 1, threads,
                        [&](std::int64_t b, std::int64_t, std::vector<std::optional<Replicate>>& all) {
                          all[b] = attempt([&]() -> std::optional<Replicate> {
                            const std::optional<double> found = value(sums[b]);
                            if (!found) return std::nullopt;
                            return Replicate{.value = *found, .error = {}};
                          });
                        });
}

}  // namespace starope
