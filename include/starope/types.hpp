#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "starope/version.hpp"

namespace starope {

// The number of an abstract state ("cell"): 0 .. cells-1.
using Label = std::uint32_t;

// The root of all randomness of a run.
struct Seed {
  std::uint64_t value = 0;
  friend bool operator==(Seed, Seed) = default;
};

enum class Stream : std::uint32_t;  // what a random number is for

// Random numbers that are functions of what they are for: the draws of one (seed, stream, item), in order.
class STAROPE_API Random {
 public:
  Random(Seed seed, Stream stream, std::uint64_t item) noexcept : seed_(seed), stream_(stream), item_(item) {}

  std::uint64_t bits() noexcept;
  double uniform() noexcept;                          // [0, 1), 53 random bits
  double uniform(double low, double high) noexcept;   // [low, high)
  std::uint64_t below(std::uint64_t count) noexcept;  // 0 .. count-1; count >= 1
  double normal() noexcept;                           // standard normal
  std::uint32_t draws() const noexcept { return draw_; }

 private:
  Seed seed_;
  Stream stream_;
  std::uint64_t item_;
  std::uint32_t draw_ = 0;
  std::uint64_t second_half_ = 0;
};

// How many threads may work. Results do not depend on it.
class STAROPE_API Threads {
 public:
  static Threads all();         // one per core; 1 where the library was built without threads
  explicit Threads(int count);  // count >= 1 or InvalidArgument
  int count() const noexcept { return count_; }

 private:
  int count_;
};

// gamma, in [0, 1].
class STAROPE_API Discount {
 public:
  explicit Discount(double gamma);  // outside [0, 1]: InvalidArgument
  double gamma() const noexcept { return gamma_; }
  friend bool operator==(Discount, Discount) = default;

 private:
  double gamma_;
};

// The number of steps whose rewards count; at least 1. "No horizon" is an empty std::optional<Horizon>.
class STAROPE_API Horizon {
 public:
  static constexpr std::int64_t most = 1'000'000'000'000'000;  // sums of a few stay far inside 64 bits
  explicit Horizon(std::int64_t steps);                        // outside 1 .. most: InvalidArgument
  std::int64_t steps() const noexcept { return steps_; }
  friend bool operator==(Horizon, Horizon) = default;

 private:
  std::int64_t steps_;
};

// How many of the latest ratios an importance weight multiplies: the paper's c.
class STAROPE_API Clip {
 public:
  static Clip none() { return Clip{std::nullopt}; }
  static Clip last(std::int64_t steps);  // steps < 1: InvalidArgument
  bool is_none() const noexcept { return !window_; }
  std::optional<std::int64_t> window() const noexcept { return window_; }
  std::string text() const;  // "2", "none"
  friend bool operator==(Clip, Clip) = default;

 private:
  explicit Clip(std::optional<std::int64_t> window) : window_(window) {}
  std::optional<std::int64_t> window_;
};

// The confidence level of an interval, in (0, 1).
class STAROPE_API Level {
 public:
  explicit Level(double probability);  // outside (0, 1), or nearer to 1 than 1e-12: InvalidArgument
  double probability() const noexcept { return probability_; }
  friend bool operator==(Level, Level) = default;

 private:
  double probability_;
};

// A value written down: little-endian, the same on every machine, ready for a file, a message or a cluster.
using Bytes = std::vector<std::byte>;

// 128 bits of a value's content: equal contents have equal fingerprints, and different ones do not meet by chance. Not
// meant against somebody who wants two contents to meet.
struct STAROPE_API Fingerprint {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  std::string text() const;  // 32 hexadecimal digits
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

}  // namespace starope
