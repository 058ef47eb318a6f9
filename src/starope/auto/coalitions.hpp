#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "starope/auto/bag.hpp"
#include "starope/parallel/parallel_for.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

// Which parts of a bag are scored as if they were the whole: only the bag itself, or besides it the members on the
// l+1 finest levels for every l, and the members of each seed.
enum class Coalitions { whole_bag, nested_and_seeds };

// The doubly robust scores of episodes. The estimate of a coalition is the mean of its scores.
struct CoalitionScores {
  // [l][episode]: of the members on the l+1 finest levels; the last are the whole bag's. Only those for whole_bag.
  std::vector<std::vector<double>> nested{};
  std::vector<std::vector<double>> by_seed{};  // [seed][episode]; empty for whole_bag

  const std::vector<double>& whole() const { return nested.back(); }
};

inline CoalitionScores make_coalition_scores(const Bag& bag, Coalitions coalitions, std::size_t episodes) {
  const bool many = coalitions == Coalitions::nested_and_seeds;
  return {.nested = std::vector(many ? bag.levels() : 1, std::vector<double>(episodes)),
          .by_seed = std::vector(many ? bag.seeds : 0, std::vector<double>(episodes))};
}

// 1 / (number of members) of every coalition: the nested ones, then the seeds.
inline std::vector<double> coalition_shares(const Bag& bag, Coalitions coalitions) {
  if (coalitions == Coalitions::whole_bag) return {1.0 / static_cast<double>(bag.members.size())};
  std::vector<double> shares;
  for (std::size_t l = 1; l <= bag.levels(); ++l) shares.push_back(1.0 / static_cast<double>(l * bag.seeds));
  shares.insert(shares.end(), bag.seeds, 1.0 / static_cast<double>(bag.levels()));
  return shares;
}

// Scores the episodes on several threads. make_scorer() gives every job a scorer of its own, with score(episode, out)
// writing one number per coalition.
template <class MakeScorer>
CoalitionScores score_episodes(const Bag& bag, const Problem& problem, std::span<const std::int64_t> episodes,
                               Coalitions coalitions, Threads threads, const MakeScorer& make_scorer) {
  constexpr std::size_t episodes_per_job = 64;
  CoalitionScores scores = make_coalition_scores(bag, coalitions, episodes.size());
  const std::size_t jobs = (episodes.size() + episodes_per_job - 1) / episodes_per_job;
  parallel_for(static_cast<std::int64_t>(jobs), threads, [&](std::int64_t job) {
    auto scorer = make_scorer();
    std::vector<double> of_coalition(scores.nested.size() + scores.by_seed.size());
    const std::size_t first = static_cast<std::size_t>(job) * episodes_per_job;
    for (std::size_t i = first; i < std::min(episodes.size(), first + episodes_per_job); ++i) {
      scorer.score(problem.episode(episodes[i]), of_coalition);
      for (std::size_t l = 0; l < scores.nested.size(); ++l) scores.nested[l][i] = of_coalition[l];
      for (std::size_t s = 0; s < scores.by_seed.size(); ++s) {
        scores.by_seed[s][i] = of_coalition[scores.nested.size() + s];
      }
    }
  });
  return scores;
}

// The cells that a state row has in the members, numbered through.
inline void cells_of_row(const Bag& bag, std::span<const std::uint32_t> first_cell, std::int64_t row,
                         std::span<std::uint32_t> cells) {
  for (std::size_t m = 0; m < cells.size(); ++m) {
    cells[m] = first_cell[m] + bag.members[m].of_row[row];
  }
}

// Sums a quantity (a number, or anything with +=) over the members of every coalition: out[q] in the order of
// coalition_shares.
template <class Quantity, class Sums>
void sum_over_coalitions(const Bag& bag, Coalitions coalitions, const Quantity& of_member, Sums&& out) {
  using Sum = std::decay_t<decltype(out[0])>;
  std::fill(out.begin(), out.end(), Sum{});
  for (std::size_t s = 0; s < bag.seeds; ++s) {
    Sum run{};
    for (std::size_t l = 0; l < bag.levels(); ++l) {
      run += of_member(s * bag.levels() + l);
      if (coalitions == Coalitions::nested_and_seeds) out[l] += run;
    }
    if (coalitions == Coalitions::nested_and_seeds) {
      out[bag.levels() + s] = run;
    } else {
      out[0] += run;
    }
  }
}

}  // namespace starope
