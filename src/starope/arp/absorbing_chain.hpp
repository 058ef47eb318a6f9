#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "starope/arp/move_counts.hpp"

namespace starope {

// Solves (I - Q) v = r and (I - Q') d = b for a sub-stochastic Q whose leak 1 - (row sum) is given, not computed.
//
// The states split into strongly connected components; between components one substitutes in topological order (a
// time-indexed process is all substitution: one sweep). Inside a component the elimination is that of Grassmann, Taksar
// and Heyman (1985): a pivot is the mass that leaves the state for states not yet eliminated or out of the chain, a sum
// of non-negative numbers, so nothing cancels and even exit shares of 1e-12 keep their relative accuracy.
// Components too large for a dense matrix use a sparse LU factorization with iterative refinement.
class AbsorbingChain {
 public:
  // Only states reachable from a positive entry of `start` take part; all others get 0 from both solves.
  AbsorbingChain(const SparseRows& q, std::span<const double> leak, std::span<const double> start);
  ~AbsorbingChain();
  AbsorbingChain(AbsorbingChain&&) noexcept;
  AbsorbingChain& operator=(AbsorbingChain&&) noexcept;

  // Reachable states from which no path leaves the chain, ascending. While there are any, values() has no meaning.
  const std::vector<std::int64_t>& trapped() const noexcept { return trapped_; }

  std::vector<double> values(std::span<const double> reward) const;  // (I - Q)^-1 reward
  std::vector<double> visits(std::span<const double> start) const;   // (I - Q')^-1 start

  static constexpr std::size_t most_dense_states = 1500;

 private:
  class Component;

  SparseRows q_;
  std::vector<Component> components_;       // successors first: the order of back substitution
  std::vector<std::int64_t> component_of_;  // -1: not reachable
  std::vector<std::int64_t> place_of_;      // inside its component
  std::vector<std::int64_t> trapped_;
};

}  // namespace starope
