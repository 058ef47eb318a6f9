#include "starope/auto/half_splits.hpp"

#include <algorithm>

#include "starope/rng/random.hpp"

namespace starope {

HalfSplits::HalfSplits(std::int64_t episodes, int splits, Seed seed) {
  if (episodes < 2) return;
  constexpr std::int64_t most_groups = 16;  // 6,435 different splits
  const std::int64_t count = std::min(episodes, most_groups);
  Random random(seed, Stream::half_groups, 0);
  const std::vector<std::int64_t> order = sample_without_replacement(random, episodes, episodes);
  groups_.resize(count);
  for (std::size_t i = 0; i < order.size(); ++i) groups_[i % groups_.size()].push_back(order[i]);
  for (auto& group : groups_) std::sort(group.begin(), group.end());
  for (int split = 0; split < splits; ++split) {
    Random draw(seed, Stream::half_sample, static_cast<std::uint64_t>(split));
    auto& sides = splits_.emplace_back();
    const std::vector<std::int64_t> shuffled = sample_without_replacement(draw, count, count);
    for (std::size_t g = 0; g < shuffled.size(); ++g) {
      sides[g < shuffled.size() / 2 ? 0 : 1].push_back(static_cast<std::size_t>(shuffled[g]));
    }
    for (auto& side : sides) std::sort(side.begin(), side.end());
  }
}

std::vector<std::int64_t> HalfSplits::episodes_of(std::size_t split, std::size_t side) const {
  std::vector<std::int64_t> episodes;
  for (const std::size_t g : splits_[split][side]) {
    episodes.insert(episodes.end(), groups_[g].begin(), groups_[g].end());
  }
  std::sort(episodes.begin(), episodes.end());
  return episodes;
}

std::vector<std::vector<std::int64_t>> HalfSplits::halves() const {
  std::vector<std::vector<std::int64_t>> halves;
  for (std::size_t split = 0; split < size(); ++split) {
    for (std::size_t side = 0; side < 2; ++side) halves.push_back(episodes_of(split, side));
  }
  return halves;
}

}  // namespace starope
