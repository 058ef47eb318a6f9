#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "starope/base/types.hpp"
#include "starope/data/problem.hpp"
#include "starope/fold/blocks.hpp"
#include "starope/parallel/ordered_merge.hpp"
#include "starope/parallel/parallel_for.hpp"

namespace starope {

// A recipe for a sum over episodes. The recipe is immutable and shared by all threads; the statistic is a value with an
// identity that absorbs episodes and other statistics of its kind. What is made of the finished statistic is a pure
// function that the recipe's own header offers.
template <class Op>
concept EpisodeFold = requires(const Op& op, typename Op::Statistic& total, const typename Op::Statistic& part,
                               const LoggedEpisode& episode) {
  { op.identity() } -> std::same_as<typename Op::Statistic>;
  op.add(total, episode);
  total += part;
};

struct FoldOptions {
  Threads threads = Threads::all();
  std::int64_t steps_per_block = starope::steps_per_block;
};

// The sum over all episodes of the problem. The same bits for any number of threads: every block is summed from the
// identity, and the blocks are added strictly in order.
template <EpisodeFold Op>
typename Op::Statistic fold(const Op& op, const Problem& problem, const FoldOptions& options = {}) {
  const std::vector<EpisodeBlock> blocks = make_blocks(problem, options.steps_per_block);
  typename Op::Statistic total = op.identity();
  ordered_merge(
      static_cast<std::int64_t>(blocks.size()), options.threads,
      [&](std::int64_t b) {
        typename Op::Statistic part = op.identity();
        const EpisodeBlock block = blocks[static_cast<std::size_t>(b)];
        for (std::int64_t i = block.first; i < block.last; ++i) op.add(part, problem.episode(i));
        return part;
      },
      [&](typename Op::Statistic&& part) { total += part; });
  return total;
}

// Several recipes as one: a single pass over the logs serves them all, and every statistic has the bits it would have
// alone.
template <EpisodeFold Op>
struct FoldTogether {
  struct Statistic {
    std::vector<typename Op::Statistic> of{};
    Statistic& operator+=(const Statistic& other) {
      for (std::size_t i = 0; i < of.size(); ++i) of[i] += other.of[i];
      return *this;
    }
  };
  Statistic identity() const {
    Statistic none;
    for (const Op& op : ops) none.of.push_back(op.identity());
    return none;
  }
  void add(Statistic& total, const LoggedEpisode& episode) const {
    for (std::size_t i = 0; i < ops.size(); ++i) ops[i].add(total.of[i], episode);
  }

  std::vector<Op> ops;
};

// Calls body(episode) for every episode, on several threads: for results that have a place of their own per episode.
template <class Body>
void for_each_episode(const Problem& problem, const FoldOptions& options, const Body& body) {
  const std::vector<EpisodeBlock> blocks = make_blocks(problem, options.steps_per_block);
  parallel_for(static_cast<std::int64_t>(blocks.size()), options.threads, [&](std::int64_t b) {
    const EpisodeBlock block = blocks[static_cast<std::size_t>(b)];
    for (std::int64_t i = block.first; i < block.last; ++i) body(problem.episode(i));
  });
}

}  // namespace starope
