#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "starope/base/bytes.hpp"
#include "starope/data.hpp"
#include "starope/finding.hpp"

namespace starope {

// Episodes that repeat another one step for step: the same states, actions and rewards. In a small world that happens
// by chance, but never more often than starts and actions allow: another episode has to begin in the same state, and
// then takes the same actions with at most the product of their behavior probabilities.
struct Twins {
  struct Content {
    std::uint64_t hash = 0;
    std::uint64_t start = 0;  // hash of the first state
    double log_chance = 0.0;  // that an episode from there takes the same actions
    friend bool operator==(const Content&, const Content&) = default;
  };
  std::vector<Content> episodes{};
  Twins& operator+=(const Twins& other);
};

// Nothing is added where the logs have no discrete or continuous actions, or no behavior probabilities.
void add_content(Twins& to, const Dataset& data, std::int64_t episode);

// How many of the episodes that are too rare to come twice by chance are copies of another one.
struct Copies {
  std::int64_t copies = 0;
  std::int64_t counted = 0;  // episodes that are so rare
  double share() const noexcept {
    return counted == 0 ? 0.0 : static_cast<double>(copies) / static_cast<double>(counted);
  }
  // Copies make n independent episodes of (1 - share) n, and standard errors too small by this factor.
  double shrink() const noexcept { return 1.0 / std::sqrt(1.0 - share()); }
};
Copies copies_among(const Twins& twins);

// The contents with the smallest hashes. What a content is decides whether it is kept, so episodes that are alike are
// kept or left out together, whichever parts of the logs they are in. The same sample in whatever order it is added up.
class TwinSample {
 public:
  static constexpr std::size_t most = 1024;

  TwinSample& operator+=(const Twins& more);
  TwinSample& operator+=(const TwinSample& other);
  Copies copies() const;  // counts those in the sample
  friend bool operator==(const TwinSample&, const TwinSample&) = default;

  void write(ByteWriter& to) const;
  static TwinSample read(ByteReader& from);

 private:
  void shorten();

  std::vector<Twins::Content> kept_{};                             // in order
  std::uint64_t end_ = std::numeric_limits<std::uint64_t>::max();  // of the hashes that are kept
  std::int64_t episodes_ = 0;                                      // that were looked at
};

std::vector<Finding> twin_findings(const Copies& seen);

}  // namespace starope
