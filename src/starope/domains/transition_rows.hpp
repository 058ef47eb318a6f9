#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "starope/domains/tabular_mdp.hpp"

namespace starope::domains {

// Takes the dense transition tables of an MDP one row after the other and keeps what is not zero, every distinct row
// once. Tables of a hundred megabytes, read as a stream, become a few megabytes.
class TransitionRows {
 public:
  TransitionRows(std::int32_t states, std::int32_t actions);

  // P(. | s, a) and r(s, a, .) of the next pair: (0, 0), (0, 1), ... A row that is no distribution, or one too many, is
  // a DataError that names the pair.
  void add(std::span<const double> probabilities, std::span<const double> rewards);

  bool complete() const noexcept { return row_of_.size() == pairs_; }
  const std::vector<std::vector<Outcome>>& rows() const noexcept { return rows_; }
  const std::vector<std::int32_t>& row_of() const noexcept { return row_of_; }  // states x actions

 private:
  std::int32_t states_, actions_;
  std::size_t pairs_;
  std::vector<std::vector<Outcome>> rows_;
  std::vector<std::int32_t> row_of_;
  std::unordered_multimap<std::uint64_t, std::int32_t> by_hash_;
};

}  // namespace starope::domains
