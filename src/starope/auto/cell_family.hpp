#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "starope/auto/bag.hpp"
#include "starope/auto/coalitions.hpp"
#include "starope/auto/half_splits.hpp"
#include "starope/auto/ladder.hpp"
#include "starope/auto/markov.hpp"
#include "starope/auto/pooled_tables.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

// A bag of abstractions and what it says: the double ARP of the time-pooled family, without the pairs of a member with
// itself. Coarse levels are there to be stable, not to be right: where the finest ones clearly disagree with the whole
// bag, the coarse ones are left out.
struct CellFamily {
  Bag bag{};
  PooledTables tables{};
  CoalitionScores raw{};                 // with the pairs of members with themselves
  CoalitionScores scores{};              // without them
  LadderDrift drift{};                   // of the whole bag
  std::vector<double> plain_of_level{};  // mean plain value of the members on each level, coarsest first
  std::vector<double> by_levels{};       // of the l+1 finest levels
  std::vector<double> by_seed{};

  double value() const { return by_levels.back(); }
  double gap() const;           // mean over levels of |J - mean plain value of the level|, pairs in
  double ladder_error() const;  // squared: how far the three finest levels are off, or the drift
  double seeds_variance() const;
};

CellFamily fit_cells(Bag bag, const Problem& problem, std::span<const std::int64_t> episodes,
                     Threads threads = Threads::all());

// The members on the two finest levels alone.
Bag finest_of(Bag bag);

// Does a second ratio move the answer?
MarkovTest test_history(const CellFamily& family, const Problem& problem, double gap, Threads threads);

// The answer of the same cells on some of the episodes, with models of these alone.
double cells_value(const Bag& bag, const Problem& problem, std::span<const std::int64_t> episodes,
                   const PooledTables& tables, Threads threads);

// The same of both sides of the first split, then of those of the next.
std::vector<double> half_values(const CellFamily& family, const Problem& problem, const HalfSplits& splits,
                                Threads threads);

// What is left of the mean of scores with all pairs of members when the pairs of a member with itself, whose values are
// `plain`, are left out.
double without_own_pairs(double mean_score, std::span<const double> plain);

}  // namespace starope
