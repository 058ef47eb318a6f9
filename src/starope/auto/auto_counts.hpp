#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "starope/auto/auto_model.hpp"
#include "starope/base/bytes.hpp"
#include "starope/problem.hpp"
#include "starope/stats/moments.hpp"

namespace starope {

// What one pass over some episodes finds of the mean score of all of them. Families whose weights are normalized over
// all episodes (the anchor, the first steps of lags) are means of sums by step, so that no second pass is needed: parts
// are counted wherever they are, added, and finished without the logs.
struct AutoCounts {
  static constexpr std::string_view kind = "auto counts";
  static constexpr std::uint32_t version = 1;

  AutoSums sums{};                // the anchor, and the first steps of lags
  std::vector<Moments> scores{};  // of every part of the model: empty for the anchor, behind the first steps for lags
  double episodes = 0.0;
  double lowest = 0.0, highest = 0.0;  // reward, or 0

  AutoCounts& operator+=(const AutoCounts& other);  // InvalidArgument if they are of another model
  friend bool operator==(const AutoCounts&, const AutoCounts&) = default;

  Bytes to_bytes() const { return sealed(*this); }
  static AutoCounts from_bytes(std::span<const std::byte> bytes) { return unsealed<AutoCounts>(bytes); }
  void write(ByteWriter& to) const;
  static AutoCounts read(ByteReader& from);
};

AutoCounts no_counts(const AutoModel& model);

// Adds episode i of the block to groups[group_of[i]]. InvalidArgument where the block is asked another question.
void add_block(const AutoModel& model, const Problem& block, std::span<const std::size_t> group_of,
               std::span<AutoCounts> groups);

// The mean score of each part of the model, and of their mixture. InvalidArgument for counts of another model.
std::vector<double> part_values(const AutoModel& model, const AutoCounts& counts);
double mixed_value(const AutoModel& model, const AutoCounts& counts);

}  // namespace starope
