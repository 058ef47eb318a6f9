#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "starope/types.hpp"

namespace starope {

// Ways to cut the episodes into two halves. They are made of few groups, so that sums over a half are sums of the sums
// over its groups.
class HalfSplits {
 public:
  // No split if there are fewer than two episodes.
  HalfSplits(std::int64_t episodes, int splits, Seed seed);

  const std::vector<std::vector<std::int64_t>>& groups() const noexcept { return groups_; }  // numbers of episodes
  std::size_t size() const noexcept { return splits_.size(); }
  const std::vector<std::size_t>& groups_of(std::size_t split, std::size_t side) const { return splits_[split][side]; }
  std::vector<std::int64_t> episodes_of(std::size_t split, std::size_t side) const;  // ascending
  std::vector<std::vector<std::int64_t>> halves() const;                             // both of every split, one by one

 private:
  std::vector<std::vector<std::int64_t>> groups_{};
  std::vector<std::array<std::vector<std::size_t>, 2>> splits_{};
};

}  // namespace starope
