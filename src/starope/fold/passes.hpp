#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "starope/data.hpp"
#include "starope/fold/fold.hpp"
#include "starope/problem.hpp"

namespace starope {

// Passes over logs, wherever they are: an estimator that is written in terms of these two works on both, with the same
// bits. Recipes here need nothing but the episode itself.

struct LogsInMemory {
  const Problem& problem;
  Threads threads;

  const ProblemOptions& question() const { return problem.options(); }

  template <EpisodeFold Op>
  typename Op::Statistic sum(const Op& op) const {
    return fold(op, problem, {.threads = threads});
  }
  // Computes value(episode) on several threads and hands the results to absorb(result) in order of the episodes.
  template <class Value, class Absorb>
  void each(const Value& value, Absorb absorb) const {
    using Result = decltype(value(LoggedEpisode{}));
    std::vector<Result> results(problem.episodes());
    for_each_episode(problem, {.threads = threads},
                     [&](const LoggedEpisode& episode) { results[episode.index] = value(episode); });
    for (Result& result : results) absorb(std::move(result));
  }
};

struct LogsInBlocks {
  const Source& source;
  const ProblemOptions& asked;
  Threads threads;

  const ProblemOptions& question() const { return asked; }

  template <EpisodeFold Op>
  typename Op::Statistic sum(const Op& op) const {
    typename Op::Statistic total = op.identity();
    for_each_block(
        source, asked, threads,
        [&](const Problem& block) {
          typename Op::Statistic part = op.identity();
          for (std::int64_t i = 0; i < block.episodes(); ++i) op.add(part, block.episode(i));
          return part;
        },
        [&](typename Op::Statistic&& part) { total += part; });
    return total;
  }
  template <class Value, class Absorb>
  void each(const Value& value, Absorb absorb) const {
    using Result = decltype(value(LoggedEpisode{}));
    for_each_block(
        source, asked, threads,
        [&](const Problem& block) {
          std::vector<Result> results;
          results.reserve(block.episodes());
          for (std::int64_t i = 0; i < block.episodes(); ++i) results.push_back(value(block.episode(i)));
          return results;
        },
        [&](std::vector<Result>&& results) {
          for (Result& result : results) absorb(std::move(result));
        });
  }
};

}  // namespace starope
