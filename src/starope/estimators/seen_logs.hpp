#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "starope/base/bytes.hpp"
#include "starope/data.hpp"
#include "starope/fold/sum_recipe.hpp"
#include "starope/problem.hpp"

namespace starope {

// The episodes whose recording was cut, as far as the problem sees them.
struct TruncatedLengths {
  std::int64_t episodes = 0;
  std::optional<std::int64_t> common{};  // the one length of all of them, if they have one
  friend bool operator==(const TruncatedLengths&, const TruncatedLengths&) = default;
};
TruncatedLengths truncated_lengths(const Problem& problem);

// What a star must know of all episodes besides its own sums.
struct SeenLogs {
  static constexpr std::string_view kind = "survey of logs";
  static constexpr std::uint32_t version = 1;

  SumRecipe recipe{};
  Survey survey{};
  TruncatedLengths cut{};

  SeenLogs& operator+=(const SeenLogs& other);  // InvalidArgument if the recipes differ
  friend bool operator==(const SeenLogs&, const SeenLogs&) = default;

  Bytes to_bytes() const { return sealed(*this); }
  static SeenLogs from_bytes(std::span<const std::byte> bytes) { return unsealed<SeenLogs>(bytes); }
  void write(ByteWriter& to) const;
  static SeenLogs read(ByteReader& from);
};

SeenLogs seen_logs(const Problem& problem);
SeenLogs seen_logs(const Source& source, const ProblemOptions& question, Threads threads);

}  // namespace starope
