#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "starope/data/dataset.hpp"

namespace starope {

// How many steps make a block: enough to hide the cost of merging, few enough to share the work. It belongs to the
// algorithm, not to the machine: partial sums, and with them the last bits of a result, depend on the blocks.
inline constexpr std::int64_t steps_per_block = 65536;

// Episodes first .. last-1.
struct EpisodeRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
  friend bool operator==(EpisodeRange, EpisodeRange) = default;
};

// Consecutive whole episodes; a block is closed by the episode that fills it. Every logged step counts, whatever the
// horizon: where blocks end is a matter of the data alone, so all questions see the same ones.
std::vector<EpisodeRange> make_blocks(const Dataset& data, std::int64_t steps = steps_per_block);

// Logged episodes that may be more than memory holds: blocks of whole episodes, one after the other, as often as they
// are wanted. A block is a small data set of its own. Every opening yields the same blocks, and at least one.
class Source {
 public:
  using Next = std::function<std::optional<Dataset>()>;  // the next block; none: that was all

  explicit Source(std::function<Next()> open) : open_(std::move(open)) {}
  Next open() const { return open_(); }

 private:
  std::function<Next()> open_;
};

// Logs in memory, in the blocks that a fold over them makes; or in blocks of the caller's choice.
Source dataset_source(const Dataset& data, std::int64_t steps = steps_per_block);
Source dataset_source(const Dataset& data, std::vector<EpisodeRange> blocks);

// All blocks in one piece.
Dataset read_all(const Source& source);

// Some whole episodes of a source: all of them if they have at most `most_steps` steps, else those whose ids have the
// smallest hashes, as many as fit, in order of their hashes. Which ones are chosen is a matter of the ids alone, not of
// their order or their blocks.
struct EpisodeSample {
  Dataset episodes;
  bool whole = true;
};
EpisodeSample sample_episodes(const Source& source, std::int64_t most_steps);

}  // namespace starope
