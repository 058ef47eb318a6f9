#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "starope/data.hpp"
#include "starope/inference/replicate_kernel.hpp"
#include "starope/types.hpp"

namespace starope {

// How often every episode counts in every replicate of a bootstrap: Poisson(1), a function of (seed, id of the episode,
// replicate). Whoever sees a part of the logs draws the numbers that all of them together would, so sums of replicates
// merge like all others.
class ReplicateCounts {
 public:
  // `before`: how many episodes of the logs came before these, where they are only numbered.
  ReplicateCounts(const Dataset& data, Seed seed, std::int64_t before = 0);

  std::int64_t episodes() const noexcept { return static_cast<std::int64_t>(items_.size()); }
  // Replicates first .. first + out.size() - 1 of one episode; first is a multiple of 4.
  void of_episode(std::int64_t episode, std::int64_t first, std::span<double> out) const;
  // The same of `replicates_together` of them for some episodes in a row, as replicate_kernel has them.
  void of_episodes_together(std::int64_t begin, std::int64_t end, std::int64_t first, std::span<CountPair> out) const {
    draw_counts(seed_, std::span(items_).subspan(begin, end - begin), first, out);
  }
  // All episodes in one replicate.
  std::vector<double> of_replicate(std::int64_t replicate) const;

 private:
  Seed seed_;
  std::vector<std::uint64_t> items_;
};

}  // namespace starope
