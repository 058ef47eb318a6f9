#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "starope/data.hpp"
#include "starope/parallel/ordered_merge.hpp"
#include "starope/parallel/parallel_for.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

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

// A recipe that knows how to count an episode several times, or a fraction of a time: add(total, episode, k) is what k
// times add(total, episode) would be, up to rounding.
template <class Op>
concept RepeatingFold = EpisodeFold<Op> &&
    requires(const Op& op, typename Op::Statistic& total, const LoggedEpisode& episode, double times) {
  op.add(total, episode, times);
};

struct FoldOptions {
  Threads threads = Threads::all();
  std::int64_t steps_per_block = starope::steps_per_block;
};

// The sum over all episodes of the problem. The same bits for any number of threads: every block is summed from the
// identity, and the blocks are added strictly in order.
template <EpisodeFold Op>
typename Op::Statistic fold(const Op& op, const Problem& problem, const FoldOptions& options = {}) {
  const std::vector<EpisodeRange> blocks = make_blocks(problem.data(), options.steps_per_block);
  typename Op::Statistic total = op.identity();
  ordered_merge(
      static_cast<std::int64_t>(blocks.size()), options.threads,
      [&](std::int64_t b) {
        typename Op::Statistic part = op.identity();
        const EpisodeRange block = blocks[b];
        for (std::int64_t i = block.first; i < block.last; ++i) op.add(part, problem.episode(i));
        return part;
      },
      [&](typename Op::Statistic&& part) { total += part; });
  return total;
}

// The same where episode i counts times[i] times: a resample, or a weight. One that counts zero times is not looked at.
template <RepeatingFold Op>
typename Op::Statistic fold(const Op& op, const Problem& problem, std::span<const double> times,
                            const FoldOptions& options = {}) {
  const std::vector<EpisodeRange> blocks = make_blocks(problem.data(), options.steps_per_block);
  typename Op::Statistic total = op.identity();
  ordered_merge(
      static_cast<std::int64_t>(blocks.size()), options.threads,
      [&](std::int64_t b) {
        typename Op::Statistic part = op.identity();
        const EpisodeRange block = blocks[b];
        for (std::int64_t i = block.first; i < block.last; ++i) {
          const double count = times[i];
          if (count != 0.0) op.add(part, problem.episode(i), count);
        }
        return part;
      },
      [&](typename Op::Statistic&& part) { total += part; });
  return total;
}

// Logs that come in blocks: calls part(problem) for every block, on several threads, and absorb(result) in the order of
// the blocks. No more than a few blocks are held at a time. The question is asked of each block by itself.
template <class Part, class Absorb>
void for_each_block(const Source& source, const ProblemOptions& question, Threads threads, const Part& part,
                    Absorb absorb) {
  ordered_merge_pulled(
      threads, source.open(), [&](const Dataset& block) { return part(make_problem(block, question)); },
      std::move(absorb));
}

// A recipe that is not bound to logs: it prepares what it needs (labels, weights) for every block that it is given.
template <class Recipe>
concept BlockFold = requires(const Recipe& recipe, typename Recipe::Statistic& total,
                             const typename Recipe::Statistic& part, const Problem& block) {
  { recipe.identity() } -> std::same_as<typename Recipe::Statistic>;
  recipe.add_block(total, block);
  total += part;
};

// The sum over all blocks of a source: the same bits as in memory, for the same blocks and any number of threads.
template <BlockFold Recipe>
typename Recipe::Statistic fold(const Recipe& recipe, const Source& source, const ProblemOptions& question,
                                Threads threads = Threads::all()) {
  typename Recipe::Statistic total = recipe.identity();
  for_each_block(
      source, question, threads,
      [&](const Problem& block) {
        typename Recipe::Statistic part = recipe.identity();
        recipe.add_block(part, block);
        return part;
      },
      [&](typename Recipe::Statistic&& part) { total += part; });
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
  void add(Statistic& total, const LoggedEpisode& episode, double times) const requires RepeatingFold<Op> {
    for (std::size_t i = 0; i < ops.size(); ++i) ops[i].add(total.of[i], episode, times);
  }

  std::vector<Op> ops;
};

// Calls body(episode) for every episode, on several threads: for results that have a place of their own per episode.
template <class Body>
void for_each_episode(const Problem& problem, const FoldOptions& options, const Body& body) {
  const std::vector<EpisodeRange> blocks = make_blocks(problem.data(), options.steps_per_block);
  parallel_for(static_cast<std::int64_t>(blocks.size()), options.threads, [&](std::int64_t b) {
    const EpisodeRange block = blocks[b];
    for (std::int64_t i = block.first; i < block.last; ++i) body(problem.episode(i));
  });
}

}  // namespace starope
